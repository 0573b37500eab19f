"""What of a unit is given to the encoder, and one vector a distinct text: nothing is embedded twice.

Tables are asymmetric (HC-RAG, arXiv 2608.12335): offline the encoder reads a table's header, title, columns and row labels,
not its digits, which no small encoder can tell apart; the numbers are found by BM25 and by tagged facts.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from filingforest.models.base import Embedder, EmbedderInfo, Role, Vectors
from filingforest.schema import conform
from filingforest.trees.chunks import UNIT_KINDS

EMBEDDINGS_VERSION = "1"
ROLE: Role = "passage"


def passage_text(header: str | None, text: str, table: Mapping[str, Any] | None) -> str:
    """The text that is embedded for a unit: its contextual header, then its text, or a table's words."""
    body = table_words(table) if table else text
    return f"{header}\n{body}" if header else body


def table_words(table: Mapping[str, Any]) -> str:
    """Title, scale note, columns and row labels in reading order, each label once."""
    labels = dict.fromkeys(row.get("label") or "" for row in table.get("rows") or ())
    head = [table.get("title") or "", table.get("scale_note") or "", "; ".join(dict.fromkeys(c for c in table.get("columns") or () if c))]
    return "\n".join([*(h for h in head if h), "; ".join(label for label in labels if label)])


def text_sha(text: str) -> str:
    """Identity of an embedded text: sha256, first 32 hex digits."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def unit_passages(nodes: pa.Table) -> dict[str, str]:
    """unit_key -> the text that is embedded for it, in reading order."""
    columns = ["clause_id", "kind", "unit_key", "header", "text", "table"]
    rows = nodes.select(columns).sort_by("clause_id").to_pylist()
    return {row["unit_key"]: _passage(row) for row in rows if row["kind"] in UNIT_KINDS and row["unit_key"]}


def _passage(row: Mapping[str, Any]) -> str:
    return passage_text(row["header"], row["text"] or "", json.loads(row["table"]) if row["table"] else None)


def embed_units(nodes: pa.Table, embedder: Embedder, known: Mapping[str, Vectors] | None = None) -> pa.Table:
    """The `embeddings` rows of one document, sorted by text_sha. `known` holds vectors of the same space by text_sha: those are kept."""
    texts = {text_sha(passage): passage for passage in unit_passages(nodes).values()}
    vectors = dict(known or {})
    missing = sorted(sha for sha in texts if sha not in vectors)
    for sha, vector in zip(missing, embedder.embed([texts[sha] for sha in missing], ROLE), strict=True):
        vectors[sha] = vector
    return _table(sorted(texts), vectors, embedder.info)


def known_vectors(embeddings: pa.Table, info: EmbedderInfo) -> dict[str, Vectors]:
    """Vectors by text_sha from an earlier run's rows, where they are of the space that `info` names."""
    if embeddings.num_rows == 0 or getattr(embeddings["vector"].type, "list_size", 0) != info.dimension:
        return {}
    rows = embeddings.select(["text_sha", "model", "revision"]).to_pylist()
    vectors = vectors_of(embeddings)
    space = (info.model, info.revision)
    return {row["text_sha"]: vectors[i] for i, row in enumerate(rows) if (row["model"], row["revision"]) == space}


def vectors_of(embeddings: pa.Table) -> Vectors:
    """float32 (rows, dimension) of an `embeddings` table; (0, 0) where an empty one does not say its dimension."""
    column = embeddings["vector"].combine_chunks()
    flat = column.flatten().to_numpy(zero_copy_only=False)
    return np.asarray(flat, dtype=np.float32).reshape(len(column), -1 if len(column) else getattr(column.type, "list_size", 0))


def _table(shas: Sequence[str], vectors: Mapping[str, Vectors], info: EmbedderInfo) -> pa.Table:
    matrix = np.stack([vectors[s] for s in shas]) if shas else np.zeros((0, info.dimension), dtype=np.float32)
    constant = {"role": ROLE, "model": info.model, "revision": info.revision, "method": info.method}
    columns: dict[str, Any] = {"text_sha": pa.array(list(shas), pa.string())}
    columns |= {name: pa.array([value] * len(shas), pa.string()) for name, value in constant.items()}
    columns["vector"] = pa.FixedSizeListArray.from_arrays(pa.array(matrix.ravel(), pa.float32()), info.dimension)
    return conform("embeddings", pa.table(columns))
