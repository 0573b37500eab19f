"""What a publication says of finance terms: the lexicon with its clusters, for readers, and how often its terms stand in each Item.

`flam/{content}/` holds lexicon.json (spellings and clusters), flam_terms.parquet and flam_items.parquet, counted by the statements
of `sql/flam` over the term counts of all live documents. Sums are brought forward from the publication before (`flam_counts.py`), and
clusters are taken over from it, while lexicon, threshold and encoder are the same.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from filingforest.bundle import parquet_bytes
from filingforest.config import FlamSettings
from filingforest.flam.clusters import CLUSTERS_VERSION, cluster_terms, members
from filingforest.flam.lexicon import Lexicon, open_lexicon
from filingforest.manifest import Manifest, ModelEntry
from filingforest.models.base import Embedder
from filingforest.publish import filesets
from filingforest.publish.flam_counts import FILE, Night, counted
from filingforest.schema import conform
from filingforest.store import Store
from filingforest.tokens import TOKENIZER_VERSION

KIND = "flam"
LEXICON_FILE = "lexicon.json"
TABLE_NAMES = ("flam_terms", "flam_items")
FOLDER = Path(__file__).parents[1] / "sql" / "flam"


@dataclass(frozen=True)
class FlamPublisher:
    """The lexicon of one run, and how it is published."""

    settings: FlamSettings
    embedder: Embedder

    @cached_property
    def lexicon(self) -> Lexicon:
        return open_lexicon(self.settings)

    @cached_property
    def about(self) -> dict[str, Any]:
        """What decides the clusters."""
        space = {"model": self.embedder.info.model, "encoder_revision": self.embedder.info.revision}
        versions = {"version": CLUSTERS_VERSION, "tokenizer": TOKENIZER_VERSION}
        return {"revision": self.lexicon.revision, "threshold": self.settings.threshold, **space, **versions}

    def write(self, store: Store, night: Night, parent: Manifest | None) -> ModelEntry | None:
        """The files for these segments, found or made; None where no document has counts. Errors: StoreError, Corrupt."""
        known = parent.lexicon if parent is not None and parent.lexicon is not None and parent.lexicon.info == self.about else None
        return _written(store, night, known, lambda: self._lexicon_bytes(store, known), self.about)

    def _lexicon_bytes(self, store: Store, known: ModelEntry | None) -> bytes:
        """The parent's where it was made in the same way: clustering embeds every term."""
        for entry in known.files if known else ():
            if entry.path.endswith("/" + LEXICON_FILE) and filesets.is_whole(store, (entry,)):
                return filesets.content(store, entry)
        clusters = cluster_terms(self.lexicon, self.embedder, self.settings.threshold)
        found = {**self.about, "forms": dict(self.lexicon.forms), "clusters": members(clusters)}
        return (json.dumps(found, ensure_ascii=False, sort_keys=True, separators=(",", ":")) + "\n").encode()


def inherited(store: Store, night: Night, known: ModelEntry) -> ModelEntry | None:
    """The same lexicon over other documents, without an encoder. Errors: as `FlamPublisher.write`; NotFound, Corrupt."""
    entry = next(entry for entry in known.files if entry.path.endswith("/" + LEXICON_FILE))
    return _written(store, night, known, lambda: filesets.content(store, entry), known.info)


def _written(
    store: Store, night: Night, known: ModelEntry | None, lexicon_bytes: Callable[[], bytes], about: dict[str, Any]
) -> ModelEntry | None:
    files = [entry for segment in night.segments for entry in segment.entry.files]
    if not any(entry.rows for entry in files if entry.path.endswith("/" + FILE)):
        return None
    lexicon = lexicon_bytes()
    tables = corpus_tables(lexicon, counted(store, night, known))
    made = {LEXICON_FILE: lexicon, **{f"{name}.parquet": parquet_bytes(name, table) for name, table in tables.items()}}
    rows = {f"{name}.parquet": table.num_rows for name, table in tables.items()}
    inputs = hashlib.sha256(b"".join(hashlib.sha256(made[name]).digest() for name in sorted(made))).hexdigest()[:16]
    found = filesets.find(store, KIND, inputs) or filesets.write(store, KIND, inputs, made, rows, about)
    return ModelEntry(found.id, found.about, found.files)


def corpus_tables(lexicon: bytes, counts: pa.Table) -> dict[str, pa.Table]:
    """`flam_terms` and `flam_items` from parts of the sums over live documents (item_key, term, count)."""
    import duckdb  # here and not above: who looks at publications with the `query` extra has none

    clusters = json.loads(lexicon)["clusters"]
    numbered = [{"term": term, "cluster": number} for number, terms in enumerate(clusters) for term in terms]
    with duckdb.connect(":memory:", config={"threads": 1}) as db:
        db.register("counts", counts)
        db.register("clusters", pa.Table.from_pylist(numbered, schema=pa.schema([("term", pa.string()), ("cluster", pa.int32())])))
        return {name: conform(name, db.sql(statement(name)).to_arrow_table()) for name in TABLE_NAMES}


def statement(name: str) -> str:
    """The SQL of one of the tables."""
    return (FOLDER / f"{name}.sql").read_text(encoding="utf-8")
