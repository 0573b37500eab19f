"""The soft arm: trees and FLAM as signals beside words and meaning, where the hard arms let them decide alone.

A chunk's order is the rank fusion of its own score plus a share of its best parent's in either tree; every unit of the chunk gains by
the chunk's place. An Item's weight moves its units a little. Nothing that the hybrid ranking found is lost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from filingforest.query.arms.forest import Forest, Grown
from filingforest.query.arms.guide import Guide
from filingforest.query.arms.nodes import Floats
from filingforest.query.fuse import K, Ranking, fuse
from filingforest.query.publication import Publication
from filingforest.query.rank import Candidate, by_score

PARENT = 0.3  # of the best parent's score in a leaf's
TREE_WEIGHT, FLAM_WEIGHT = 0.4, 0.15  # beside words and meaning, which count 1 each
DEPTH = 50  # chunks that gain
MOST = 600  # units that are passed on, or as many as came in
Leaf = tuple[int, int]


def softened(publication: Publication, candidates: Sequence[Candidate], forest: Forest, guide: Guide, trees: str) -> list[Candidate]:
    """The hybrid candidates and the units of the best chunks, best first by the sum of all signals."""
    places = leaf_places(forest, trees)
    gains: dict[int, tuple[float, int, int]] = {}  # row -> gain, place of the tree, chunk
    top = max(guide.weights.values(), default=0.0)
    for number, grown in enumerate(forest.grown):
        flam = FLAM_WEIGHT * guide.weights.get(grown.tree.item_key, 0.0) / top / K if top else 0.0
        for leaf in grown.tree.leaves.tolist():
            place = places.get((number, leaf))
            gain = flam + (TREE_WEIGHT / (K + place) if place else 0.0)
            for row in grown.units(leaf) if gain else ():
                if gain > gains.get(row, (0.0,))[0]:
                    gains[row] = gain, number, leaf
    known = {c.row: c for c in candidates}
    rows = [*known, *(row for row, (_, number, leaf) in gains.items() if row not in known and (number, leaf) in places)]
    scored = [replace(known.get(row) or Candidate(row, 0.0), score=_score(known, gains, row)) for row in rows]
    best = by_score(publication, scored)[: max(MOST, len(candidates))]
    return [_told(candidate, gains.get(candidate.row), forest, places, guide) for candidate in best]


def _score(known: Mapping[int, Candidate], gains: Mapping[int, tuple[float, int, int]], row: int) -> float:
    return (known[row].score if row in known else 0.0) + (gains[row][0] if row in gains else 0.0)


def _told(
    candidate: Candidate, gained: tuple[float, int, int] | None, forest: Forest, places: Mapping[Leaf, int], guide: Guide
) -> Candidate:
    """With what the unit gained by, which costs more to say than to add: only for those that may be shown."""
    if gained is None:
        return candidate
    _, number, leaf = gained
    return replace(candidate, why={**candidate.why, **_why(forest.grown[number], leaf, places.get((number, leaf)), guide)})


def leaf_places(forest: Forest, trees: str) -> dict[Leaf, int]:
    """Places, from 1, of the best DEPTH chunks of all trees; a chunk is (place of its tree, node)."""
    wanted = {"summary": trees in ("both", "summary"), "question": trees in ("both", "question")}
    rankings = [Ranking(name, _order(forest, name), 1.0) for name, on in wanted.items() if on]
    return {leaf: place for place, (leaf, _) in enumerate(fuse(rankings)[:DEPTH], 1)}


def _order(forest: Forest, name: str) -> list[Leaf]:
    scored: list[tuple[float, int, int]] = []
    for number, grown in enumerate(forest.grown):
        values = _with_parents(grown, grown.scores.summary if name == "summary" else grown.scores.question)
        scored += [(-float(values[leaf]), number, leaf) for leaf in grown.tree.leaves.tolist()]
    return [(number, leaf) for value, number, leaf in sorted(scored) if value < 0]


def _with_parents(grown: Grown, scores: Floats) -> Floats:
    best = np.zeros(len(scores))
    for node in np.flatnonzero(grown.tree.levels > 0).tolist():
        children = grown.tree.children(node)
        best[children] = np.maximum(best[children], scores[node])
    return scores + PARENT * best


def _why(grown: Grown, leaf: int, place: int | None, guide: Guide) -> dict[str, Any]:
    scores = {"summary": round(float(grown.scores.summary[leaf]), 4), "question": round(float(grown.scores.question[leaf]), 4)}
    tree = {"document": grown.document, "item_key": grown.tree.item_key, "leaf": leaf, "place": place, "scores": scores}
    return {"tree": tree, "flam": guide.why(grown.tree.item_key, None)}
