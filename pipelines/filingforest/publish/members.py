"""Which documents a publication has, told from its segments' lists of contents: what is compared, verified, rolled back to."""

from __future__ import annotations

from filingforest.manifest import Manifest
from filingforest.publish import filesets
from filingforest.publish.filesets import FileSet
from filingforest.publish.ledger import SEGMENTS, placed_in
from filingforest.publish.receipts import ReceiptEntry
from filingforest.store import Store


def documents_of(found: FileSet) -> tuple[ReceiptEntry, ...]:
    """The documents of a segment, as their receipts had them."""
    return tuple(p.entry for p in placed_in(found))


def live_in(store: Store, manifest: Manifest) -> dict[str, ReceiptEntry]:
    """The documents of a publication by id, read from its segments' lists of contents."""
    live: dict[str, ReceiptEntry] = {}
    for segment in manifest.segments:
        dead = set(segment.dead)
        live |= {d.doc_id: d for d in documents_of(filesets.load(store, SEGMENTS, segment.id)) if d.doc_id not in dead}
    return live
