"""Ranks the units in scope: words, meaning and line items each give an order, rank fusion joins them, years and forms break near ties."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial

import numpy as np

from filingforest.query.bm25 import best, score
from filingforest.query.documents import Document
from filingforest.query.filters import Flags
from filingforest.query.fuse import K, Ranking, fuse
from filingforest.query.intent import Asked
from filingforest.query.items import Scores, item_scores, label_scores, statement_scores
from filingforest.query.measures import Measure
from filingforest.query.publication import Publication
from filingforest.query.scope import Scope
from filingforest.query.segment import Segment
from filingforest.query.selection import Selection
from filingforest.query.statistics import Statistics

DEPTH = 200  # places that each signal may fill
TABLE_K = 10  # the first table with a line item is worth far more than the tenth
TABLE_WEIGHT, PROSE_WEIGHT = 0.3, 0.08  # of line-item signals, in questions for numbers and in questions for reasons
LABEL_SHARE = 0.5  # of that weight, for rows whose label stands in the question
OLDER, INTERIM = 0.9, 0.85  # factors on documents that are not the first choice
PREFERENCE = 8.0  # of such factors, in points of a table's score: tables of the right filing come first


@dataclass(slots=True)
class Candidate:
    """A unit (row of the publication's row space) with its fused score and each signal's place for it."""

    row: int
    score: float
    why: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Part:
    """One segment's share of a question: its first row, the selected units, BM25 scores."""

    segment: Segment
    base: int
    selection: Selection
    words: Scores
    prior: Scores  # decides between tables that hold the same row: words from 0 to 1, and the filing's preference


def rank(publication: Publication, asked: Asked, scope: Scope, limit: int) -> list[Candidate]:
    """The best `limit` units in scope. Several companies asked for take turns, so that none is crowded out."""
    groups = scope.groups or [scope.flags]
    ranked = [_rank_group(publication, asked, scope, flags, limit) for flags in groups]
    turns = [group[i] for i in range(limit) for group in ranked if i < len(group)]
    return turns[:limit]


def _rank_group(publication: Publication, asked: Asked, scope: Scope, documents: Flags, limit: int) -> list[Candidate]:
    preferred = lru_cache(maxsize=None)(_preferences(publication.documents, scope))
    parts = _parts(publication, asked, scope, documents, preferred)
    rankings = [
        _ranking("bm25", parts, lambda part: part.words),
        *_dense(publication, asked, parts),
        *_tables(publication, asked, parts, bool(scope.found)),
    ]
    fused = fuse(rankings)
    rows = np.array([row for row, _ in fused], dtype=np.int64)
    owners = publication.owners(rows)
    factors = {int(owner): preferred(int(owner)) for owner in np.unique(owners)}
    values = np.array([value for _, value in fused]) * np.array([factors[int(owner)] for owner in owners])
    order = np.lexsort((rows, -values))[:limit]
    places = [(ranking.name, {key: place for place, key in enumerate(ranking.keys, 1)}) for ranking in rankings]
    return [Candidate(int(rows[i]), float(values[i]), _why(int(rows[i]), places)) for i in order]


def _why(row: int, places: Sequence[tuple[str, Mapping[int, int]]]) -> dict[str, object]:
    return {"ranks": {name: where[row] for name, where in places if row in where}}


def _parts(publication: Publication, asked: Asked, scope: Scope, documents: Flags, preferred: Callable[[int], float]) -> list[_Part]:
    scored = []
    for index, flags in enumerate(publication.split(documents)):
        if flags.any():
            segment = publication.segments[index]
            selection = segment.select(flags, scope.filters)
            scored.append((index, flags, selection, score(segment.postings, asked.terms, publication.stats, selection)))
    top = max((float(words.max(initial=0)) for *_, words in scored), default=0) or 1.0
    return [_part(publication, index, flags, selection, words, top, preferred) for index, flags, selection, words in scored]


def _part(
    publication: Publication, index: int, flags: Flags, selection: Selection, words: Scores, top: float, preferred: Callable[[int], float]
) -> _Part:
    segment, first = publication.segments[index], int(publication.first_document[index])
    prior = words / np.float32(top)
    for place in np.flatnonzero(flags):
        span = slice(int(segment.starts[place]), int(segment.starts[place + 1]))
        prior[span] += np.float32(PREFERENCE * preferred(first + int(place)))
    return _Part(segment, int(publication.base[index]), selection, words, prior)


def _ranking(name: str, parts: Sequence[_Part], of: Callable[[_Part], Scores], weight: float = 1.0, k: int = K) -> Ranking[int]:
    """Joins the segments' best rows by score; equal scores in row order."""
    found: list[tuple[float, int]] = []
    for part in parts:
        scores = of(part)
        found += [(-float(scores[row]), part.base + int(row)) for row in best(scores, DEPTH)]
    return Ranking(name, [row for _, row in sorted(found)[:DEPTH]], weight, k)


def _dense(publication: Publication, asked: Asked, parts: Sequence[_Part]) -> list[Ranking[int]]:
    question = publication.encoder.embed(asked.meaning) if parts else None
    if question is None:
        return []
    found: list[tuple[float, int]] = []
    for part in parts:
        if part.segment.vectors is not None:
            rows, cosines = part.segment.vectors.nearest(question, part.selection, DEPTH)
            found += [(-float(c), part.base + int(r)) for r, c in zip(rows, cosines, strict=True)]
    return [Ranking("dense", [row for _, row in sorted(found)[:DEPTH]])]


def _tables(publication: Publication, asked: Asked, parts: Sequence[_Part], company: bool) -> list[Ranking[int]]:
    """Orders of tables: one a line item, one a named statement, one by rows whose label stands in the question.

    None for a question for reasons that names no company: every filing has such tables.
    """
    if asked.narrative and not company:
        return []
    weight = PROSE_WEIGHT if asked.narrative else TABLE_WEIGHT
    orders: list[tuple[str, float, Callable[[_Part], Scores]]] = [
        *((f"item:{i.name}", weight / len(asked.items) ** 0.5, partial(_item, i)) for i in asked.items),
        *((f"statement:{s}", weight / len(asked.statements) ** 0.5, partial(_statement, s)) for s in asked.statements),
        ("label", LABEL_SHARE * weight, partial(_label, asked, publication.stats)),
    ]
    return [ranking for name, share, of in orders if (ranking := _ranking(name, parts, of, share, TABLE_K)).keys]


def _item(item: Measure, part: _Part) -> Scores:
    return item_scores(part.segment, item, part.selection, part.prior)


def _statement(statement: str, part: _Part) -> Scores:
    return statement_scores(part.segment, statement, part.selection, part.prior)


def _label(asked: Asked, stats: Statistics, part: _Part) -> Scores:
    return label_scores(part.segment, asked, stats, part.selection, part.prior)


def _preferences(documents: Sequence[Document], scope: Scope) -> Callable[[int], float]:
    """A factor a document: the latest of the years asked for (it prints the others too), annual reports before interim ones."""
    years = scope.periods.years
    newest = max((documents[int(i)].latest for i in np.flatnonzero(scope.flags)), default="")[:4]

    def factor(place: int) -> float:
        document = documents[place]
        value = 1.0
        if years and document.fiscal_year and document.fiscal_year != max(years):
            value *= OLDER
        elif not years and newest and document.latest[:4] < newest:
            value *= OLDER if scope.periods.latest else (1 + OLDER) / 2
        if years and not scope.periods.quarters and document.fiscal_period in ("Q1", "Q2", "Q3"):
            value *= INTERIM
        return value

    return factor
