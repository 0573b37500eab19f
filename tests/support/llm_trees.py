"""Trees of ten Items of the sample filings over a server, in a process of its own that a test can kill:
`python -m tests.support.llm_trees FOLDER URL MODEL [DIRECT]` writes FOLDER/trees.json (nodes of the trees, the generator's report).

Chunks are small, so that an Item of an invented company has several and a model on a CPU is done in minutes.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from filingforest.config import Settings
from filingforest.flam.count import TermCounter
from filingforest.flam.lexicon import load_lexicon
from filingforest.models.llm.open import open_generator
from filingforest.models.llm.pool import in_order
from filingforest.models.passages import embed_units
from filingforest.parse import parse_document
from filingforest.parse.model import DocumentHint
from filingforest.parse.to_tables import parsed_tables
from filingforest.trees.build import TreeBuilder
from filingforest.trees.chunks import build_chunks
from tests.support.golden import SAMPLES
from tests.support.tiny_index import TinyEmbedder

ITEMS = 10
CHUNK_TOKENS, OVERLAP = 120, 10


def settings(folder: Path, url: str, model: str, direct: str = "5") -> Settings:
    """Short answers, and patience for a server that is started again. With a `direct` of 16 no Item is clustered, which takes seconds of imports."""
    llm = {
        "url": url,
        "model": model,
        "revision": "test",
        "cache": str(folder / "cache"),
        "max_in_flight": 8,
        "timeout_s": 600,
        "patience_s": 900,
    }
    short = {"max_tokens": 160, "max_tokens_limit": 640, "summary_chars": 200, "questions": 2, "retries": 8, "backoff_s": 0.2}
    return Settings.from_dict({"llm": {**llm, **short}, "trees": {"umap_from": 10_000, "direct": int(direct)}})


def filings() -> Iterator[tuple[str, pa.Table]]:
    """The sample 10-Ks as the parser reads them."""
    for path in sorted(SAMPLES.rglob("*.htm")):
        tables = parsed_tables(parse_document(path.read_bytes(), DocumentHint(f"folder:{path.stem}", name=path.name)), "0" * 16)
        if tables["documents"]["form_base"][0].as_py() == "10-K":
            yield f"folder:{path.stem}", tables["nodes"]


def items(embedder: TinyEmbedder) -> Iterator[tuple[str, pa.Table, pa.Table, pa.Table]]:
    """(doc_id, nodes, chunks of one Item, embeddings) of the first ten Items with two chunks or more."""
    left = ITEMS
    for doc_id, nodes in filings():
        if not left:
            return
        chunks, embeddings = build_chunks(doc_id, nodes, CHUNK_TOKENS, OVERLAP), embed_units(nodes, embedder)
        for item_key in dict.fromkeys(chunks["item_key"].to_pylist()):
            mine = chunks.filter(pa.compute.equal(chunks["item_key"], item_key))
            if item_key and len(mine) > 1 and left:
                left -= 1
                yield doc_id, nodes, mine, embeddings


def main(folder: str, url: str, model: str, direct: str = "5") -> dict[str, Any]:
    of = settings(Path(folder), url, model, direct)
    terms, embedder = TermCounter(load_lexicon()), TinyEmbedder()
    generator = open_generator(of, terms)
    builder = TreeBuilder(of.trees, generator, embedder, terms)

    def grown(item: tuple[str, pa.Table, pa.Table, pa.Table]) -> list[dict[str, Any]]:
        return builder.build(*item)["tree_nodes"].to_pylist()

    rows = [row for rows in in_order(grown, items(embedder), ITEMS) for row in rows]  # all Items at once: a level of one asks for little
    generator.close()
    done = {"nodes": rows, "report": generator.report()}
    (Path(folder) / "trees.json").write_text(json.dumps(done, ensure_ascii=False, indent=1), "utf-8")
    return done


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])["report"]), flush=True)
