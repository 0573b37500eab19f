"""A document's stage outputs as a segment is built of them: read when they are needed, in the embedding space that is published."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from filingforest.bundle import Bundle, read_bundle
from filingforest.errors import PublicationError
from filingforest.publish.receipts import ReceiptEntry
from filingforest.publish.segment_input import SegmentInput
from filingforest.store import Store


def input_of(store: Store, entry: ReceiptEntry, space: Mapping[str, Any], spool: Path | None) -> SegmentInput:
    """What one document brings into a segment; each bundle is read when it is asked for. `spool` is a scratch folder for
    what is read twice.

    Errors: PublicationError for a receipt without a parse, and for vectors that were not made in `space`; Corrupt.
    """

    def load(stage: str) -> Callable[[], Bundle]:
        return lambda: read_bundle(_spooled(store, entry.stages[stage], spool), f"{entry.doc_id} ({entry.stages[stage]})")

    if "parsed" not in entry.stages:
        raise PublicationError("its receipt names no parse", document=entry.doc_id, stage="publish", remedy="run its interval again")
    others = {stage: load(stage) for stage in ("chunks", "trees") if stage in entry.stages}
    embeddings = _checked(entry, load("embeddings"), space) if "embeddings" in entry.stages else None
    return SegmentInput(entry.doc_id, entry.doc_version, load("parsed"), embeddings=embeddings, **others)


def _spooled(store: Store, key: str, spool: Path | None) -> bytes:
    """An object that is read twice (for the document's place, then for its rows) is fetched once."""
    if spool is None or store.local_path(key) is not None:
        return store.get(key)
    kept = spool / hashlib.sha256(key.encode()).hexdigest()
    if kept.exists():
        return kept.read_bytes()
    data = store.get(key)
    if key.startswith("stages/parsed/"):
        spool.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(data)
    return data


def _checked(entry: ReceiptEntry, load: Callable[[], Bundle], space: Mapping[str, Any]) -> Callable[[], Bundle]:
    def checked() -> Bundle:
        bundle = load()
        table = bundle.table("embeddings").select(["model", "revision"])
        made = {(row["model"], row["revision"]) for row in table.group_by(["model", "revision"]).aggregate([]).to_pylist()}
        if made - {(space.get("model"), space.get("revision"))}:
            message = f"its vectors were made with {sorted(made)}, the publication's model is {space.get('model')} {space.get('revision')}"
            raise PublicationError(message, document=entry.doc_id, stage="publish", remedy="run its interval again with the model of today")
        return bundle

    return checked
