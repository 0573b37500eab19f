"""What a tree is grown from: the chunks of one Item with their vectors, names and a key over all of it.

A chunk's vector is the normalised token-weighted mean of its units' vectors: no encoder reads 2,000 tokens, so nothing is embedded
again and nothing is cut off.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from filingforest.errors import PublicationError
from filingforest.models.base import Vectors, weighted_mean
from filingforest.models.passages import text_sha, unit_passages, vectors_of
from filingforest.trees.chunks import UNIT_KINDS
from filingforest.trees.generator import Passage

MOST_NAMES = 40  # headings and row labels kept of a chunk: enough to choose from, and a giant table does not swell its ancestors


@dataclass(frozen=True, slots=True)
class Leaf:
    """A chunk with its vector (float32, normalised) and the names in it."""

    chunk_id: str
    passage: Passage
    vector: Vectors


@dataclass(frozen=True, slots=True)
class ItemLeaves:
    """One Item's chunks in reading order. `content` hashes texts, units and the texts that were embedded; `tokens` counts units once."""

    item_key: str
    leaves: tuple[Leaf, ...]
    content: str
    tokens: int


@dataclass(frozen=True, slots=True)
class _Unit:
    item_key: str
    headings: tuple[str, ...]
    labels: tuple[str, ...]
    tokens: int
    sha: str
    place: int


def items_of(doc_id: str, nodes: pa.Table, chunks: pa.Table, embeddings: pa.Table) -> Iterator[ItemLeaves]:
    """The Items of one document in the order of its chunks; what stands outside any Item is the Item ''.

    Errors: PublicationError where a unit has no vector.
    """
    units, vectors = _units(doc_id, nodes, embeddings), vectors_of(embeddings)
    tokens: dict[str, int] = {}
    for unit in units.values():
        tokens[unit.item_key] = tokens.get(unit.item_key, 0) + unit.tokens
    rows: dict[str, list[dict[str, Any]]] = {}
    for row in chunks.to_pylist():
        rows.setdefault(row["item_key"] or "", []).append(row)
    for item_key, mine in rows.items():
        yield _item(item_key, mine, units, vectors, tokens.get(item_key, 0))


def _item(item_key: str, rows: Sequence[Mapping[str, Any]], units: Mapping[str, _Unit], vectors: Vectors, tokens: int) -> ItemLeaves:
    below = [[units[key] for key in row["unit_keys"]] for row in rows]
    places = [unit.place for group in below for unit in group]
    weights = [max(1, unit.tokens) for group in below for unit in group]
    owners = [i for i, group in enumerate(below) for _ in group]
    means = weighted_mean(vectors[np.array(places, dtype=np.int64)], weights, owners, len(rows))
    leaves = tuple(Leaf(row["chunk_id"], _passage(row, below[i]), means[i]) for i, row in enumerate(rows))
    parts = [[row["chunk_id"], row["text"], [[u.sha, u.tokens] for u in group]] for row, group in zip(rows, below, strict=True)]
    content = hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()[:32]
    return ItemLeaves(item_key, leaves, content, tokens)


def _passage(row: Mapping[str, Any], units: Sequence[_Unit]) -> Passage:
    headings = dict.fromkeys(heading for unit in units for heading in unit.headings)
    labels = dict.fromkeys(label for unit in units for label in unit.labels)
    return Passage(row["text"], tuple(headings)[:MOST_NAMES], tuple(labels)[:MOST_NAMES], row["doc_id"])


def _units(doc_id: str, nodes: pa.Table, embeddings: pa.Table) -> dict[str, _Unit]:
    place = {sha: i for i, sha in enumerate(embeddings["text_sha"].to_pylist())}
    shas = {key: text_sha(passage) for key, passage in unit_passages(nodes).items()}
    missing = sum(sha not in place for sha in shas.values())
    if missing:
        raise PublicationError(f"{missing} units without a vector", document=doc_id, stage="trees", remedy="run its embedding stage again")
    columns = nodes.select(["kind", "unit_key", "item_key", "heading_path", "table", "token_count"]).to_pylist()
    return {
        row["unit_key"]: _Unit(
            row["item_key"] or "",
            tuple((row["heading_path"] or ())[1:] or row["heading_path"] or ()),  # the Item's own heading stands over all of its chunks
            tuple(_labels(row["table"])),
            row["token_count"] or 0,
            shas[row["unit_key"]],
            place[shas[row["unit_key"]]],
        )
        for row in columns
        if row["kind"] in UNIT_KINDS and row["unit_key"]
    }


def _labels(table: str | None) -> Iterator[str]:
    """Labels of the rows that hold values."""
    for row in json.loads(table).get("rows") or () if table else ():
        if row.get("label") and any(row.get("values") or row.get("text") or ()):
            yield row["label"]
