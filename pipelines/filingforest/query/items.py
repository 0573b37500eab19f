"""Ranks tables by the line items that a question asks for: exact keys of rows and concepts, the statement they belong to, the year."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from filingforest.query.intent import Asked
from filingforest.query.measures import Measure
from filingforest.query.segment import Segment
from filingforest.query.selection import Selection
from filingforest.query.statistics import Statistics
from filingforest.terms import label_keys, term_hash

CONCEPT, STATEMENT, FIRST_LABEL = 2.0, 3.0, 1.0
Scores = npt.NDArray[np.float32]


def item_scores(segment: Segment, item: Measure, selection: Selection, prior: Scores) -> Scores:
    """One score a unit: 0 unless the unit is a table with the item's row. A tagged concept counts above a label, a usual label
    above a rare one, the item's own statement above all; `prior` (0 to 1 a unit: words and year) decides between equals.
    """
    scores = np.zeros(segment.units, dtype=np.float32)
    for key, weight in item_keys(item):
        rows = _rows(segment, key, selection)
        scores[rows] = np.maximum(scores[rows], np.float32(weight))
    return _finished(scores, segment, item.statement, selection, prior)


def item_keys(item: Measure) -> list[tuple[str, float]]:
    """Keys of rows that hold the item, with what each is worth."""
    labels = item.label_terms()
    return [*((c, CONCEPT) for c in item.concept_terms()), *((k, FIRST_LABEL - i / (2 * len(labels))) for i, k in enumerate(labels))]


def label_weights(asked: Asked, stats: Statistics) -> list[tuple[str, float]]:
    """Keys of rows whose whole label stands in the question, with what each is worth."""
    known = {key for item in asked.items for key in item.label_terms()}  # those have a signal of their own
    keys = sorted(key for key in label_keys(asked.words) - known if " " in key)
    if not keys:
        return []
    idf = stats.idf(np.array([term_hash(key) for key in keys], dtype=np.uint64))
    return [(key, key.count(" ") + float(rarity) / 20) for key, rarity in zip(keys, idf, strict=True)]


def statement_scores(segment: Segment, statement: str, selection: Selection, prior: Scores) -> Scores:
    """One score a unit: tables of the statement that a question names."""
    code = segment.code("statement", statement)
    scores = np.zeros(segment.units, dtype=np.float32)
    rows = selection.rows()
    found = rows[segment.statements[rows] == code] if code > 0 else rows[:0]
    scores[found] = 1.0 + prior[found]
    return scores


def label_scores(segment: Segment, asked: Asked, stats: Statistics, selection: Selection, prior: Scores) -> Scores:
    """One score a unit: rows whose whole label stands in the question, longer and rarer ones first (line items no table of ours lists)."""
    scores = np.zeros(segment.units, dtype=np.float32)
    for key, weight in label_weights(asked, stats):
        rows = _rows(segment, key, selection)
        scores[rows] = np.maximum(scores[rows], np.float32(weight))
    return _finished(scores, segment, None, selection, prior)


def _rows(segment: Segment, key: str, selection: Selection) -> npt.NDArray[np.int64]:
    units = segment.postings.units_of(key)
    return np.asarray(units[selection.places(units)], dtype=np.int64)


def _finished(scores: Scores, segment: Segment, statement: str | None, selection: Selection, prior: Scores) -> Scores:
    code = segment.code("statement", statement) if statement else -1
    found = selection.positive(scores)
    if code > 0:
        scores[found] += np.float32(STATEMENT) * (segment.statements[found] == code)
    scores[found] += prior[found]
    return scores
