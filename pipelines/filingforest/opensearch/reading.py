"""Reads units out of published segments by ranges, so that a night's load fetches the rows that are new and not the files they are in."""

from __future__ import annotations

import io
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from filingforest.errors import Corrupt
from filingforest.manifest import FileEntry, SegmentEntry
from filingforest.query.arrays import read_header
from filingforest.query.documents import COLUMNS as DOCUMENT_COLUMNS
from filingforest.query.documents import Document
from filingforest.store import Store

_BLOCK = 1 << 18


class StoredFile(io.RawIOBase):
    """An object of a store as a file that is read in ranges."""

    def __init__(self, store: Store, entry: FileEntry) -> None:
        super().__init__()
        self._store, self._entry, self._at = store, entry, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._entry.bytes}[whence]
        self._at = max(0, start + offset)
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: Any) -> int:
        wanted = min(len(buffer), self._entry.bytes - self._at)
        data = self._store.get_range(self._entry.path, self._at, wanted) if wanted > 0 else b""
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)


class StoredArray:
    """A .npy file of a store, read by rows."""

    def __init__(self, store: Store, entry: FileEntry) -> None:
        self._store, self._entry = store, entry
        head = io.BytesIO(store.get_range(entry.path, 0, 1_024))
        try:
            self.dtype, self.shape = read_header(head)
        except ValueError as error:
            raise Corrupt(f"not an array: {error}", document=entry.path, stage="opensearch", remedy="publish again") from error
        self._offset = head.tell()
        self._row = self.dtype.itemsize * int(np.prod(self.shape[1:], dtype=np.int64))

    def rows(self, first: int, last: int) -> npt.NDArray[Any]:
        """Rows [first, last)."""
        data = self._store.get_range(self._entry.path, self._offset + first * self._row, (last - first) * self._row)
        return np.frombuffer(data, dtype=self.dtype).reshape(last - first, *self.shape[1:])


@dataclass(frozen=True, slots=True)
class UnitRow:
    """A unit as published: its row of `units`, its place in its document, its vector (float16, None without an encoder)."""

    row: dict[str, Any]
    place: int
    vector: npt.NDArray[np.float16] | None


class SegmentReader:
    """One segment of a manifest."""

    def __init__(self, store: Store, entry: SegmentEntry) -> None:
        self._store, self._files = store, {file.path.rpartition("/")[2]: file for file in entry.files}
        self._dead = frozenset(entry.dead)
        self._tables: dict[str, Any] = {}
        self._arrays: dict[str, StoredArray] = {}

    @cached_property
    def documents(self) -> list[Document]:
        """Its documents in the order of its rows, masked ones too."""
        return [Document.of_row(row) for row in self._parquet("documents").read(columns=list(DOCUMENT_COLUMNS)).to_pylist()]

    @cached_property
    def starts(self) -> npt.NDArray[np.int64]:
        """First unit of each document, one more than documents."""
        return self._array("documents.units").rows(0, len(self.documents) + 1)

    @property
    def live(self) -> list[str]:
        """Ids of documents that are not masked."""
        return [document.doc_id for document in self.documents if document.doc_id not in self._dead]

    def chosen(self, wanted: Collection[str]) -> Iterator[tuple[int, Document]]:
        """Those of the wanted documents that are live here, with their places, in order."""
        names = set(wanted) - self._dead
        return ((place, document) for place, document in enumerate(self.documents) if document.doc_id in names)

    def units(self, wanted: Collection[str], columns: Collection[str]) -> Iterator[tuple[Document, Iterator[UnitRow]]]:
        """The wanted documents in order, with their units; each document's are to be used up before the next."""
        for place, document in self.chosen(wanted):
            yield document, self._units(int(self.starts[place]), int(self.starts[place + 1]), list(columns))

    @property
    def has_trees(self) -> bool:
        """Whether any of its documents has trees."""
        return "tree_nodes.vectors.npy" in self._files

    def share(self, space: str, place: int, array: str, starts: str = "") -> npt.NDArray[Any]:
        """A document's rows of an array of a space of rows; none where the segment has no such array."""
        if f"{space}.{array}.npy" not in self._files:
            return np.empty(0)
        first, last = self._kept(f"documents.{starts or space}").rows(place, place + 2).tolist()
        return self._kept(f"{space}.{array}").rows(first, last)

    def table(self, name: str, place: int, columns: Collection[str]) -> list[dict[str, Any]]:
        """A document's rows of a table."""
        first, last = self._kept(f"documents.{name}").rows(place, place + 2).tolist()
        return [row for _, rows in self._runs(name, first, last, list(columns)) for row in rows.to_pylist()]

    def _units(self, first: int, last: int, columns: list[str]) -> Iterator[UnitRow]:
        for at, table in self._runs("units", first, last, columns):
            vectors = self._vectors.rows(at, at + table.num_rows) if self._vectors is not None else None
            for i, row in enumerate(table.to_pylist()):
                yield UnitRow(row, at + i - first, vectors[i] if vectors is not None else None)

    def _runs(self, name: str, first: int, last: int, columns: list[str]) -> Iterator[tuple[int, Any]]:
        """Rows [first, last) of a table, a row group at a time."""
        file = self._open(name)
        meta = file.metadata
        edges = np.cumsum([0, *(meta.row_group(i).num_rows for i in range(meta.num_row_groups))]).tolist()
        for group, (start, end) in enumerate(pairwise(edges)):
            low, high = max(first, start), min(last, end)
            if low < high:
                yield low, file.read_row_group(group, columns=columns, use_threads=False).slice(low - start, high - low)

    def _open(self, name: str) -> Any:
        if name not in self._tables:
            self._tables[name] = self._parquet(name)
        return self._tables[name]

    def _kept(self, name: str) -> StoredArray:
        if name not in self._arrays:
            self._arrays[name] = self._array(name)
        return self._arrays[name]

    @cached_property
    def _vectors(self) -> StoredArray | None:
        return self._array("vectors.f16") if "vectors.f16.npy" in self._files else None

    def _array(self, name: str) -> StoredArray:
        return StoredArray(self._store, self._files[f"{name}.npy"])

    def _parquet(self, name: str) -> Any:
        import pyarrow.parquet

        return pyarrow.parquet.ParquetFile(io.BufferedReader(StoredFile(self._store, self._files[f"{name}.parquet"]), _BLOCK))
