"""What ranking needs from an index, so that the embedded one and a search server are one thing to everything above them.

A backend orders units by one signal at a time; scope, fusion, preferences, facts and texts are the same for all (`rank.py`, `reader.py`).
Rows are those of the publication's row space, so that what one backend finds the other finds too, or it is a fault.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from filingforest.query.documents import INTERIM_PERIODS, Documents
from filingforest.query.filters import Filters, Flags
from filingforest.query.intent import Asked
from filingforest.query.measures import Measure

if TYPE_CHECKING:
    from filingforest.query.publication import Publication

PREFERENCE = 8.0  # of a document's factor, in points of a table's score: tables of the right filing come first
Scored = list[tuple[int, float]]  # rows with scores, best first
Vector = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Preference:
    """Factors on documents that are not the first choice, as data, so that a search server can apply them too.

    `year`: the last of the years asked for; `newest`: the year of the newest document in scope, where none is asked for.
    """

    year: int | None = None
    newest: str = ""
    older: float = 1.0
    interim: float = 1.0

    def factors(self, documents: Documents) -> npt.NDArray[np.float64]:
        """Of every document: 1 for a first choice, less where a newer one is there and for interim reports."""
        older = (
            (documents.years != 0) & (documents.years != self.year) if self.year else documents.text("latest").astype("U4") < self.newest
        )
        return np.where(older, self.older, 1.0) * np.where(documents.among("fiscal_period", INTERIM_PERIODS), self.interim, 1.0)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is looked for: a question's terms among the units of some documents that pass the filters on units."""

    asked: Asked
    documents: Flags
    filters: Filters
    preference: Preference


@dataclass(frozen=True, slots=True)
class TableSignal:
    """One order of tables: by a line item, by a statement's name, or (neither) by rows whose label stands in the question."""

    name: str
    weight: float
    item: Measure | None = None
    statement: str | None = None


class Search(Protocol):
    """One question over one group of documents. Rows best first, at most `depth`, equal scores in row order."""

    def words(self, depth: int) -> Scored:
        """By BM25F over text and headings."""

    def dense(self, question: Vector, depth: int) -> Scored:
        """By cosine."""

    def fused(self, question: Vector | None, depth: int) -> Scored | None:
        """By words and meaning at once, joined by reciprocal rank where the index is; None where it cannot."""

    def tables(self, signals: Sequence[TableSignal], depth: int) -> list[Scored]:
        """One order a signal."""


class SearchBackend(Protocol):
    """Where a publication is searched. Thread-safe. Errors: FilingForestError."""

    @property
    def name(self) -> str:
        """What settings call it."""

    def search(self, publication: Publication, wanted: Wanted) -> Search:
        """Begins one search; nothing needs to be closed."""
