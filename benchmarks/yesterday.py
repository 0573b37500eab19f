"""Yesterday's publication for a benchmark of tonight's: made array by array instead of published, since a million units take minutes so.

Everything that a publisher looks at is there: CURRENT, manifest, segments, receipt and ledger. Stage outputs of yesterday are not: no night
reads them again.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from benchmarks.reader_corpus import LENGTH, UNITS_A_DOCUMENT, segments
from filingforest.current import PUBLISHED, switch
from filingforest.manifest import FileEntry, Manifest, ModelEntry, SegmentEntry, key
from filingforest.publish import receipts
from filingforest.publish.ledger import Ledger, Placed, to_bytes
from filingforest.publish.receipts import ReceiptEntry, write_receipt
from filingforest.publish.segments import made_with
from filingforest.publish.stats import Live, stats_bytes
from filingforest.publish.summary import Summary
from filingforest.schema_version import MIN_READER, SCHEMA_MAJOR, SCHEMA_MINOR
from filingforest.store import Store
from filingforest.tokens import TOKENIZER_VERSION

SHARES = (0.6, 0.3, 0.1)  # fewer than are merged, and all above the floor: both corpora stand at the same place between two merges
VERSION, KNOWN = "0" * 16, "2024-01-01"


def publish_yesterday(store: Store, units: int, space: dict[str, Any]) -> None:
    """So many units in filings of `UNITS_A_DOCUMENT`, numbered from 0 as those of `ManyFilings`, with vectors of its space."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        made = segments(folder, units, SHARES)
        placed = {segment.id: _placed(folder, segment) for segment in made}
        for entry in [entry for segment in made for entry in segment.files]:
            store.put_new(entry.path, folder / entry.path)
    entries = [_dict(p.entry) for several in placed.values() for p in several]
    write_receipt(store, "edgar", KNOWN, entries, len(entries))
    _publish(store, made, placed, space)


def _publish(store: Store, made: Sequence[SegmentEntry], placed: dict[str, list[Placed]], space: dict[str, Any]) -> None:
    every = receipts.load_many(store, receipts.names(store))
    documents = sum(len(several) for several in placed.values())
    counted = Live(documents * UNITS_A_DOCUMENT, documents * UNITS_A_DOCUMENT * LENGTH)
    files = {"stats.zip": stats_bytes(counted, [{} for _ in made]), "ledger.zip": to_bytes(Ledger(every, placed))}
    about = {name: FileEntry(name, len(data), hashlib.sha256(data).hexdigest()) for name, data in files.items()}
    manifest = Manifest(
        corpus=store.url.rpartition("/")[2],
        inputs="yesterday",
        schema={"major": SCHEMA_MAJOR, "minor": SCHEMA_MINOR, "min_reader": MIN_READER},
        segments=tuple(replace(segment, made=made_with(space)) for segment in made),
        stats=about["stats.zip"],
        model=ModelEntry("none", space),
        tokenizer_version=TOKENIZER_VERSION,
        counts={"documents": documents, "units": documents * UNITS_A_DOCUMENT},
        receipts=tuple(sorted(every)),
        ledger=about["ledger.zip"],
    ).numbered(1, None)
    for entry in (manifest.stats, manifest.ledger):
        assert entry
        store.put_new(entry.path, files[entry.path.rpartition("/")[2]])
    store.put_new(key(manifest.id), manifest.to_bytes())
    switch(store, None, manifest.id, PUBLISHED)


def _placed(folder: Path, segment: SegmentEntry) -> list[Placed]:
    rows = pq.read_table(folder / "segments" / segment.id / "documents.parquet").to_pylist()
    counts = {"units": UNITS_A_DOCUMENT, "nodes": UNITS_A_DOCUMENT + 2, "items": 1, "words": UNITS_A_DOCUMENT * LENGTH}
    own = ("source", "kind", "form", "form_base", "fiscal_year")
    return [Placed(_entry(row["doc_id"]), Summary(**counts, **{name: row[name] for name in own})) for row in rows]


def _entry(doc_id: str) -> ReceiptEntry:
    stages = {stage: f"stages/{stage}/{doc_id}/{VERSION}.yesterday.zip" for stage in ("parsed", "chunks", "embeddings")}
    return ReceiptEntry(doc_id, VERSION, "", stages, dict.fromkeys(stages, "yesterday"))


def _dict(entry: ReceiptEntry) -> dict[str, Any]:
    return {"doc_id": entry.doc_id, "doc_version": entry.doc_version, "known_from": KNOWN, "stages": dict(entry.stages),
            "fingerprints": dict(entry.fingerprints)}  # fmt: skip
