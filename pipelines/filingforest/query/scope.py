"""Where a question is to be answered from: documents of a publication, and what was understood on the way there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from filingforest.query.companies import Company, CompanyIndex, Found
from filingforest.query.documents import Document
from filingforest.query.filters import Filters, Flags, document_flags
from filingforest.query.periods import Periods


@dataclass(frozen=True, slots=True)
class Note:
    """Something that the caller should know about an answer."""

    code: str
    message: str


@dataclass(slots=True)
class Scope:
    """Where to look. `flags`: one a document; `groups`: the same by company, where several were asked for."""

    filters: Filters
    flags: Flags
    found: list[Found] = field(default_factory=list)
    groups: list[Flags] = field(default_factory=list)
    periods: Periods = field(default_factory=Periods)
    forms: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    consumed: frozenset[str] = frozenset()  # tokens that named the scope, of no use for ranking within it
    anonymous: str = ""  # the question with "the company" in place of names, for the encoder: names only draw it to self-descriptions
    notes: list[Note] = field(default_factory=list)
    confidence: float = 1.0

    def as_dict(self) -> dict[str, Any]:
        """JSON-able: `recognised`, `filters`, `confidence`."""
        known = {
            "company": [f.company.name for f in self.found],
            "named_as": [f"{f.text} ({f.how})" for f in self.found],
            "year": list(self.periods.years),
            "quarter": list(self.periods.quarters),
            "form": list(self.forms),
            "unknown_company": list(self.unknown),
        }
        recognised = {name: values for name, values in known.items() if values}
        return {"recognised": recognised, "filters": self.filters.as_dict(), "confidence": round(self.confidence, 2)}

    def soften(self, code: str, message: str) -> None:
        """Less of what was asked for is there: said once, and less sure."""
        self.confidence *= 0.7
        if all(note.code != code for note in self.notes):
            self.notes.append(Note(code, message))


@dataclass(frozen=True, slots=True)
class Corpus:
    """What scope recognition knows of a publication. `ordinary`, `is_written`: see `companies.py`, `unknown.py`.

    `brand`: the company whose own texts use a name far more than all others' (a brand, a former name), if there is one.
    """

    documents: Sequence[Document]
    companies: CompanyIndex
    live: Flags
    ordinary: Callable[[str, Company], bool] = lambda word, company: False
    is_written: Callable[[str], bool] = lambda word: False
    brand: Callable[[str], Company | None] = lambda name: None


def demanded(filters: Filters, corpus: Corpus) -> Flags:
    """One flag a document: whether it is live and passes the filters, companies too."""
    flags = document_flags(filters, corpus.documents) & corpus.live
    if not filters.company:
        return flags
    mine = np.zeros_like(flags)
    for company in (c for value in filters.company for c in corpus.companies.named(value)):
        mine[company.documents] = True
    return flags & mine
