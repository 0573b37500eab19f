"""BM25 over raw postings, scored when asked: idf and average length come from the publication, rows from the filters.

Body and head (headings, table titles) are two fields of BM25F (Robertson, Zaragoza and Taylor, CIKM 2004): weighted frequencies
are added before they saturate. The head has no length normalisation, so deep headings cost nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from filingforest.query.arrays import Array
from filingforest.query.selection import Selection
from filingforest.query.statistics import Statistics
from filingforest.terms import term_hash

K1, B = 1.2, 0.75
HEAD_WEIGHT = 1.5


@dataclass(frozen=True, slots=True)
class Postings:
    """A segment's postings: sorted term hashes, where each term's list starts, and the lists' rows and frequencies by field."""

    hashes: Array
    starts: Array
    units: Array
    body: Array
    head: Array
    lengths: Array

    def find(self, hashes: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
        """Place of each term, -1 where the segment has none."""
        if not len(self.hashes):
            return np.full(len(hashes), -1)
        place = np.minimum(np.searchsorted(self.hashes, hashes), len(self.hashes) - 1)
        return np.where(self.hashes[place] == hashes, place, -1)

    def units_of(self, term: str) -> Array:
        """Rows that hold a term."""
        place = int(self.find(np.array([term_hash(term)], dtype=np.uint64))[0])
        return self.units[self.starts[place] : self.starts[place + 1]] if place >= 0 else np.empty(0, np.uint32)


def score(postings: Postings, query: Mapping[str, float], stats: Statistics, selection: Selection) -> npt.NDArray[np.float32]:
    """One score a row of the segment, 0 outside the selection. `query` weighs each term.

    score = sum over terms of weight * idf * tf * (k1 + 1) / (tf + k1),
    tf = body / (1 - b + b * length / average) + HEAD_WEIGHT * head.
    """
    scores = np.zeros(len(postings.lengths), dtype=np.float32)
    hashes = np.array([term_hash(term) for term in query], dtype=np.uint64)
    for place, idf, weight in zip(postings.find(hashes), stats.idf(hashes), query.values(), strict=True):
        if place >= 0:
            span = slice(int(postings.starts[place]), int(postings.starts[place + 1]))
            _add(scores, postings, span, idf * weight, stats.average, selection)
    return scores


def _add(scores: npt.NDArray[np.float32], postings: Postings, span: slice, weight: float, average: float, selection: Selection) -> None:
    units = postings.units[span]
    chosen = selection.places(units)
    rows = units[chosen]
    norm = (1 - B) + B / average * postings.lengths[rows].astype(np.float32)
    frequency = postings.body[span][chosen] / norm + np.float32(HEAD_WEIGHT) * postings.head[span][chosen]
    scores[rows] += np.float32(weight * (K1 + 1)) * frequency / (frequency + np.float32(K1))


def best(scores: Array, limit: int, selection: Selection) -> npt.NDArray[np.int64]:
    """Rows of the `limit` highest positive scores, best first, equal ones in ascending row."""
    found = selection.positive(scores)
    if len(found) > limit:
        values = scores[found]
        edge = np.partition(values, len(values) - limit)[len(values) - limit]
        found = found[values >= edge]
    order = np.lexsort((found, -scores[found]))
    return found[order[:limit]]
