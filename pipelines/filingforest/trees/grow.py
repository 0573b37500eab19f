"""Grows the summary tree and the question tree of one Item: same leaves, same topology (FinGEAR, arXiv 2509.12042, section 3.2).

Level by level: cluster the level's vectors softly, write a summary and sub-questions for every parent, embed the summaries,
until one root is left. One to five chunks share one root. Sorted input and stored responsibilities make it repeatable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from filingforest.models.base import Embedder, Vectors
from filingforest.trees.cluster import ClusterSettings, soft_clusters
from filingforest.trees.generator import Generator, Passage, Written
from filingforest.trees.leaves import Leaf
from filingforest.trees.reduce import Matrix

TREES = ("summary", "question")


@dataclass(slots=True)
class TreeNode:
    """A node of both trees. `parents` holds (index in the next level, responsibility); a leaf has nothing written, or questions alone.

    `vector` is the summary's, a leaf's its chunk's; `question_vectors` (questions, dimension) are the query encoder's.
    """

    level: int
    place: int
    chunk_ids: list[str]
    passage: Passage
    vector: Vectors
    written: Written | None = None
    parents: list[tuple[int, float]] = field(default_factory=list)
    question_vectors: Vectors = field(default_factory=lambda: np.zeros((0, 0), np.float32))

    @property
    def questions(self) -> tuple[str, ...]:
        return self.written.questions if self.written else ()

    def node_id(self, doc_id: str, item_key: str) -> str:
        return f"{doc_id}~{item_key}~L{self.level}.{self.place:04d}"


def grow(
    leaves: Sequence[Leaf],
    generator: Generator,
    embedder: Embedder,
    settings: ClusterSettings | None = None,
    leaf_questions: bool = False,
) -> list[TreeNode]:
    """All nodes, leaves first, then level by level up to the root. Leaves are sorted by chunk_id first. No leaves, no nodes."""
    ordered = sorted(leaves, key=lambda leaf: leaf.chunk_id)
    level = [TreeNode(0, i, [leaf.chunk_id], leaf.passage, leaf.vector) for i, leaf in enumerate(ordered)]
    if leaf_questions:
        _ask_leaves(level, generator)
    nodes = list(level)
    while level and (len(level) > 1 or level[0].level == 0):
        responsibilities = soft_clusters(np.stack([node.vector for node in level]), settings)
        level = _parents(level, responsibilities, generator, embedder)
        nodes += level
    _embed_questions(nodes, embedder)
    return nodes


def _ask_leaves(leaves: Sequence[TreeNode], generator: Generator) -> None:
    """Sub-questions on leaves, which the paper does not have; their text is the chunk's own."""
    for leaf, written in zip(leaves, generator.write_level([[leaf.passage] for leaf in leaves]), strict=True):
        leaf.written = Written("", written.questions, written.generator)


def _parents(children: Sequence[TreeNode], responsibilities: Matrix, generator: Generator, embedder: Embedder) -> list[TreeNode]:
    """The next level; also tells each child its parents."""
    members = [np.flatnonzero(column) for column in responsibilities.T]
    for child, row in zip(children, responsibilities, strict=True):
        child.parents = [(int(p), float(row[p])) for p in np.flatnonzero(row)]
    below = [[children[int(i)] for i in indices] for indices in members]
    written = generator.write_level([[c.passage for c in group] for group in below])
    vectors = embedder.embed([w.summary for w in written], "passage")
    level = children[0].level + 1
    return [_parent(level, i, group, written[i], vectors[i]) for i, group in enumerate(below)]


def _parent(level: int, place: int, group: Sequence[TreeNode], written: Written, vector: Vectors) -> TreeNode:
    passages = [c.passage for c in group]
    document = next((p.document for p in passages), "")
    names = Passage(written.summary, _union(p.headings for p in passages), _union(p.labels for p in passages), document)
    chunks = list(dict.fromkeys(chunk for c in group for chunk in c.chunk_ids))
    return TreeNode(level, place, chunks, names, vector, written)


def _embed_questions(nodes: Sequence[TreeNode], embedder: Embedder) -> None:
    """All sub-questions of the Item at once, each distinct one once."""
    texts = sorted({question for node in nodes for question in node.questions})
    vectors = embedder.embed(texts, "question")
    place = {text: i for i, text in enumerate(texts)}
    for node in nodes:
        node.question_vectors = vectors[[place[q] for q in node.questions]]


def _union(groups: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for group in groups for name in group))


def tree_rows(doc_id: str, item_key: str, nodes: Sequence[TreeNode]) -> list[dict[str, Any]]:
    """The `tree_nodes` rows of both trees. Leaves carry their chunk alone; their parents are shared by both trees."""
    by_level: dict[int, list[TreeNode]] = {}
    for node in nodes:
        by_level.setdefault(node.level, []).append(node)
    return [_row(tree, doc_id, item_key, node, by_level.get(node.level + 1, [])) for tree in TREES for node in nodes]


def _row(tree: str, doc_id: str, item_key: str, node: TreeNode, above: Sequence[TreeNode]) -> dict[str, Any]:
    written = node.written
    return {
        "tree": tree,
        "tree_node_id": node.node_id(doc_id, item_key),
        "doc_id": doc_id,
        "item_key": item_key,
        "level": node.level,
        "parent_ids": [above[p].node_id(doc_id, item_key) for p, _ in node.parents],
        "parent_weights": [weight for _, weight in node.parents],
        "chunk_ids": node.chunk_ids,
        "summary": written.summary if written and node.level and tree == "summary" else None,
        "questions": list(written.questions) if written and tree == "question" else [],
        "generator": written.generator if written else None,
    }
