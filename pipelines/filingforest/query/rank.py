"""Ranks the units in scope: words, meaning and line items each give an order, rank fusion joins them, years and forms break near ties."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from filingforest.query.backend import Preference, Scored, Search, SearchBackend, TableSignal, Wanted
from filingforest.query.documents import Document, Documents
from filingforest.query.embedded import Embedded
from filingforest.query.filters import Flags
from filingforest.query.fuse import Ranking, fuse
from filingforest.query.intent import Asked
from filingforest.query.publication import Publication
from filingforest.query.scope import Scope

DEPTH = 200  # places that each signal may fill
TABLE_K = 10  # the first table with a line item is worth far more than the tenth
TABLE_WEIGHT, PROSE_WEIGHT = 0.3, 0.08  # of line-item signals, in questions for numbers and in questions for reasons
LABEL_SHARE = 0.5  # of that weight, for rows whose label stands in the question
OLDER, INTERIM = 0.9, 0.85  # factors on documents that are not the first choice
EMBEDDED = Embedded()


@dataclass(slots=True)
class Candidate:
    """A unit (row of the publication's row space) with its fused score and each signal's place for it."""

    row: int
    score: float
    why: dict[str, object] = field(default_factory=dict)


def rank(publication: Publication, asked: Asked, scope: Scope, limit: int, backend: SearchBackend = EMBEDDED) -> list[Candidate]:
    """The best `limit` units in scope. Several companies asked for take turns, so that none is crowded out."""
    groups = scope.groups or [scope.flags]
    preference = _preference(publication.documents, scope)
    ranked = [
        _rank_group(publication, backend.search(publication, wanted), wanted, bool(scope.found), limit)
        for wanted in (Wanted(asked, flags, scope.filters, preference) for flags in groups)
    ]
    turns = [group[i] for i in range(limit) for group in ranked if i < len(group)]
    return turns[:limit]


def _rank_group(publication: Publication, search: Search, wanted: Wanted, company: bool, limit: int) -> list[Candidate]:
    rankings = _text(publication, search, wanted)
    signals = _table_signals(wanted.asked, company)
    for signal, scored in zip(signals, search.tables(signals, DEPTH), strict=True):
        if scored:
            rankings.append(Ranking(signal.name, _rows(scored), signal.weight, TABLE_K))
    fused = fuse(rankings)
    rows = np.array([row for row, _ in fused], dtype=np.int64)
    owners = publication.owners(rows)
    values = np.array([value for _, value in fused]) * wanted.preference.factors(publication.documents)[owners]
    order = np.lexsort((publication.numbers(rows), -values))[:limit]
    places = [(ranking.name, {key: place for place, key in enumerate(ranking.keys, 1)}) for ranking in rankings]
    return [Candidate(int(rows[i]), float(values[i]), _why(int(rows[i]), places)) for i in order]


def by_score(publication: Publication, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Best first; equal scores in the publication's reading order, whatever segments the units lie in."""
    if not candidates:
        return []
    numbers = publication.numbers(np.array([c.row for c in candidates], dtype=np.int64))
    order = np.lexsort((numbers, -np.array([c.score for c in candidates])))
    return [candidates[int(place)] for place in order]


def _text(publication: Publication, search: Search, wanted: Wanted) -> list[Ranking[int]]:
    """Orders by words and by meaning; as one where the backend joins them itself."""
    question = publication.encoder.embed(wanted.asked.meaning) if wanted.documents.any() else None
    if (fused := search.fused(question, DEPTH)) is not None:
        return [Ranking("hybrid", _rows(fused), values=[value for _, value in fused])]
    rankings = [Ranking("bm25", _rows(search.words(DEPTH)))]
    if question is not None:
        rankings.append(Ranking("dense", _rows(search.dense(question, DEPTH))))
    return rankings


def _rows(scored: Scored) -> list[int]:
    return [row for row, _ in scored]


def _why(row: int, places: Sequence[tuple[str, Mapping[int, int]]]) -> dict[str, object]:
    return {"ranks": {name: where[row] for name, where in places if row in where}}


def _table_signals(asked: Asked, company: bool) -> list[TableSignal]:
    """Orders of tables: one a line item, one a named statement, one by rows whose label stands in the question.

    None for a question for reasons that names no company: every filing has such tables.
    """
    if asked.narrative and not company:
        return []
    weight = PROSE_WEIGHT if asked.narrative else TABLE_WEIGHT
    return [
        *(TableSignal(f"item:{i.name}", weight / len(asked.items) ** 0.5, item=i) for i in asked.items),
        *(TableSignal(f"statement:{s}", weight / len(asked.statements) ** 0.5, statement=s) for s in asked.statements),
        TableSignal("label", LABEL_SHARE * weight),
    ]


def _preference(documents: Sequence[Document], scope: Scope) -> Preference:
    """The latest of the years asked for (it prints the others too), annual reports before interim ones."""
    years = scope.periods.years
    if years:
        return Preference(year=max(years), older=OLDER, interim=1.0 if scope.periods.quarters else INTERIM)
    return Preference(newest=_newest(documents, scope.flags), older=OLDER if scope.periods.latest else (1 + OLDER) / 2)


def _newest(documents: Sequence[Document], flags: Flags) -> str:
    return str(max(Documents.of(documents).text("latest")[flags].tolist(), default=""))[:4]
