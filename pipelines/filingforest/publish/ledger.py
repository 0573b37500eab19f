"""What a publisher must know of all the past, in one small file: every receipt's documents, and which document lies in which segment.

It is a copy: everything in it can be read from `receipts/` and from the segments' lists of contents again, and is where it is missing or
damaged. With it a night reads the receipts that are new and nothing of old segments. About 60 bytes a document, zstd over repeated keys.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import pyarrow as pa

from filingforest.bundle import Bundle, read_bundle, write_bundle
from filingforest.errors import Corrupt, NotFound
from filingforest.manifest import Manifest
from filingforest.publish import filesets, receipts
from filingforest.publish.counts import Counts
from filingforest.publish.receipts import Receipt, ReceiptEntry
from filingforest.publish.summary import NAMES, Summary
from filingforest.store import Store

log = logging.getLogger(__name__)
LEDGER_FILE = "ledger.zip"
SEGMENTS = "segments"


@dataclass(frozen=True, slots=True)
class Placed:
    """A document where it lies in a segment, masked or not."""

    entry: ReceiptEntry
    summary: Summary


@dataclass(frozen=True)
class Ledger:
    """Receipts by name; by a segment's id its documents, in its order, and by field the terms of those that are masked in it.

    `masked` lacks a segment where that is not known.
    """

    receipts: Mapping[str, Receipt]
    placed: Mapping[str, Sequence[Placed]]
    masked: Mapping[str, Mapping[str, Counts]] = field(default_factory=dict)


def to_bytes(ledger: Ledger) -> bytes:
    """As it is stored."""
    heads = [{"name": n, "source": r.source, "interval": r.interval, "expected": r.expected} for n, r in sorted(ledger.receipts.items())]
    entries = [_row(entry, owner=i) for i, head in enumerate(heads) for entry in ledger.receipts[str(head["name"])].documents]
    segments = sorted(ledger.placed)
    placed = [_row(p.entry, owner=i) | asdict(p.summary) for i, name in enumerate(segments) for p in ledger.placed[name]]
    tables = {
        "receipts": pa.Table.from_pylist(heads, _HEADS),
        "entries": pa.Table.from_pylist(entries, _ENTRIES),
        "segments": pa.Table.from_pylist([{"id": name} for name in segments], pa.schema([("id", pa.string())])),
        "placed": pa.Table.from_pylist(placed, _PLACED),
        "masked": _masked_table(segments, ledger.masked),
    }
    return write_bundle(tables)


def from_bytes(data: bytes, name: str) -> Ledger:
    """Errors: Corrupt."""
    bundle = read_bundle(data, name)
    try:
        heads = bundle.table("receipts").to_pylist()
        entries = _by_owner(bundle, "entries", len(heads), lambda row: _entry(row))
        found = {h["name"]: Receipt(h["source"], h["interval"], h["expected"], tuple(e)) for h, e in zip(heads, entries, strict=True)}
        segments = bundle.table(SEGMENTS)["id"].to_pylist()
        placed = _by_owner(bundle, "placed", len(segments), lambda row: Placed(_entry(row), Summary.from_dict(row)))
        return Ledger(found, dict(zip(segments, placed, strict=True)), _masked_of(bundle.table("masked"), segments))
    except (NotFound, KeyError, ValueError, TypeError, IndexError) as error:
        raise Corrupt(
            f"not a ledger: {error}", document=name, stage="publish", remedy="delete it; publishing reads the receipts"
        ) from error


def load(store: Store, parent: Manifest | None) -> Ledger:
    """The ledger of a publication; told again from the segments where it is not there or damaged (receipts are then read one by one)."""
    if parent is None:
        return Ledger({}, {})
    if parent.ledger:
        try:
            return from_bytes(store.get(parent.ledger.path), parent.ledger.path)
        except (NotFound, Corrupt) as error:
            log.warning("%s; the receipts are read instead", error)
    return Ledger({}, _placed(store, parent))


def all_receipts(store: Store, known: Ledger) -> dict[str, Receipt]:
    """Every completed receipt; only those are read that the ledger does not know."""
    names = receipts.names(store)
    new = receipts.load_many(store, [name for name in names if name not in known.receipts])
    return {name: known.receipts.get(name) or new[name] for name in names}


def placed_in(found: filesets.FileSet) -> list[Placed]:
    """The documents of a segment from its list of contents."""
    return [Placed(ReceiptEntry.from_dict(value), Summary.from_dict(value.get("summary") or {})) for value in found.about["documents"]]


def _placed(store: Store, parent: Manifest) -> dict[str, list[Placed]]:
    out = {}
    for segment in parent.segments:
        try:
            out[segment.id] = placed_in(filesets.load(store, SEGMENTS, segment.id))
        except (NotFound, Corrupt) as error:
            log.warning("%s; its documents are built again", error)
    return out


def _masked_table(segments: Sequence[str], masked: Mapping[str, Mapping[str, Counts]]) -> pa.Table:
    """One row a segment and field: sums, and two lists."""
    rows = [
        {"owner": segments.index(name), "field": part, "rows": c.rows, "words": c.words, "hashes": c.hashes, "counts": c.counts}
        for name in sorted(masked)
        for part, c in sorted(masked[name].items())
    ]
    return pa.Table.from_pylist(rows, _MASKED)


def _masked_of(table: pa.Table, segments: Sequence[str]) -> dict[str, dict[str, Counts]]:
    out: dict[str, dict[str, Counts]] = {}
    for i, row in enumerate(table.select(["owner", "field", "rows", "words"]).to_pylist()):
        hashes, counts = (table[name][i].values.to_numpy() for name in ("hashes", "counts"))
        out.setdefault(segments[row["owner"]], {})[row["field"]] = Counts(row["rows"], row["words"], hashes, counts)
    return out


# Keys of stage outputs hold the document's id and version, which stand beside them: without those they repeat and take next to no room
def _row(entry: ReceiptEntry, owner: int) -> dict[str, Any]:
    own = f"/{entry.doc_id}/{entry.doc_version}."
    stages = {stage: key.replace(own, "/*.") for stage, key in entry.stages.items()}
    return {
        "owner": owner,
        "doc_id": entry.doc_id,
        "doc_version": entry.doc_version,
        "known_from": entry.known_from,
        "stages": json.dumps(stages, sort_keys=True),
        "fingerprints": json.dumps(dict(entry.fingerprints), sort_keys=True),
    }


def _entry(row: Mapping[str, Any]) -> ReceiptEntry:
    own = f"/{row['doc_id']}/{row['doc_version']}."
    stages = {stage: key.replace("/*.", own) for stage, key in json.loads(row["stages"]).items()}
    return ReceiptEntry(row["doc_id"], row["doc_version"], row["known_from"], stages, json.loads(row["fingerprints"]))


def _by_owner(bundle: Bundle, table: str, owners: int, make: Any) -> list[list[Any]]:
    out: list[list[Any]] = [[] for _ in range(owners)]
    for row in bundle.table(table).to_pylist():
        out[row["owner"]].append(make(row))
    return out


def _schema(*groups: Iterable[tuple[str, pa.DataType]]) -> pa.Schema:
    return pa.schema([pair for group in groups for pair in group])


_TEXTS = ("source", "kind", "form", "form_base")
_HEADS = _schema([("name", pa.string()), ("source", pa.string()), ("interval", pa.string()), ("expected", pa.int64())])
_ENTRIES = _schema([("owner", pa.int32())], [(n, pa.string()) for n in ("doc_id", "doc_version", "known_from", "stages", "fingerprints")])
_PLACED = _schema([(f.name, f.type) for f in _ENTRIES], [(name, pa.string() if name in _TEXTS else pa.int64()) for name in NAMES])
_MASKED = _schema(
    [("owner", pa.int32()), ("field", pa.string()), ("rows", pa.int64()), ("words", pa.int64())],
    [("hashes", pa.list_(pa.uint64())), ("counts", pa.list_(pa.int64()))],
)
