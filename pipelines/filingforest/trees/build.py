"""The stage `trees` of one document: both trees of each of its Items, and the counts of lexicon terms in each.

The unit of work is an Item. Its content key covers everything that its trees are made from; an Item whose key stands in an earlier
output of the same document is taken over from there, so that nothing is written or embedded twice.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from filingforest.bundle import Bundle
from filingforest.config import TreesSettings
from filingforest.errors import FilingForestError
from filingforest.flam.count import TermCounter
from filingforest.models.base import Embedder
from filingforest.schema import TABLES, conform
from filingforest.trees.chunks import UNIT_KINDS
from filingforest.trees.cluster import ClusterSettings
from filingforest.trees.generator import Generator
from filingforest.trees.grow import TreeNode, grow, tree_rows
from filingforest.trees.leaves import ItemLeaves, items_of

TREES_VERSION = "3"
TREE_TABLES = ("tree_items", "tree_nodes", "tree_vectors")
Tables = dict[str, pa.Table]
Known = Mapping[str, Tables]  # content key -> the tree tables of that Item


@dataclass(frozen=True)
class TreeBuilder:
    """What all documents of a run share."""

    settings: TreesSettings
    generator: Generator
    embedder: Embedder
    terms: TermCounter

    def build(self, doc_id: str, nodes: pa.Table, chunks: pa.Table, embeddings: pa.Table, known: Known | None = None) -> Tables:
        """The bundle's tables. `known` as `known_items` gives it. Errors: those of generator and embedder; PublicationError."""
        made = [self._item(doc_id, item, known or {}) for item in items_of(doc_id, nodes, chunks, embeddings)]
        tables = {name: _joined(name, [item[name] for item in made]) for name in TREE_TABLES}
        return {**tables, "flam_counts": count_terms(doc_id, nodes, self.terms)}

    def content_key(self, item: ItemLeaves) -> str:
        """Of all that decides an Item's trees: version, settings, generator, encoder, chunks."""
        info = self.embedder.info
        parts = [TREES_VERSION, shape_settings(self.settings), self.generator.name, info.model, info.revision, item.item_key, item.content]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]

    def _item(self, doc_id: str, item: ItemLeaves, known: Known) -> Tables:
        key = self.content_key(item)
        if key in known:
            return known[key]
        try:
            nodes = grow(item.leaves, self.generator, self.embedder, self._cluster(), self.settings.leaf_questions)
        except FilingForestError as error:
            error.document = error.document or f"{doc_id} {item.item_key}"
            raise
        return _tables(doc_id, item, key, nodes, self.embedder.info.dimension)

    def _cluster(self) -> ClusterSettings:
        names = ClusterSettings.__dataclass_fields__
        return ClusterSettings(**{name: value for name, value in asdict(self.settings).items() if name in names})


def shape_settings(settings: TreesSettings) -> dict[str, Any]:
    """The settings that shape a tree; the generator names itself."""
    return {name: value for name, value in asdict(settings).items() if name not in ("enabled", "generator")}


def known_items(bundles: Iterable[Bundle]) -> dict[str, Tables]:
    """Items of earlier outputs by content key."""
    found: dict[str, Tables] = {}
    for bundle in bundles:
        tables = {name: bundle.table(name) for name in TREE_TABLES}
        for key, item_key in zip(*(tables["tree_items"][name].to_pylist() for name in ("content_key", "item_key")), strict=True):
            found[key] = {name: table.filter(pa.compute.equal(table["item_key"], item_key)) for name, table in tables.items()}
    return found


def count_terms(doc_id: str, nodes: pa.Table, terms: TermCounter) -> pa.Table:
    """The `flam_counts` rows of one document: occurrences by Item and term, sorted by both; each unit counts once."""
    texts: dict[str, list[str]] = {}
    for row in nodes.select(["kind", "unit_key", "item_key", "text"]).to_pylist():
        if row["kind"] in UNIT_KINDS and row["unit_key"]:
            texts.setdefault(row["item_key"] or "", []).append(row["text"] or "")
    rows = [
        {"doc_id": doc_id, "item_key": item_key, "term": term, "count": count}
        for item_key in sorted(texts)
        for term, count in sorted(terms.count(texts[item_key]).items())
    ]
    return pa.Table.from_pylist(rows, schema=TABLES["flam_counts"])


def _tables(doc_id: str, item: ItemLeaves, key: str, nodes: Sequence[TreeNode], dimension: int) -> Tables:
    about = {
        "doc_id": doc_id,
        "item_key": item.item_key,
        "content_key": key,
        "leaves": len(item.leaves),
        "nodes": len(nodes),
        "levels": nodes[-1].level + 1,
        "tokens": item.tokens,
    }
    return {
        "tree_items": pa.Table.from_pylist([about], schema=TABLES["tree_items"]),
        "tree_nodes": pa.Table.from_pylist(tree_rows(doc_id, item.item_key, nodes), schema=TABLES["tree_nodes"]),
        "tree_vectors": _vectors(doc_id, item.item_key, nodes, dimension),
    }


def _vectors(doc_id: str, item_key: str, nodes: Sequence[TreeNode], dimension: int) -> pa.Table:
    """One row a chunk or summary, followed by one a question; in half precision, which is what is published."""
    roles = [(node, role, i) for node in nodes for role, count in (("", 1), ("question", len(node.questions))) for i in range(count)]
    matrix = np.stack([node.question_vectors[i] if role else node.vector for node, role, i in roles])
    columns = {
        "doc_id": [doc_id] * len(roles),
        "item_key": [item_key] * len(roles),
        "tree_node_id": [node.node_id(doc_id, item_key) for node, _, _ in roles],
        "role": [role or ("summary" if node.level else "chunk") for node, role, _ in roles],
        "ordinal": [i for _, _, i in roles],
    }
    half = matrix.astype(np.float16).astype(np.float32)
    return conform("tree_vectors", pa.table({**columns, "vector": pa.FixedSizeListArray.from_arrays(half.ravel(), dimension)}))


def _joined(name: str, tables: Sequence[pa.Table]) -> pa.Table:
    return pa.concat_tables(tables).combine_chunks() if tables else TABLES[name].empty_table()
