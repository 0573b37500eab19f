"""A run's record of what it completed, from which publications are made: interval -> documents with the keys of their stages.

`receipts/{source}.{interval}.{digest}.json`, written once; the digest covers the content, so that the same run leaves the same
receipt and a run that found more leaves another beside it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from typing import Any

from filingforest.errors import Corrupt
from filingforest.store import Store

PREFIX = "receipts/"
_READERS = 8


@dataclass(frozen=True)
class ReceiptEntry:
    """One document of a run. `known_from` is an ISO date or instant; `stages` has stage -> key of its output, `fingerprints` likewise."""

    doc_id: str
    doc_version: str
    known_from: str = ""
    stages: Mapping[str, str] = field(default_factory=dict)
    fingerprints: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> ReceiptEntry:
        """From a night's entry or a receipt's JSON; other keys are left out."""
        known = str(value.get("known_from") or "")
        return cls(str(value["doc_id"]), str(value["doc_version"]), known, dict(value["stages"]), dict(value.get("fingerprints") or {}))


@dataclass(frozen=True)
class Receipt:
    """`expected` documents were listed by the source for the interval; `documents` came through, in order of their ids."""

    source: str
    interval: str
    expected: int
    documents: tuple[ReceiptEntry, ...]

    @property
    def name(self) -> str:
        return f"{_safe(self.source)}.{_safe(self.interval)}.{hashlib.sha256(self.to_bytes()).hexdigest()[:12]}"

    def to_bytes(self) -> bytes:
        """As it is stored: the same documents in any order give the same bytes."""
        return (json.dumps(asdict(self), ensure_ascii=False, sort_keys=True, indent=1) + "\n").encode()


def write_receipt(store: Store, source: str, interval: str, entries: Iterable[Mapping[str, Any]], expected: int) -> str:
    """Keep what a run completed; the receipt's name. Writing the same again changes nothing."""
    documents = sorted((ReceiptEntry.from_dict(entry) for entry in entries), key=_order)
    receipt = Receipt(source, interval, expected, tuple(documents))
    store.put_new(key(receipt.name), receipt.to_bytes())
    return receipt.name


def key(name: str) -> str:
    """Where a receipt lies."""
    return f"{PREFIX}{name}.json"


def names(store: Store) -> list[str]:
    """All completed receipts, sorted."""
    return [found.removeprefix(PREFIX).removesuffix(".json") for found in store.list(PREFIX) if found.endswith(".json")]


def load(store: Store, name: str) -> Receipt:
    """One receipt. Errors: NotFound; Corrupt when its content is not what its name says."""
    try:
        value = json.loads(store.get(key(name)))
        documents = tuple(ReceiptEntry.from_dict(entry) for entry in value["documents"])
        receipt = Receipt(str(value["source"]), str(value["interval"]), int(value["expected"]), documents)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _corrupt(name, f"not a receipt: {error}") from error
    if receipt.name != name:
        raise _corrupt(name, "its content is not what its name says")
    return receipt


def load_many(store: Store, wanted: Sequence[str]) -> dict[str, Receipt]:
    """Receipts by name, read side by side: on S3 a GET takes tens of milliseconds."""
    with ThreadPoolExecutor(_READERS) as pool:
        return dict(zip(wanted, pool.map(lambda name: load(store, name), wanted), strict=True))


def _order(entry: ReceiptEntry) -> tuple[str, str, str]:
    return entry.doc_id, entry.doc_version, json.dumps(dict(entry.stages), sort_keys=True)


def _safe(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9:~=-]+", "_", text)[:60]


def _corrupt(name: str, why: str) -> Corrupt:
    return Corrupt(why, document=key(name), stage="publish", remedy="delete it and run its interval again: done work is skipped")
