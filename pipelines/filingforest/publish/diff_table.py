"""What changed from one publication to another as one Parquet table, so that jobs downstream react to it without reading everything.

One row a document (`level` document) and, below it, one a unit that came, went or reads otherwise. Of unchanged documents nothing is read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from filingforest.errors import ConfigError
from filingforest.publish.listing import Diff, diff
from filingforest.query.publication import Publication, open_publication
from filingforest.store import Store

COLUMNS = (
    ("level", "document or unit"),
    ("change", "added, changed or removed"),
    ("doc_id", "document"),
    ("unit_key", "key of the unit, stable over parses; null for a document"),
    ("node_id", "address of the unit in the publication that has it, the later one where both have"),
    ("item_key", "item that the unit lies in"),
    ("kind", "kind of the unit, or of the document"),
    ("before_sha", "sha256 of the unit's text in the first publication"),
    ("after_sha", "sha256 of the unit's text in the second publication"),
)
SCHEMA = pa.schema([pa.field(name, pa.string(), metadata={"description": text}) for name, text in COLUMNS])
_READ = ("unit_key", "node_id", "item_key", "kind", "text")
_WRITTEN_AT_ONCE = 10_000
Row = dict[str, Any]


def write_diff(store: Store, first: str, second: str | None, out: Path, cache: Path | None = None) -> Diff:
    """Writes the table to `out` (replaced when it is there); rows by document, then unit. Errors as `listing.diff`."""
    found = diff(store, first, second)
    before, after = open_publication(store, found.first, cache), open_publication(store, found.second, cache)
    write_rows(rows_of(found, before, after), out)
    return found


def write_rows(rows: Iterable[Row], out: Path) -> None:
    """A Parquet file of such rows, written beside `out` first."""
    part = out.with_name(out.name + ".part")
    try:
        with pq.ParquetWriter(part, SCHEMA, compression="zstd") as writer:
            remaining = iter(rows)
            while waiting := list(islice(remaining, _WRITTEN_AT_ONCE)):
                writer.write_table(pa.Table.from_pylist(waiting, schema=SCHEMA))
        part.replace(out)
    except FileNotFoundError as error:
        raise ConfigError(f"cannot write {out}: {error.strerror}", stage="diff", remedy="name a file in a folder that is there") from error


def rows_of(found: Diff, before: Publication, after: Publication) -> Iterator[Row]:
    """The rows, document by document in the order of their ids."""
    changes = {**dict.fromkeys(found.added, "added"), **dict.fromkeys(found.changed, "changed"), **dict.fromkeys(found.removed, "removed")}
    places = [_places(publication) for publication in (before, after)]
    for doc_id in sorted(changes):
        old, new = _units(before, places[0].get(doc_id)), _units(after, places[1].get(doc_id))
        owner = after.documents[places[1][doc_id]] if doc_id in places[1] else before.documents[places[0][doc_id]]
        yield {"level": "document", "change": changes[doc_id], "doc_id": doc_id, "kind": owner.kind}
        yield from _unit_rows(doc_id, old, new)


def _unit_rows(doc_id: str, old: dict[str, Row], new: dict[str, Row]) -> Iterator[Row]:
    for key in sorted(old.keys() | new.keys()):
        shas = old[key]["sha"] if key in old else None, new[key]["sha"] if key in new else None
        if shas[0] == shas[1]:
            continue
        unit = new.get(key) or old[key]
        kept = {name: unit[name] for name in ("unit_key", "node_id", "item_key", "kind")}
        change = "added" if key not in old else "removed" if key not in new else "changed"
        yield {"level": "unit", "change": change, "doc_id": doc_id, "before_sha": shas[0], "after_sha": shas[1]} | kept


def _places(publication: Publication) -> dict[str, int]:
    return {d.doc_id: place for place, d in enumerate(publication.documents) if publication.live[place]}


def _units(publication: Publication, place: int | None) -> dict[str, Row]:
    """A document's units by key, with the hash of each text."""
    if place is None:
        return {}
    index = next(i for i in range(len(publication.segments)) if place < publication.first_document[i + 1])
    segment, inside = publication.segments[index], place - int(publication.first_document[index])
    rows: Sequence[int] = range(int(segment.starts[inside]), int(segment.starts[inside + 1]))
    units = segment.read("units", _READ, list(rows)) if rows else []
    return {u["unit_key"]: {**u, "sha": hashlib.sha256((u["text"] or "").encode()).hexdigest()} for u in units}
