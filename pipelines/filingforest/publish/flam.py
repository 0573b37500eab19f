"""What a publication says of finance terms: the lexicon with its clusters, for readers, and how often its terms stand in each Item.

`flam/{content}/` holds lexicon.json (spellings and clusters), flam_terms.parquet and flam_items.parquet, counted by the statements
of `sql/flam` over the term counts of all segments less their masked documents. Counts are small (a few hundred rows a filing), so each
publication counts anew; clusters are taken over from the publication before while lexicon, threshold and encoder are the same.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from filingforest.bundle import parquet_bytes
from filingforest.config import FlamSettings
from filingforest.flam.clusters import CLUSTERS_VERSION, cluster_terms, members
from filingforest.flam.lexicon import Lexicon, open_lexicon
from filingforest.manifest import Manifest, ModelEntry, SegmentEntry
from filingforest.models.base import Embedder
from filingforest.publish import filesets
from filingforest.schema import TABLES, conform
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

    def write(self, store: Store, segments: Sequence[SegmentEntry], parent: Manifest | None, scratch: Path) -> ModelEntry | None:
        """The files for these segments, found or made; None where no document has counts. Errors: StoreError, Corrupt."""
        counted = [segment for segment in segments if _table_of(segment)]
        if not any(entry.rows for segment in counted for entry in segment.files if entry.path.endswith("/flam_counts.parquet")):
            return None
        lexicon = self._lexicon_bytes(store, parent)
        tables = corpus_tables(lexicon, [_counts(store, segment, scratch) for segment in counted])
        files = {LEXICON_FILE: lexicon, **{f"{name}.parquet": parquet_bytes(name, table) for name, table in tables.items()}}
        rows = {f"{name}.parquet": table.num_rows for name, table in tables.items()}
        inputs = hashlib.sha256(b"".join(hashlib.sha256(files[name]).digest() for name in sorted(files))).hexdigest()[:16]
        found = filesets.find(store, KIND, inputs) or filesets.write(store, KIND, inputs, files, rows, self.about)
        return ModelEntry(found.id, found.about, found.files)

    def _lexicon_bytes(self, store: Store, parent: Manifest | None) -> bytes:
        """The parent's where it was made in the same way: clustering embeds every term."""
        if parent is not None and parent.lexicon is not None and parent.lexicon.info == self.about:
            for entry in parent.lexicon.files:
                if entry.path.endswith("/" + LEXICON_FILE) and filesets.is_whole(store, (entry,)):
                    return store.get(entry.path)
        clusters = cluster_terms(self.lexicon, self.embedder, self.settings.threshold)
        found = {**self.about, "forms": dict(self.lexicon.forms), "clusters": members(clusters)}
        return (json.dumps(found, ensure_ascii=False, sort_keys=True, separators=(",", ":")) + "\n").encode()


def corpus_tables(lexicon: bytes, counts: Iterable[pa.Table]) -> dict[str, pa.Table]:
    """`flam_terms` and `flam_items` from live documents' counts (doc_id, item_key, term, count)."""
    clusters = json.loads(lexicon)["clusters"]
    numbered = [{"term": term, "cluster": number} for number, terms in enumerate(clusters) for term in terms]
    with duckdb.connect(":memory:", config={"threads": 1}) as db:
        db.register("counts", pa.concat_tables([TABLES["flam_counts"].empty_table(), *counts]))
        db.register("clusters", pa.Table.from_pylist(numbered, schema=pa.schema([("term", pa.string()), ("cluster", pa.int32())])))
        return {name: conform(name, db.sql(statement(name)).to_arrow_table()) for name in TABLE_NAMES}


def statement(name: str) -> str:
    """The SQL of one of the tables."""
    return (FOLDER / f"{name}.sql").read_text(encoding="utf-8")


def _table_of(segment: SegmentEntry) -> Any:
    return next((entry for entry in segment.files if entry.path.endswith("/flam_counts.parquet")), None)


def _counts(store: Store, segment: SegmentEntry, scratch: Path) -> pa.Table:
    """The counts of a segment's live documents."""
    entry = _table_of(segment)
    path = store.local_path(entry.path)
    if path is None:
        path = scratch / f"{segment.id}.flam_counts.parquet"
        filesets.download(store, entry, path)
    table = pq.read_table(path, columns=TABLES["flam_counts"].names)
    if not segment.dead:
        return table
    live = pa.array([doc_id not in segment.dead for doc_id in table["doc_id"].to_pylist()], pa.bool_())
    return table.filter(live)
