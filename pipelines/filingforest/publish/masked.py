"""Counts the terms of documents that are masked in a segment, reading their rows and nothing else of it (on S3: by ranges).

What each segment's masked documents hold is kept in the ledger, so that a night counts only what it masks itself.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from filingforest.errors import Corrupt, NotFound
from filingforest.manifest import FileEntry, SegmentEntry
from filingforest.publish.counts import TREES, UNITS, Counts
from filingforest.publish.ledger import Placed
from filingforest.publish.segment_input import unit_rows_terms
from filingforest.store import Store
from filingforest.terms import term_hash

Array = npt.NDArray[Any]
_COLUMNS = ["text", "heading_path", "table", "statement"]
_HEADER = 128  # of every array of a segment, see npy.py


class Rows:
    """A segment's files in the store, read by rows."""

    def __init__(self, store: Store, entry: SegmentEntry) -> None:
        self._store, self._id = store, entry.id
        self._files: dict[str, FileEntry] = {file.path.rpartition("/")[2]: file for file in entry.files}

    def has(self, name: str) -> bool:
        return name in self._files

    def array(self, name: str, first: int, last: int) -> Array:
        """Rows [first, last) of a flat array. Errors: NotFound, Corrupt."""
        entry = self._entry(f"{name}.npy")
        head = self._store.get_range(entry.path, 0, _HEADER)
        try:
            stream = io.BytesIO(head)
            np.lib.format.read_magic(stream)
            kind = np.lib.format.read_array_header_1_0(stream)[2]
            data = self._store.get_range(entry.path, _HEADER + first * kind.itemsize, (last - first) * kind.itemsize)
            return np.frombuffer(data, kind, last - first)
        except ValueError as error:
            raise _corrupt(entry.path, error) from error

    def table(self, name: str, columns: Sequence[str], first: int, last: int) -> list[dict[str, Any]]:
        """Rows [first, last) of a table; only their row groups are fetched. Errors: NotFound, Corrupt."""
        entry = self._entry(f"{name}.parquet")
        try:
            file = pq.ParquetFile(pa.PythonFile(_Ranges(self._store, entry), mode="r"))
            sizes = [file.metadata.row_group(i).num_rows for i in range(file.metadata.num_row_groups)]
            edges = np.cumsum([0, *sizes])
            groups = [i for i in range(len(sizes)) if edges[i] < last and edges[i + 1] > first]
            if not groups:
                return []
            rows = file.read_row_groups(groups, columns=list(columns), use_threads=False)
            found: list[dict[str, Any]] = rows.slice(first - int(edges[groups[0]]), last - first).to_pylist()
            return found
        except (pa.ArrowException, OSError) as error:
            raise _corrupt(entry.path, error) from error

    def _entry(self, name: str) -> FileEntry:
        if name not in self._files:
            raise NotFound(f"the segment has no {name}", document=self._id, stage="publish", remedy="publish again")
        return self._files[name]


def counts_of(store: Store, entry: SegmentEntry, placed: Sequence[Placed], wanted: frozenset[str]) -> Mapping[str, Counts]:
    """By field, what the wanted documents of a segment hold."""
    rows = Rows(store, entry)
    found = {UNITS: list[Counts](), TREES: list[Counts]()}
    unit = 0
    for place, document in enumerate(placed):
        if document.entry.doc_id in wanted:
            found[UNITS].append(_unit_counts(rows, unit, unit + document.summary.units))
            found[TREES].append(_summary_counts(rows, place))
        unit += document.summary.units
    return {field: Counts.total(several) for field, several in found.items()}


def _unit_counts(rows: Rows, first: int, last: int) -> Counts:
    terms = unit_rows_terms(rows.table("units", _COLUMNS, first, last) if last > first else [])
    return Counts.of_rows(((term_hash(t) for t in each.body.keys() | each.head.keys()), each.length) for each in terms)


def _summary_counts(rows: Rows, place: int) -> Counts:
    if not rows.has("documents.tree_rows.npy"):
        return Counts()
    nodes, terms = (rows.array(f"documents.{name}", place, place + 2).tolist() for name in ("tree_rows", "tree_terms"))
    if nodes[0] == nodes[1]:
        return Counts()
    levels, lengths = (rows.array(f"tree_nodes.{name}", *nodes) for name in ("level", "length"))
    hashes, counts = np.unique(rows.array("tree_terms.hash", *terms), return_counts=True)
    inner = levels > 0
    return Counts(int(inner.sum()), int(lengths[inner].sum(dtype=np.int64)), hashes, counts.astype("<i8"))


def _corrupt(path: str, error: Exception) -> Corrupt:
    remedy = "`filingforest publications verify` names damaged files; delete this one, and publishing writes it again"
    return Corrupt(f"{type(error).__name__}: {error}", document=path, stage="publish", remedy=remedy)


class _Ranges(io.RawIOBase):
    """An object of the store as a file that can be sought in."""

    def __init__(self, store: Store, entry: FileEntry) -> None:
        self._store, self._entry, self._place = store, entry, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self._entry.bytes}[whence]
        self._place = base + offset
        return self._place

    def read(self, size: int | None = -1) -> bytes:
        left = self._entry.bytes - self._place
        data = self._store.get_range(self._entry.path, self._place, left if size is None or size < 0 else min(size, left))
        self._place += len(data)
        return data

    def readinto(self, buffer: Any) -> int:
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)
