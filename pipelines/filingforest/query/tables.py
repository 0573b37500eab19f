"""A segment's Parquet files, read a few rows at a time: only the row groups and columns that are asked for, from S3 too."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from filingforest.errors import Corrupt
from filingforest.query.arrays import Array
from filingforest.query.ranged import Ranged
from filingforest.seekable import SeekableRanges

Place = Path | Ranged
Row = dict[str, Any]
_BATCH = 65_536


@dataclass(frozen=True, slots=True)
class _Table:
    """An open file. `edges`: first row of each row group, one more than groups; told once, since a million units have 4,000 groups."""

    place: Place
    file: Any
    edges: Array

    def fetch(self, groups: Sequence[int], columns: Sequence[str]) -> None:
        """Brings what will be read from afar to where it can be read, in few requests."""
        if isinstance(self.place, Path):
            return
        meta, ranges = self.file.metadata, []
        first = meta.row_group(0) if meta.num_row_groups else None
        leaves = [i for i in range(meta.num_columns) if first and first.column(i).path_in_schema.partition(".")[0] in columns]
        for group in groups:
            for column in map(meta.row_group(group).column, leaves):
                start = column.dictionary_page_offset or column.data_page_offset
                ranges.append((start, start + column.total_compressed_size))
        self.place.fetch(ranges)


class Tables:
    """`place` says where a table of that name lies. Thread-safe. Errors: Corrupt, PublicationGone."""

    def __init__(self, place: Callable[[str], Place]) -> None:
        self._place, self._lock = place, threading.RLock()
        self._tables: dict[str, _Table] = {}

    def read(self, name: str, columns: Sequence[str], rows: Sequence[int] | None = None) -> list[Row]:
        """Rows of a table, in the order given (all: None)."""
        table = self._table(name)
        groups = np.searchsorted(table.edges, rows, side="right") - 1 if rows is not None else np.arange(len(table.edges) - 1)
        wanted = np.unique(groups).tolist()
        table.fetch(wanted, columns)
        with self._lock, _typed(name, table.place):
            if rows is None:
                found: list[Row] = table.file.read(columns=list(columns)).to_pylist()
                return found
            return _rows(table, groups, wanted, list(columns), rows)

    def find(self, name: str, column: str, value: str) -> list[int]:
        """Rows where a column has that value; read a batch at a time, so that a million rows cost time but no memory."""
        import pyarrow.compute as pc

        table, first, found = self._table(name), 0, []
        table.fetch(range(len(table.edges) - 1), (column,))
        with self._lock, _typed(name, table.place):
            for batch in table.file.iter_batches(batch_size=_BATCH, columns=[column], use_threads=False):
                found += [first + row for row in pc.indices_nonzero(pc.equal(batch.column(0), value)).to_pylist()]
                first += batch.num_rows
        return found

    def _table(self, name: str) -> _Table:
        with self._lock:
            if name not in self._tables:
                self._tables[name] = _opened(name, self._place(name))
            return self._tables[name]


def _opened(name: str, place: Place) -> _Table:
    import pyarrow.parquet

    with _typed(name, place):
        if isinstance(place, Path):
            file = pyarrow.parquet.ParquetFile(place, memory_map=True, page_checksum_verification=True)
        else:  # nothing else has checked its bytes
            file = pyarrow.parquet.ParquetFile(SeekableRanges(place.size, place.read_at), pre_buffer=True, page_checksum_verification=True)
        meta = file.metadata
        return _Table(place, file, np.cumsum([0, *(meta.row_group(i).num_rows for i in range(meta.num_row_groups))]))


def _rows(table: _Table, groups: Array, wanted: list[int], columns: list[str], rows: Sequence[int]) -> list[Row]:
    if not wanted:
        return []
    edges = table.edges
    before = dict(zip(wanted, np.cumsum([0, *(edges[g + 1] - edges[g] for g in wanted)]).tolist(), strict=False))
    places = [before[int(group)] + row - int(edges[group]) for row, group in zip(rows, groups, strict=True)]
    found: list[Row] = table.file.read_row_groups(wanted, columns=columns, use_threads=False).take(places).to_pylist()
    return found


@contextmanager
def _typed(name: str, place: Place) -> Iterator[None]:
    """Turns Arrow's errors into this project's; blocks that are not what was written are fetched again next time."""
    import pyarrow

    try:
        yield
    except (pyarrow.ArrowException, OSError) as error:
        where = place.entry.path if isinstance(place, Ranged) else str(place)
        if isinstance(place, Ranged):
            place.forget()
        remedy = "run `filingforest publications verify`"
        raise Corrupt(f"the table {name} cannot be read: {error}", document=where, stage="query", remedy=remedy) from error
