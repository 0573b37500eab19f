"""Reads the trees of a segment: arrays only, memory-mapped; a document's trees are put together when a question walks them.

Nodes of a tree are numbered leaves first, then level by level; the root is the last. Both trees share nodes and edges: the summary
tree has its summaries' terms, the question tree its sub-questions' vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from filingforest.query.arrays import Array

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]
Slices = npt.NDArray[np.int64]
_KEPT = 4_096  # documents whose trees are kept ready


def _edges(counts: Array) -> Ints:
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])


@dataclass(frozen=True)
class ItemTree:
    """The two trees of one Item. Places in `_arrays` are absolute in the segment; everything that comes out is of this tree."""

    item_key: str
    tokens: int  # of the Item's units
    levels: npt.NDArray[np.uint8]  # of each node
    first_row: int  # in the table tree_nodes: the summary tree's rows, then the question tree's
    first_unit: int  # row of the document's first unit in the segment
    _child: tuple[Array, Array, Ints]  # children of all nodes, their responsibilities, where each node's start
    _unit: tuple[Array, Ints]
    _question: tuple[Array, Ints]
    _term: tuple[Array, Array, Ints]
    _vector: Array
    lengths: Array  # words of each node's summary; 0 for leaves

    def __len__(self) -> int:
        return len(self.levels)

    @property
    def root(self) -> int:
        return len(self.levels) - 1

    @cached_property
    def leaves(self) -> Ints:
        """Nodes that are chunks, in reading order."""
        return np.flatnonzero(self.levels == 0)

    def children(self, node: int) -> Ints:
        """Nodes below, in order; a node may be below several, since clustering is soft."""
        child, _, edges = self._child
        return child[edges[node] : edges[node + 1]].astype(np.int64)

    def weights(self, node: int) -> Floats:
        """How much each of `children(node)` belongs to the node: its responsibility in the mixture."""
        _, weight, edges = self._child
        return weight[edges[node] : edges[node + 1]]

    def units_of(self, leaf: int) -> Ints:
        """Rows of the segment's units that a chunk covers, in reading order; neighbouring chunks share a few."""
        unit, edges = self._unit
        return unit[edges[leaf] : edges[leaf + 1]].astype(np.int64) + self.first_unit

    def questions(self, node: int) -> Array:
        """float16 (questions, dimension): vectors of the node's sub-questions; none on leaves unless they were asked for."""
        vectors, edges = self._question
        return vectors[edges[node] : edges[node + 1]]

    def vector(self, node: int) -> Array:
        """float16 (dimension,): of the chunk or the summary."""
        vector: Array = self._vector[node]
        return vector

    @property
    def vectors(self) -> Array:
        """float16 (nodes, dimension)."""
        return self._vector

    @property
    def all_questions(self) -> tuple[Array, Ints]:
        """Vectors of all sub-questions, and where each node's start (one more than nodes): a whole tree is scored at once."""
        return self._question

    def summary_terms(self, node: int) -> tuple[Array, Array]:
        """Hashes (u64, ascending) and frequencies of the terms of a node's summary, as in postings."""
        hashes, frequency, edges = self._term
        span = slice(int(edges[node]), int(edges[node + 1]))
        return hashes[span], frequency[span]

    @property
    def all_terms(self) -> tuple[Array, Array, Ints]:
        """The same of all nodes, and where each node's start (one more than nodes)."""
        return self._term

    def summary_row(self, node: int) -> int:
        """Row of the segment's table `tree_nodes` that holds the node's summary."""
        return self.first_row + node

    def question_row(self, node: int) -> int:
        """Row of `tree_nodes` that holds its sub-questions."""
        return self.first_row + len(self) + node


class TreeIndex:
    """The trees of a segment's documents. `array` opens an array by name, `names` decodes codes, `units` has each document's first unit."""

    def __init__(self, array: Callable[[str], Array], names: Sequence[str], units: Array, dimension: int) -> None:
        self._array: Callable[[str], Array] = lru_cache(None)(array)
        self._names, self._units, self._dimension = names, units, dimension
        self.of: Callable[[int], Sequence[ItemTree]] = lru_cache(_KEPT)(self._of)
        """Trees of a document, by its place in the segment, in reading order of their Items."""

    @cached_property
    def _starts(self) -> dict[str, Array]:
        spaces = {"tree_nodes": "tree_rows"}
        names = ("trees", "tree_nodes", "tree_children", "tree_units", "tree_questions", "tree_terms")
        return {name: self._array(f"documents.{spaces.get(name, name)}") for name in names}

    def _vectors(self, space: str) -> Array:
        total = int(self._starts[space][-1])
        return self._array(f"{space}.vectors") if total else np.empty((0, self._dimension), np.float16)

    def _of(self, document: int) -> Sequence[ItemTree]:
        span = {name: slice(int(starts[document]), int(starts[document + 1])) for name, starts in self._starts.items()}

        def load(space: str, name: str) -> Array:
            return self._array(f"{space}.{name}")[span[space]]

        counts = {name: _edges(load("tree_nodes", name)) for name in ("children", "units", "questions", "terms")}
        parts: dict[str, Any] = {
            "child": (load("tree_children", "node"), load("tree_children", "weight"), counts["children"]),
            "unit": (load("tree_units", "unit"), counts["units"]),
            "question": (self._vectors("tree_questions")[span["tree_questions"]], counts["questions"]),
            "term": (load("tree_terms", "hash"), load("tree_terms", "frequency"), counts["terms"]),
        }
        levels, lengths, vectors = (
            load("tree_nodes", "level"),
            load("tree_nodes", "length"),
            self._vectors("tree_nodes")[span["tree_nodes"]],
        )
        edges = _edges(load("trees", "nodes"))
        first_row = 2 * span["tree_nodes"].start
        return [
            ItemTree(
                item_key=self._names[int(item)],
                tokens=int(tokens),
                levels=levels[a:b],
                first_row=first_row + 2 * int(a),
                first_unit=int(self._units[document]),
                lengths=lengths[a:b],
                _vector=vectors[a:b],
                **{f"_{name}": _cut(part, int(a), int(b)) for name, part in parts.items()},
            )
            for item, tokens, a, b in zip(load("trees", "item"), load("trees", "tokens"), edges[:-1], edges[1:], strict=True)
        ]


def _cut(part: tuple[Any, ...], first: int, last: int) -> tuple[Any, ...]:
    """Arrays and the starts of their rows by node, for the nodes [first, last)."""
    *arrays, edges = part
    mine = edges[first : last + 1]
    return (*(array[mine[0] : mine[-1]] for array in arrays), mine - mine[0])
