"""The hard arms: FLAM's budgets choose Items, walks through both trees choose chunks, two rankings choose what is kept.

Walks pool the union of the leaves that they reach. The ranking of units is computed once, since its scores do not depend on the company
a unit is in: within each Item the best ceil(oversample * k_i) chunks stay (a chunk is worth its best unit), then all that stayed are
ordered together. What is returned are the best units of chosen chunks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from filingforest.config.retrieval import RetrievalSettings
from filingforest.query.arms.forest import Forest, Grown
from filingforest.query.arms.guide import Guide
from filingforest.query.arms.nodes import Floats
from filingforest.query.arms.walks import Paths, beam, joint, walk
from filingforest.query.publication import Publication
from filingforest.query.rank import Candidate, by_score

Order = Callable[[Sequence[Candidate]], list[Candidate]]
TREES = ("summary", "question")


@dataclass(frozen=True, slots=True)
class Chunk:
    """A leaf that was reached; `paths` by tree: nodes from the root, each with its score."""

    grown: Grown
    leaf: int
    paths: Mapping[str, list[list[float]]]


def reach(forest: Forest, budget: Mapping[str, int], chosen: RetrievalSettings) -> list[Chunk]:
    """The leaves that the arm's walks reach in Items with a share, each once, in order of the trees."""
    out: list[Chunk] = []
    for grown in forest.grown:
        if budget.get(grown.tree.item_key):
            paths = _paths(grown, chosen)
            leaves = sorted({leaf for found in paths.values() for leaf in found})
            out += [Chunk(grown, leaf, _scored(grown, leaf, paths)) for leaf in leaves]
    return out


def _paths(grown: Grown, chosen: RetrievalSettings) -> dict[str, Paths]:
    scores = dict(zip(TREES, (grown.scores.summary, grown.scores.question), strict=True))
    read = {name: values for name, values in scores.items() if chosen.trees in ("both", name)}
    if not read:  # no tree is read: every leaf is reached
        return {"none": {int(leaf): (int(leaf),) for leaf in grown.tree.leaves}}
    if chosen.arm == "joint":
        return {"joint": joint(grown.tree, list(read.values()), chosen.branches)}
    way = beam if chosen.arm == "beam" else walk
    return {name: way(grown.tree, values, chosen.branches) for name, values in read.items()}


def _scored(grown: Grown, leaf: int, paths: Mapping[str, Paths]) -> dict[str, list[list[float]]]:
    return {name: [_step(grown, name, node) for node in found[leaf]] for name, found in paths.items() if leaf in found}


def _step(grown: Grown, name: str, node: int) -> list[float]:
    values: list[Floats] = [grown.scores.question] if name == "question" else [grown.scores.summary]
    if name in ("joint", "none"):
        values.append(grown.scores.question)
    return [node, *(round(float(one[node]), 4) for one in values)]


def choose(
    publication: Publication,
    chunks: Sequence[Chunk],
    budget: Mapping[str, int],
    guide: Guide,
    oversample: float,
    candidates: Sequence[Candidate],
    order: Order,
) -> list[Candidate]:
    """Units of the pooled chunks, best first, after the Item's share and the global ranking. `candidates` have the units' fused scores."""
    hybrid = {c.row: c for c in candidates}
    homes: dict[int, list[Chunk]] = {}
    for chunk in chunks:
        for row in chunk.grown.units(chunk.leaf):
            homes.setdefault(row, []).append(chunk)
    ranked = order(by_score(publication, [hybrid.get(row) or Candidate(row, 0.0) for row in homes]))
    kept = _shares(ranked, homes, budget, oversample)
    out: list[Candidate] = []
    for candidate in ranked:
        home = next((chunk for chunk in homes[candidate.row] if id(chunk) in kept), None)
        if home is not None:
            item = home.grown.tree.item_key
            out.append(replace(candidate, why=_why(candidate, home, guide.why(item, budget.get(item)), kept[id(home)], len(out) + 1)))
    return out


def _shares(
    ranked: Sequence[Candidate], homes: Mapping[int, Sequence[Chunk]], budget: Mapping[str, int], oversample: float
) -> dict[int, int]:
    """Chunks that stay, by identity, with their place in their Item."""
    kept: dict[int, int] = {}
    taken: dict[str, int] = {}
    for candidate in ranked:
        for chunk in homes[candidate.row]:
            item = chunk.grown.tree.item_key
            if id(chunk) not in kept and taken.get(item, 0) < math.ceil(oversample * budget[item]):
                taken[item] = taken.get(item, 0) + 1
                kept[id(chunk)] = taken[item]
    return kept


def _why(candidate: Candidate, home: Chunk, flam: Mapping[str, Any], in_item: int, place: int) -> dict[str, object]:
    rerank = {**candidate.why.get("rerank", {}), "place_in_item": in_item, "place": place}  # type: ignore[dict-item]
    tree = {"document": home.grown.document, "item_key": home.grown.tree.item_key, "leaf": home.leaf, "paths": dict(home.paths)}
    return {**candidate.why, "flam": dict(flam), "tree": tree, "rerank": rerank}
