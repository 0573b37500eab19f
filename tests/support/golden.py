"""What the stages make of the sample filings, as hashes: `python -m tests.support.golden` writes them down after a version was bumped."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pyarrow as pa

from filingforest.config import TreesSettings
from filingforest.flam.count import TermCounter
from filingforest.flam.lexicon import load_lexicon
from filingforest.models.passages import EMBEDDINGS_VERSION, embed_units, text_sha, unit_passages
from filingforest.parse import PARSER_VERSION, parse_document
from filingforest.parse.model import DocumentHint
from filingforest.parse.to_tables import parsed_tables
from filingforest.trees.build import TREES_VERSION, TreeBuilder
from filingforest.trees.chunks import CHUNKS_VERSION, build_chunks
from filingforest.trees.extractive import Extractive
from tests.support.tiny_index import TinyEmbedder

SAMPLES = Path(__file__).parents[2] / "samples" / "Archives"
FILE = Path(__file__).parents[1] / "golden.json"
VERSIONS = {"parsed": PARSER_VERSION, "chunks": CHUNKS_VERSION, "embeddings": EMBEDDINGS_VERSION, "trees": TREES_VERSION}


def outputs() -> dict[str, Any]:
    """Stage -> its version, and a hash for each sample. Of vectors only the texts are compared: last digits differ between machines."""
    terms = TermCounter(load_lexicon())
    builder = TreeBuilder(TreesSettings(), Extractive(terms), TinyEmbedder(), terms)
    made: dict[str, dict[str, str]] = {stage: {} for stage in VERSIONS}
    for path in sorted([*SAMPLES.rglob("*.htm"), *SAMPLES.rglob("*.txt")]):
        doc_id = f"folder:{path.stem}"
        tables = parsed_tables(parse_document(path.read_bytes(), DocumentHint(doc_id, name=path.name)), "0" * 16)
        tables["documents"] = tables["documents"].drop_columns(["parser_version"])
        made["parsed"][path.name] = _hash({name: tables[name].to_pylist() for name in tables})
        chunks = build_chunks(doc_id, tables["nodes"])
        made["chunks"][path.name] = _hash(chunks.to_pylist())
        made["embeddings"][path.name] = _hash({key: text_sha(text) for key, text in unit_passages(tables["nodes"]).items()})
        made["trees"][path.name] = _hash(_small_trees(builder, doc_id, tables["nodes"], chunks))
    return {stage: {"version": VERSIONS[stage], "outputs": found} for stage, found in made.items()}


def _small_trees(builder: TreeBuilder, doc_id: str, nodes: pa.Table, chunks: pa.Table) -> dict[str, Any]:
    """Trees and counts without vectors, of Items that need no clustering: its last digits differ between machines too."""
    made = builder.build(doc_id, nodes, chunks, embed_units(nodes, builder.embedder))
    small = {row["item_key"] for row in made["tree_items"].to_pylist() if row["leaves"] <= builder.settings.direct}
    trees = [row for row in made["tree_nodes"].to_pylist() if row["item_key"] in small]
    return {"tree_nodes": trees, "flam_counts": made["flam_counts"].to_pylist()}


def _hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str, ensure_ascii=False).encode()).hexdigest()[:16]


if __name__ == "__main__":
    FILE.write_text(json.dumps({"pyarrow": pa.__version__, **outputs()}, indent=1) + "\n")
    print(f"wrote {FILE}")
