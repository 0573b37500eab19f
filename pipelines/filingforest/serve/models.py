"""What goes in and comes out, as the OpenAPI description shows it. Fields that are not here are refused, not ignored."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from filingforest.query.answer import Answer, Hit
from filingforest.query.documents import Document
from filingforest.query.scope import Note
from filingforest.serve.derive import derived, many, shown


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class FiltersIn(_Strict):
    """Every field narrows; several values of one field widen. Dates are ISO dates, both ends included."""

    company: list[str] = Field([], max_length=100, description="names, tickers or CIKs")
    year: list[int] = Field([], max_length=100, description="fiscal years")
    form: list[str] = Field([], max_length=100, description="10-K takes its amendments along; 10-K/A only those")
    item: list[str] = Field([], max_length=100, description="7, 1A, or a key such as 10-Q:I.2")
    since: str | None = Field(None, description="filed on this day or later")
    until: str | None = Field(None, description="filed on this day or earlier")
    as_of: str | None = Field(None, description="only what was known on this day")
    kind: list[str] = Field([], max_length=100, description="text, table, clause; filing, exhibit, article, contract")
    language: list[str] = Field([], max_length=100, description="en, zh, vi")
    doc: list[str] = Field([], max_length=1_000, description="document ids, or a part of one")


class QuestionIn(_Strict):
    """One question."""

    question: str = Field(description="as a person asks it; companies, years and forms in it are recognised")
    k: int | None = Field(None, ge=1, description="hits")
    filters: FiltersIn = Field(default_factory=lambda: FiltersIn.model_validate({}))
    id: str | None = Field(None, max_length=200, description="comes back with the answer")


class BatchIn(_Strict):
    """Questions that are answered from one and the same publication."""

    questions: list[QuestionIn]


HitOut = derived(
    "HitOut",
    Hit,
    "One passage, table or clause. `page` counts from 0.",
    {"citation": "doc_id@start-end~hash: characters of the document's text, hash of the passage", "why": "its place in each signal"},
)
NoteOut = derived("NoteOut", Note, "Something to know about an answer, such as a company that the publication does not have.")
AnswerOut = derived("AnswerOut", Answer, "An answer: evidence, tagged facts, notes.", hits=many(HitOut), notes=many(NoteOut))
BatchOut = shown(
    "BatchOut",
    "Answers in the order asked. One that was refused is problem details instead.",
    publications=list[str],
    answers=many(AnswerOut | dict[str, Any]),
)


class PassageOut(BaseModel):
    """A unit in its place."""

    model_config = ConfigDict(extra="allow")

    node_id: str
    doc_id: str
    text: str
    citation: str
    heading_path: list[str]
    before: list[dict[str, Any]]
    after: list[dict[str, Any]]
    notes: list[str]


DocumentOut = derived("DocumentOut", Document, "One document of the publication.", without=("form_base", "names", "ciks", "tickers"))
DocumentsOut = shown("DocumentsOut", "A page of documents; `total` of all.", publications=list[str], total=int, documents=many(DocumentOut))


class PublicationOut(BaseModel):
    """A publication that is served now."""

    id: str
    corpus: str
    published_at: str | None
    counts: dict[str, int]
    schema_version: str
    encoder: str | None


class ProblemOut(BaseModel):
    """Problem details (RFC 9457)."""

    type: str
    title: str
    status: int
    code: str
    detail: str
    remedy: str | None = None
