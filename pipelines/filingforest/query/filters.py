"""What a caller may demand of answers: hard limits, unlike what is read out of the question, which may soften."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from filingforest.errors import QueryError
from filingforest.query.documents import Document, Documents

UNIT_KINDS = ("text", "table", "clause")
DOCUMENT_KINDS = ("filing", "exhibit", "article", "contract")
_DATES = ("since", "until", "as_of")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Filters:
    """Every field narrows; several values of one field widen. Dates are ISO dates, both ends included.

    company: names, tickers, CIKs; year: fiscal years; form: with amendments, or "10-K/A"; item: "7", or a key as "10-Q:I.2";
    since, until: filing date; as_of: only what was known by then; kind: text, table, clause, or of documents; doc: ids or parts of one.
    """

    company: tuple[str, ...] = ()
    year: tuple[int, ...] = ()
    form: tuple[str, ...] = ()
    item: tuple[str, ...] = ()
    since: str | None = None
    until: str | None = None
    as_of: str | None = None
    kind: tuple[str, ...] = ()
    language: tuple[str, ...] = ()
    doc: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Single values become tuples. Errors: QueryError for a date, a year or a kind that is none, or days in the wrong order."""
        for f in fields(self):
            value = getattr(self, f.name)
            object.__setattr__(self, f.name, _date(f.name, value) if f.name in _DATES else _several(f.name, value))
        if unknown := sorted(set(self.kind) - {*UNIT_KINDS, *DOCUMENT_KINDS}):
            raise QueryError(f"no kind {', '.join(unknown)}", stage="query", remedy=f"use {', '.join((*UNIT_KINDS, *DOCUMENT_KINDS))}")
        if self.since and self.until and self.since > self.until:
            raise QueryError(f"since {self.since} is after until {self.until}", stage="query", remedy="give the earlier day as since")

    @classmethod
    def of(cls, value: Filters | Mapping[str, Any] | None) -> Filters:
        """From a dictionary. Errors: QueryError for an unknown field too."""
        if isinstance(value, Filters):
            return value
        names = [f.name for f in fields(cls)]
        unknown = sorted(set(value or {}) - set(names))
        if unknown:
            raise QueryError(f"no filter called {', '.join(unknown)}", stage="query", remedy=f"use {', '.join(names)}")
        return cls(**(value or {}))

    def as_dict(self) -> dict[str, Any]:
        """JSON-able, without empty fields."""
        return {f.name: list(v) if isinstance(v, tuple) else v for f in fields(self) if (v := getattr(self, f.name))}

    @property
    def unit_kinds(self) -> tuple[str, ...]:
        """Those of `kind` that are kinds of units."""
        return tuple(k for k in self.kind if k in UNIT_KINDS)


def _date(name: str, value: Any) -> str | None:
    """A day; `as_of` may be an instant too, as documents have them."""
    if value in (None, ""):
        return None
    text = str(value)
    try:
        read = dt.datetime.fromisoformat if name == "as_of" else dt.date.fromisoformat
        if not _DATE.match(text):
            raise ValueError
        read(text)
    except ValueError as error:
        raise QueryError(f"{name} is not a date: {value!r}", stage="query", remedy="write it as 2024-01-31") from error
    return text


def _several(name: str, value: Any) -> tuple[Any, ...]:
    values = value if isinstance(value, list | tuple | set | frozenset) else [value]
    try:
        return tuple(int(v) if name == "year" else str(v) for v in values if v not in (None, ""))
    except ValueError as error:
        raise QueryError(f"{name} is not a number: {value!r}", stage="query", remedy="write it as 2024") from error


def document_flags(filters: Filters, documents: Sequence[Document]) -> Flags:
    """One flag a document: whether it passes the filters (company apart, which needs the publication's names)."""
    of, flags = Documents.of(documents), np.ones(len(documents), dtype=np.bool_)
    if filters.year:
        flags &= np.isin(of.years, filters.year)
    if filters.form:
        flags &= form_flags(of, filters.form)
    if filters.since:
        flags &= of.text("filed_at").astype("U10") >= filters.since
    if filters.until:
        flags &= (of.text("filed_at") != "") & (of.text("filed_at").astype("U10") <= filters.until)
    if filters.as_of:
        flags &= (of.text("known_from") != "") & (of.text("known_from").astype(f"U{len(filters.as_of)}") <= filters.as_of)
    if kinds := [k for k in filters.kind if k not in UNIT_KINDS]:
        flags &= of.among("kind", kinds)
    if filters.language:
        flags &= of.among("language", filters.language) | of.among("base_language", filters.language)
    return flags & _docs(filters.doc, of) if filters.doc else flags


def form_flags(documents: Sequence[Document], forms: Sequence[str]) -> Flags:
    """One flag a document: whether it is of one of the forms; "10-K" takes its amendments too, "10-K/A" only those."""
    of, wanted = Documents.of(documents), {form.upper() for form in forms}
    return of.among("form_folded", wanted) | of.among("form_base_folded", wanted)


def _docs(wanted: Sequence[str], documents: Documents) -> Flags:
    """Documents by id; by a part of it (a PDF's name) where none has it whole."""
    flags = np.zeros(len(documents), dtype=np.bool_)
    for name in wanted:
        whole = documents.among("doc_id", [name]) | documents.among("doc_name", [name])
        flags |= whole if whole.any() else np.char.find(documents.text("doc_id_folded"), name.lower()) >= 0
    return flags
