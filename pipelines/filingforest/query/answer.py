"""An answer as others read it: evidence with its place and the reasons for its rank, facts, notes; JSON as the design gives it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from filingforest.query.documents import Document
from filingforest.query.scope import Note

HIT_COLUMNS = (
    "node_id", "unit_key", "kind", "label_path", "item", "item_key", "heading_path", "statement", "page", "page_end",
    "char_start", "char_end", "text",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Hit:
    """One unit found. `page` counts from 0; `citation` names document, character range and hash of the text."""

    rank: int
    score: float
    doc_id: str
    node_id: str
    unit_key: str
    kind: str
    item: str | None
    item_key: str | None
    label_path: str | None
    heading_path: list[str]
    statement: str | None
    page: int | None
    page_end: int | None
    text: str
    company: str | None
    fiscal_year: int | None
    form: str | None
    filed_at: str | None
    source_url: str | None
    citation: str
    publication: str
    why: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """JSON-able."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Answer:
    """What a reader answers. `facts` are tagged values of the line items asked for."""

    question: str
    publication: str
    intent: str
    route: str
    scope: dict[str, Any]
    hits: list[Hit]
    facts: list[dict[str, Any]] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    milliseconds: float = 0.0
    id: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """JSON-able; the keys of `query --json`."""
        return {
            "id": self.id,
            "question": self.question,
            "publication": self.publication,
            "intent": self.intent,
            "route": self.route,
            "scope": self.scope,
            "hits": [hit.to_dict() for hit in self.hits],
            "facts": self.facts,
            "notes": [{"code": note.code, "message": note.message} for note in self.notes],
            "milliseconds": round(self.milliseconds, 2),
        }


def citation(doc_id: str, start: int | None, end: int | None, text: str) -> str:
    """`doc_id@start-end~hash`: characters of the document's normalised text, first 12 hex digits of the unit text's sha256."""
    return (
        f"{doc_id}@{start if start is not None else ''}-{end if end is not None else ''}~{hashlib.sha256(text.encode()).hexdigest()[:12]}"
    )


def make_hit(rank: int, score: float, row: Mapping[str, Any], document: Document, publication: str, why: dict[str, Any]) -> Hit:
    """A hit from a row of `units` (HIT_COLUMNS) and its document."""
    text = row["text"] or ""
    own = {name: row[name] for name in HIT_COLUMNS if name in Hit.__slots__ and name not in ("text", "heading_path")}
    return Hit(
        rank=rank,
        score=round(score, 6),
        doc_id=document.doc_id,
        heading_path=row["heading_path"] or [],
        text=text,
        company=document.company,
        fiscal_year=document.fiscal_year,
        form=document.form,
        filed_at=document.filed_at,
        source_url=document.source_url,
        citation=citation(document.doc_id, row["char_start"], row["char_end"], text),
        publication=publication,
        why=why,
        **own,
    )
