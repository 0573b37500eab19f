"""What is known of a candidate beside its rank: how a question's words, line items, years and meaning meet the unit, as numbers.

Everything is read from a segment's postings, vectors, codes and lines (see `lines.py`); no text is read, and no model is needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from filingforest.lines import short_hash
from filingforest.query.bm25 import B, Postings
from filingforest.query.intent import Asked
from filingforest.query.publication import Publication
from filingforest.query.rank import TABLE_K, Candidate
from filingforest.query.scope import Scope
from filingforest.query.segment import Segment
from filingforest.terms import term_hash

NAMES = (
    "fused", "dense_place", "words_place", "cosine", "words", "cover", "cover_head", "best_line", "best_label", "line_with_number",
    "item", "items", "label", "statement", "table_for_number", "table_for_reasons", "primary_statement", "year", "length",
    "fused_known",
)  # fmt: skip
Matrix = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _Words:
    """The question's own words with their idf; `short` as lines hold them."""

    hashes: npt.NDArray[np.uint64]
    short: npt.NDArray[np.uint32]
    idf: npt.NDArray[np.float64]


def features(publication: Publication, asked: Asked, scope: Scope, candidates: Sequence[Candidate]) -> Matrix:
    """float32 (candidates, len(NAMES)). Every column lies between about 0 and 1."""
    out = np.zeros((len(candidates), len(NAMES)), dtype=np.float32)
    if not candidates:
        return out
    words = _own_words(publication, asked)
    top = max(c.score for c in candidates) or 1.0
    for place, candidate in enumerate(candidates):
        ranks: Mapping[str, int] = candidate.why.get("ranks", {})  # type: ignore[assignment]
        out[place, 0] = candidate.score / top
        out[place, 1], out[place, 2] = _near(ranks.get("dense")), _near(ranks.get("bm25"))
        out[place, 10:14] = _signals(ranks, asked)
    out[:, 19] = out[:, 0] * (out[:, 11].max() > 0)  # line items that are known have an order of their own, which deserves more trust
    rows = np.array([c.row for c in candidates], dtype=np.int64)
    question = publication.encoder.embed(asked.meaning)
    for base, segment in zip(publication.base, publication.segments, strict=False):
        mine = np.flatnonzero((rows >= base) & (rows < base + segment.units))
        if len(mine):
            _of_segment(out, mine, segment, rows[mine] - base, words, asked, scope, question)
    out[:, 4] /= out[:, 4].max() or 1.0
    return out


def _near(rank: int | None) -> float:
    return TABLE_K / (TABLE_K + rank) if rank else 0.0


def _signals(ranks: Mapping[str, int], asked: Asked) -> list[float]:
    items = [ranks[name] for name in ranks if name.startswith("item:")]
    statement = [ranks[name] for name in ranks if name.startswith("statement:")]
    share = len(items) / max(1, len(asked.items))
    return [_near(min(items, default=None)), share, _near(ranks.get("label")), _near(min(statement, default=None))]


def _own_words(publication: Publication, asked: Asked) -> _Words:
    names = [word for word, weight in asked.terms.items() if weight >= 1.0]
    hashes = np.array([term_hash(word) for word in names], dtype=np.uint64)
    return _Words(hashes, np.array([short_hash(word) for word in names], dtype=np.uint32), publication.stats.idf(hashes))


def _of_segment(
    out: Matrix,
    places: npt.NDArray[np.int64],
    segment: Segment,
    rows: npt.NDArray[np.int64],
    words: _Words,
    asked: Asked,
    scope: Scope,
    question: npt.NDArray[np.float32] | None,
) -> None:
    """Fills the columns that a segment's arrays give, for its own rows."""
    if question is not None and segment.vectors is not None:
        out[places, 3] = segment.vectors.cosines(question, rows)
    out[places, 7:10] = segment.lines(rows.tolist()).best(words.short, words.idf)
    body, head = _frequencies(segment.postings, words.hashes, rows)
    total = float(words.idf.sum()) or 1.0
    saturated = (body + head) / (body + head + (1 - B) + 1.0)
    out[places, 4] = saturated @ words.idf
    out[places, 5], out[places, 6] = ((body + head) > 0) @ words.idf / total, (head > 0) @ words.idf / total
    tables = segment.array("units.kind")[rows] == segment.code("kind", "table")
    out[places, 14], out[places, 15] = tables * (not asked.narrative), tables * asked.narrative
    out[places, 16] = (segment.statements[rows] > 0) * bool(asked.items)
    years = np.array([term_hash(str(year)) for year in scope.periods.years], dtype=np.uint64)
    if len(years):
        in_body, in_head = _frequencies(segment.postings, years, rows)
        out[places, 17] = ((in_body + in_head) > 0).mean(axis=1)
    out[places, 18] = np.minimum(1.0, np.log1p(segment.postings.lengths[rows]) / 8.0)


def _frequencies(
    postings: Postings, hashes: npt.NDArray[np.uint64], rows: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """(rows, terms) in the body and in the head."""
    body, head = np.zeros((len(rows), len(hashes))), np.zeros((len(rows), len(hashes)))
    for column, place in enumerate(postings.find(hashes)):
        if place < 0:
            continue
        start, end = int(postings.starts[place]), int(postings.starts[place + 1])
        where = start + np.searchsorted(postings.units[start:end], rows)
        inside = np.minimum(where, end - 1)
        held = (where < end) & (postings.units[inside] == rows)
        body[held, column], head[held, column] = postings.body[inside[held]], postings.head[inside[held]]
    return body, head
