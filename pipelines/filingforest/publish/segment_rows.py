"""A segment's files in the store, read by rows (on S3: by ranges), for what a night must know of documents that lie in old segments.

A table's footer grows with its segment: it is read once, however many documents are asked for.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from filingforest.errors import Corrupt, NotFound
from filingforest.manifest import FileEntry, SegmentEntry
from filingforest.query.arrays import read_header
from filingforest.seekable import SeekableRanges
from filingforest.store import Store

Array = npt.NDArray[Any]
Span = tuple[int, int]  # rows [first, last)
_HEADER = 128  # of every array of a segment, see npy.py


class Rows:
    """Errors of all that reads: NotFound for a file that is not there, Corrupt for one that cannot be read."""

    def __init__(self, store: Store, entry: SegmentEntry) -> None:
        self._store, self._id = store, entry.id
        self._files: dict[str, FileEntry] = {file.path.rpartition("/")[2]: file for file in entry.files}
        self._tables: dict[str, pq.ParquetFile] = {}

    def has(self, name: str) -> bool:
        """Whether the segment has that file."""
        return name in self._files

    def array(self, name: str, first: int, last: int) -> Array:
        """Rows [first, last) of a flat array."""
        entry = self._entry(f"{name}.npy")
        head = self._store.get_range(entry.path, 0, _HEADER)
        try:
            kind = read_header(io.BytesIO(head))[0]
            data = self._store.get_range(entry.path, _HEADER + first * kind.itemsize, (last - first) * kind.itemsize)
            return np.frombuffer(data, kind, last - first)
        except ValueError as error:
            raise _corrupt(entry.path, error) from error

    def table(self, name: str, columns: Sequence[str], spans: Sequence[Span]) -> pa.Table:
        """The rows of several spans, ascending and apart; only the row groups that hold some of them are fetched, each once."""
        entry = self._entry(f"{name}.parquet")
        try:
            file = self._open(name, entry)
            edges = np.cumsum([0, *(file.metadata.row_group(i).num_rows for i in range(file.metadata.num_row_groups))]).tolist()
            found = [file.schema_arrow.empty_table().select(list(columns))]
            for group, (start, end) in enumerate(pairwise(edges)):
                inside = [(max(first, start), min(last, end)) for first, last in spans if first < end and last > start]
                if inside:
                    rows = file.read_row_group(group, columns=list(columns), use_threads=False)
                    found += [rows.slice(first - start, last - first) for first, last in inside if last > first]
            return pa.concat_tables(found)
        except (pa.ArrowException, OSError) as error:
            raise _corrupt(entry.path, error) from error

    def _open(self, name: str, entry: FileEntry) -> pq.ParquetFile:
        if name not in self._tables:
            ranges = SeekableRanges(entry.bytes, partial(self._store.get_range, entry.path))
            # what is read here goes into sums that outlive the segment, and a part of a file cannot be compared with its hash
            self._tables[name] = pq.ParquetFile(pa.PythonFile(ranges, mode="r"), page_checksum_verification=True)
        return self._tables[name]

    def _entry(self, name: str) -> FileEntry:
        if name not in self._files:
            raise NotFound(f"the segment has no {name}", document=self._id, stage="publish", remedy="publish again")
        return self._files[name]


def _corrupt(path: str, error: Exception) -> Corrupt:
    remedy = "`filingforest publications verify` names damaged files; delete this one, and publishing writes it again"
    return Corrupt(f"{type(error).__name__}: {error}", document=path, stage="publish", remedy=remedy)
