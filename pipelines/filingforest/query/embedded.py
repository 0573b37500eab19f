"""The search backend that needs no server: a publication's own postings and vectors, read through memory maps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from filingforest.query.backend import PREFERENCE, Scored, Search, TableSignal, Vector, Wanted
from filingforest.query.bm25 import best, score
from filingforest.query.filters import Flags
from filingforest.query.items import Scores, item_scores, label_scores, statement_scores
from filingforest.query.publication import Publication
from filingforest.query.segment import Segment
from filingforest.query.selection import Selection
from filingforest.query.vectors import nearest


@dataclass(frozen=True, slots=True)
class _Part:
    """One segment's share of a question: its place, the documents wanted, the selected units, BM25 scores."""

    segment: Segment
    index: int
    base: int
    flags: Flags
    selection: Selection
    words: Scores


class Embedded:
    """Searches where the publication lies."""

    name = "embedded"

    def search(self, publication: Publication, wanted: Wanted) -> Search:
        return EmbeddedSearch(publication, wanted)


class EmbeddedSearch:
    """One question; BM25 scores are computed once and serve every signal."""

    def __init__(self, publication: Publication, wanted: Wanted) -> None:
        self._publication, self._wanted = publication, wanted

    def words(self, depth: int) -> Scored:
        return self._best(lambda part: part.words, depth)

    def dense(self, question: Vector, depth: int) -> Scored:
        parts = [(part, part.segment.vectors) for part in self._parts if part.segment.vectors is not None]
        bases = np.array([part.base for part, _ in parts], dtype=np.int64)
        searched = [(vectors, part.selection) for part, vectors in parts if vectors is not None]
        owners, rows, cosines = nearest(searched, question, depth, lambda owners, rows: self._publication.numbers(bases[owners] + rows))
        return list(zip((bases[owners] + rows).tolist(), cosines.tolist(), strict=True))

    def fused(self, question: Vector | None, depth: int) -> Scored | None:
        return None

    def tables(self, signals: Sequence[TableSignal], depth: int) -> list[Scored]:
        return [self._best(partial(self._table, signal), depth) for signal in signals]

    def _table(self, signal: TableSignal, part: _Part) -> Scores:
        prior = self._priors[part.index]
        if signal.item is not None:
            return item_scores(part.segment, signal.item, part.selection, prior)
        if signal.statement is not None:
            return statement_scores(part.segment, signal.statement, part.selection, prior)
        return label_scores(part.segment, self._wanted.asked, self._publication.stats, part.selection, prior)

    def _best(self, of: Callable[[_Part], Scores], depth: int) -> Scored:
        """The segments' best rows, joined by score; equal scores in the publication's order, however it is cut into segments."""
        found: list[tuple[float, int, int]] = []
        for part in self._parts:
            scores = of(part)
            places = best(scores, depth, part.selection)
            rows = part.base + places
            values = -scores[places].astype(np.float64)
            found += zip(values.tolist(), self._publication.numbers(rows).tolist(), rows.tolist(), strict=True)
        return [(row, -value) for value, _, row in sorted(found)[:depth]]

    @cached_property
    def _parts(self) -> list[_Part]:
        publication, wanted = self._publication, self._wanted
        parts = []
        for index, flags in enumerate(publication.split(wanted.documents)):
            if flags.any():
                segment = publication.segments[index]
                selection = segment.select(flags, wanted.filters)
                words = score(segment.postings, wanted.asked.terms, publication.stats, selection)
                parts.append(_Part(segment, index, int(publication.base[index]), flags, selection, words))
        return parts

    @cached_property
    def _priors(self) -> dict[int, Scores]:
        """What decides between tables that hold the same row: words from 0 to 1, and the filing's preference; by segment."""
        top = max((float(part.words.max(initial=0)) for part in self._parts), default=0) or 1.0
        factors = self._wanted.preference.factors(self._publication.documents).astype(np.float32)
        priors = {}
        for part in self._parts:
            first, starts, prior = int(self._publication.first_document[part.index]), part.segment.starts, np.zeros_like(part.words)
            mine = np.flatnonzero(part.flags)
            gained = np.repeat(np.float32(PREFERENCE) * factors[first + mine], starts[mine + 1] - starts[mine])
            rows = Selection.of_documents(part.flags, starts).rows()
            prior[rows] = part.words[rows] / np.float32(top) + gained
            priors[part.index] = prior
        return priors
