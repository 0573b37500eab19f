"""What the stages make of the sample filings, as hashes: `python -m tests.support.golden` writes them down after a version was bumped."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pyarrow as pa

from filingforest.models.passages import EMBEDDINGS_VERSION, text_sha, unit_passages
from filingforest.parse import PARSER_VERSION, parse_document
from filingforest.parse.model import DocumentHint
from filingforest.parse.to_tables import parsed_tables
from filingforest.trees.chunks import CHUNKS_VERSION, build_chunks

SAMPLES = Path(__file__).parents[2] / "samples" / "Archives"
FILE = Path(__file__).parents[1] / "golden.json"
VERSIONS = {"parsed": PARSER_VERSION, "chunks": CHUNKS_VERSION, "embeddings": EMBEDDINGS_VERSION}


def outputs() -> dict[str, Any]:
    """Stage -> its version, and a hash for each sample. Of vectors only the texts are compared: last digits differ between machines."""
    made: dict[str, dict[str, str]] = {stage: {} for stage in VERSIONS}
    for path in sorted([*SAMPLES.rglob("*.htm"), *SAMPLES.rglob("*.txt")]):
        doc_id = f"folder:{path.stem}"
        tables = parsed_tables(parse_document(path.read_bytes(), DocumentHint(doc_id, name=path.name)), "0" * 16)
        tables["documents"] = tables["documents"].drop_columns(["parser_version"])
        made["parsed"][path.name] = _hash({name: tables[name].to_pylist() for name in tables})
        made["chunks"][path.name] = _hash(build_chunks(doc_id, tables["nodes"]).to_pylist())
        made["embeddings"][path.name] = _hash({key: text_sha(text) for key, text in unit_passages(tables["nodes"]).items()})
    return {stage: {"version": VERSIONS[stage], "outputs": found} for stage, found in made.items()}


def _hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str, ensure_ascii=False).encode()).hexdigest()[:16]


if __name__ == "__main__":
    FILE.write_text(json.dumps({"pyarrow": pa.__version__, **outputs()}, indent=1) + "\n")
    print(f"wrote {FILE}")
