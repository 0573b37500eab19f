"""A written segment as something to merge from: which of its documents go where, and where their rows lie in each of its files.

Every per-document file has its starts in `documents.{name}.npy` (one more than documents), so that a part copies rows of documents
without knowing what stands in them. Within one segment documents keep their order when they move to another: all are sorted alike.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

Array = npt.NDArray[Any]
SortKey = tuple[str, int, str]


def sort_key(row: Mapping[str, Any]) -> SortKey:
    """The order of documents in every segment: primary CIK, fiscal year, doc_id."""
    return (str(row.get("cik") or "").zfill(10), row.get("fiscal_year") or 0, row["doc_id"])


class Source:
    """A segment's local folder. `wanted` are the documents to take from it (None: all)."""

    def __init__(self, folder: Path, wanted: Collection[str] | None = None) -> None:
        self.folder, self.wanted = folder, None if wanted is None else frozenset(wanted)
        self._tables: dict[str, _Table] = {}
        self._arrays: dict[str, Array] = {}

    @cached_property
    def about(self) -> dict[str, Any]:
        """Its `segment.json`."""
        return dict(json.loads((self.folder / "segment.json").read_text(encoding="utf-8")))

    @cached_property
    def keys(self) -> list[SortKey]:
        """Sort keys of its documents, in order."""
        rows = pq.read_table(self.folder / "documents.parquet", columns=["cik", "fiscal_year", "doc_id"]).to_pylist()
        return [sort_key(row) for row in rows]

    def array(self, name: str) -> Array:
        """One of its arrays, memory-mapped (read where it is empty)."""
        if name not in self._arrays:
            path = self.folder / f"{name}.npy"
            whole = np.load(path, mmap_mode=None if path.stat().st_size <= 128 else "r")
            self._arrays[name] = whole.view(np.ndarray)
        return self._arrays[name]

    def starts(self, name: str) -> Array:
        """First row of each document in the file `name`, and the number of its rows."""
        return np.arange(len(self.keys) + 1) if name == "documents" else self.array(f"documents.{name}")

    def rows(self, table: str, first: int, last: int) -> pa.Table:
        """Rows [first, last) of one of its tables; asked for in ascending order, each row group is decoded once."""
        if table not in self._tables:
            self._tables[table] = _Table(self.folder / f"{table}.parquet")
        return self._tables[table].rows(first, last)


@dataclass(frozen=True, slots=True)
class Span:
    """Documents [first, last) of a segment, to be copied one after another."""

    source: Source
    first: int
    last: int

    def rows(self, name: str) -> slice:
        """Where their rows lie in the file `name`."""
        starts = self.source.starts(name)
        return slice(int(starts[self.first]), int(starts[self.last]))

    def lengths(self, name: str) -> Array:
        """How many rows each of them has in the file `name`."""
        return np.diff(self.source.starts(name)[self.first : self.last + 1])


def spans_of(sources: Sequence[Source]) -> list[Span]:
    """The wanted documents of all sources in the order of the segment that they become; neighbours from one source are one span."""
    places = [
        (key, number, place) for number, source in enumerate(sources) for place, key in enumerate(source.keys) if _is_wanted(source, key)
    ]
    places.sort()
    runs = groupby(enumerate(places), key=lambda pair: (pair[1][1], pair[1][2] - pair[0]))
    return [_span(sources, [place for _, place in run]) for _, run in runs]


def pieces(total: slice, size: int) -> Iterator[slice]:
    """A run of rows in runs of at most `size`, so that what is copied never has to fit into memory."""
    for start in range(total.start, total.stop, size):
        yield slice(start, min(start + size, total.stop))


def _is_wanted(source: Source, key: SortKey) -> bool:
    return source.wanted is None or key[2] in source.wanted


def _span(sources: Sequence[Source], places: Sequence[tuple[SortKey, int, int]]) -> Span:
    return Span(sources[places[0][1]], places[0][2], places[-1][2] + 1)


class _Table:
    """Reads runs of rows in ascending order; keeps the row group that it is in."""

    def __init__(self, path: Path) -> None:
        self._file = pq.ParquetFile(path, memory_map=True)
        meta = self._file.metadata
        self._edges = np.cumsum([0, *(meta.row_group(i).num_rows for i in range(meta.num_row_groups))])
        self._group, self._rows = -1, self._file.schema_arrow.empty_table()

    def rows(self, first: int, last: int) -> pa.Table:
        if first >= last:
            return self._file.schema_arrow.empty_table()
        start, end = (int(np.searchsorted(self._edges, row, side="right")) - 1 for row in (first, last - 1))
        parts = [self._of(group, first, last) for group in range(start, end + 1)]
        return pa.concat_tables(parts)

    def _of(self, group: int, first: int, last: int) -> pa.Table:
        if group != self._group:
            self._group, self._rows = group, self._file.read_row_group(group, use_threads=False)
        start = max(first - int(self._edges[group]), 0)
        return self._rows.slice(start, min(last, int(self._edges[group + 1])) - int(self._edges[group]) - start)
