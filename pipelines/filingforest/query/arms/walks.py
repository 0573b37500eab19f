"""Ways down a tree: the paper's (at every internal node its best children), a level-wide beam, and one joint walk through both trees.

A walk gives the leaves that it reached, each with the nodes that led to it, from the root.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from filingforest.query.arms.nodes import Floats
from filingforest.query.fuse import Ranking, fuse
from filingforest.query.trees import ItemTree

Paths = dict[int, tuple[int, ...]]
Choice = Callable[[npt.NDArray[np.int64]], Sequence[int]]


def walk(tree: ItemTree, scores: Floats, branches: int) -> Paths:
    """At every internal node reached down its `branches` best children. Equal scores: the first in order."""
    return _down(tree, lambda children: _best(children, scores, branches))


def joint(tree: ItemTree, scores: Sequence[Floats], branches: int) -> Paths:
    """As `walk`, the children ordered by rank fusion of several scores."""

    def choose(children: npt.NDArray[np.int64]) -> Sequence[int]:
        rankings = [Ranking(str(i), _best(children, one, len(children))) for i, one in enumerate(scores)]
        return [node for node, _ in fuse(rankings)[:branches]]

    return _down(tree, choose)


def beam(tree: ItemTree, scores: Floats, branches: int) -> Paths:
    """Level by level: of all children of the nodes kept, the `branches` best are kept."""
    frontier: Paths = {tree.root: (tree.root,)}
    reached: Paths = {}
    while frontier:
        below: Paths = {}
        for node, path in frontier.items():
            if tree.levels[node] == 0:
                reached.setdefault(node, path)
                continue
            for child in tree.children(node).tolist():
                below.setdefault(child, (*path, child))
        kept = _best(np.array(sorted(below), dtype=np.int64), scores, branches)
        frontier = {node: below[node] for node in kept}
    return reached


def _down(tree: ItemTree, choose: Choice) -> Paths:
    reached: Paths = {}
    open_nodes: Paths = {tree.root: (tree.root,)}
    seen = {tree.root}
    while open_nodes:
        node, path = next(iter(open_nodes.items()))
        del open_nodes[node]
        if tree.levels[node] == 0:
            reached[node] = path
            continue
        for child in choose(tree.children(node)):
            if child not in seen:
                seen.add(child)
                open_nodes[child] = (*path, child)
    return reached


def _best(nodes: npt.NDArray[np.int64], scores: Floats, limit: int) -> list[int]:
    order = np.lexsort((nodes, -scores[nodes]))[:limit]
    found: list[int] = nodes[order].tolist()
    return found
