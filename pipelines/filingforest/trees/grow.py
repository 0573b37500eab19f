"""Grows the summary tree and the question tree of one Item: same leaves, same topology (FinGEAR, arXiv 2509.12042, section 3.2).

Level by level: cluster the level's vectors softly, write a summary and sub-questions for every parent, embed the summaries,
until one root is left. One to five chunks share one root. Sorted input and stored responsibilities make it repeatable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from filingforest.models.base import Embedder, Vectors
from filingforest.trees.cluster import ClusterSettings, Matrix, soft_clusters
from filingforest.trees.extractive import Passage

TREES_VERSION = "1"
TREES = ("summary", "question")


class Generator(Protocol):
    """Writes for a node from what lies below it; `name` goes into `tree_nodes.generator`."""

    name: str

    def summary(self, passages: Sequence[Passage]) -> str: ...

    def sub_questions(self, passages: Sequence[Passage]) -> list[str]: ...


@dataclass(slots=True)
class Leaf:
    """A chunk with its vector (float32, normalised) and the names in it."""

    chunk_id: str
    passage: Passage
    vector: Vectors


@dataclass(slots=True)
class TreeNode:
    """A node of both trees. `parents` holds (index in the next level, responsibility)."""

    level: int
    place: int
    chunk_ids: list[str]
    passage: Passage
    vector: Vectors
    questions: list[str] = field(default_factory=list)
    parents: list[tuple[int, float]] = field(default_factory=list)

    def node_id(self, doc_id: str, item_key: str) -> str:
        return f"{doc_id}~{item_key}~L{self.level}.{self.place:04d}"


def grow(leaves: Sequence[Leaf], generator: Generator, embedder: Embedder, settings: ClusterSettings | None = None) -> list[TreeNode]:
    """All nodes, leaves first, then level by level up to the root. Leaves are sorted by chunk_id first. No leaves, no nodes."""
    ordered = sorted(leaves, key=lambda leaf: leaf.chunk_id)
    level = [TreeNode(0, i, [leaf.chunk_id], leaf.passage, leaf.vector) for i, leaf in enumerate(ordered)]
    nodes = list(level)
    while level and (len(level) > 1 or level[0].level == 0):
        responsibilities = soft_clusters(np.stack([node.vector for node in level]), settings)
        level = _parents(level, responsibilities, generator, embedder)
        nodes += level
    return nodes


def _parents(children: Sequence[TreeNode], responsibilities: Matrix, generator: Generator, embedder: Embedder) -> list[TreeNode]:
    """The next level; also tells each child its parents."""
    members = [np.flatnonzero(column) for column in responsibilities.T]
    for child, row in zip(children, responsibilities, strict=True):
        child.parents = [(int(p), float(row[p])) for p in np.flatnonzero(row)]
    below = [[children[int(i)] for i in indices] for indices in members]
    summaries = [generator.summary([c.passage for c in group]) for group in below]
    vectors = embedder.embed(summaries, "passage")
    return [_parent(children[0].level + 1, i, group, summaries[i], vectors[i], generator) for i, group in enumerate(below)]


def _parent(level: int, place: int, group: Sequence[TreeNode], summary: str, vector: Vectors, generator: Generator) -> TreeNode:
    passages = [c.passage for c in group]
    names = Passage(summary, _union(p.headings for p in passages), _union(p.labels for p in passages))
    chunks = list(dict.fromkeys(chunk for c in group for chunk in c.chunk_ids))
    return TreeNode(level, place, chunks, names, vector, generator.sub_questions(passages))


def _union(groups: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for group in groups for name in group))


def tree_rows(doc_id: str, item_key: str, nodes: Sequence[TreeNode], generator: str) -> list[dict[str, Any]]:
    """The `tree_nodes` rows of both trees. Leaves carry their chunk alone; their parents are shared by both trees."""
    by_level: dict[int, list[TreeNode]] = {}
    for node in nodes:
        by_level.setdefault(node.level, []).append(node)
    return [_row(tree, doc_id, item_key, node, by_level.get(node.level + 1, []), generator) for tree in TREES for node in nodes]


def _row(tree: str, doc_id: str, item_key: str, node: TreeNode, above: Sequence[TreeNode], generator: str) -> dict[str, Any]:
    inner = node.level > 0
    return {
        "tree": tree,
        "tree_node_id": node.node_id(doc_id, item_key),
        "doc_id": doc_id,
        "item_key": item_key,
        "level": node.level,
        "parent_ids": [above[p].node_id(doc_id, item_key) for p, _ in node.parents],
        "parent_weights": [weight for _, weight in node.parents],
        "chunk_ids": node.chunk_ids,
        "summary": node.passage.text if inner and tree == "summary" else None,
        "questions": node.questions if inner and tree == "question" else [],
        "generator": generator if inner else None,
    }
