"""Which documents a publication has: a function of the set of receipts less the holds, whatever order they came in.

Of a document's versions the newest `known_from` is live, then the greatest `doc_version`. Of several outcomes of one version the
one made with the current stages (`prefer`) is live.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from filingforest.publish.holds import Hold
from filingforest.publish.receipts import Receipt, ReceiptEntry


def live_documents(
    receipts: Mapping[str, Receipt], holds: Sequence[Hold], prefer: Mapping[str, str] | None = None, taken: Collection[str] = ()
) -> list[ReceiptEntry]:
    """One entry a document, sorted by id. `receipts` by name; `prefer` has stage -> fingerprint of the stages as they are now.

    `taken` are the documents that were taken down.
    """
    live: dict[str, ReceiptEntry] = {}
    for entry in candidates(receipts, holds):
        best = live.get(entry.doc_id)
        if best is None or _rank(entry, prefer or {}) > _rank(best, prefer or {}):
            live[entry.doc_id] = entry
    return [live[doc_id] for doc_id in sorted(live) if doc_id not in taken]


def candidates(receipts: Mapping[str, Receipt], holds: Sequence[Hold]) -> list[ReceiptEntry]:
    """Every entry that is neither in a held receipt nor withdrawn by a hold."""
    held = {hold.receipt for hold in holds}
    withdrawn: dict[str, list[Any]] = {}
    for hold in holds:
        for item in hold.withdrawn:
            withdrawn.setdefault(item.doc_id, []).append(item)
    entries = (entry for name in sorted(receipts) if name not in held for entry in receipts[name].documents)
    return [entry for entry in entries if not any(item.covers(entry) for item in withdrawn.get(entry.doc_id, ()))]


def digest_of(documents: Iterable[ReceiptEntry], *settings: object) -> str:
    """16 hex digits over the documents with their stage keys, in any order, and whatever else decides the outcome."""
    rows = sorted([entry.doc_id, entry.doc_version, sorted(entry.stages.items())] for entry in documents)
    text = json.dumps([rows, settings], sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _rank(entry: ReceiptEntry, prefer: Mapping[str, str]) -> tuple[str, str, int, str]:
    fits = sum(entry.fingerprints.get(stage) == fingerprint for stage, fingerprint in prefer.items())
    return entry.known_from, entry.doc_version, fits, json.dumps(dict(entry.stages), sort_keys=True)
