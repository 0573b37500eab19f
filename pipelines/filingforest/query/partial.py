"""An array of S3 of which a question needs a little: a company's vectors, a term's postings, the lines of fifty units.

It answers slices and rows from the blocks that hold them. Once a question wants much of it, or several together did, it is fetched whole
and memory-mapped.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from filingforest.file_blocks import BLOCK
from filingforest.query.arrays import Array, read_header
from filingforest.query.ranged import Ranged

MUCH = 8  # from a file's eighth on it is worth having whole
_LONGEST_HEADER = 128  # as `publish.npy` writes it


class _Source:
    """What an array and its views share: the file's parts, and the whole once it is there."""

    def __init__(self, part: Ranged, whole: Callable[[], Array]) -> None:
        self.part, self._fetch = part, whole
        self.found: Array | None = None

    def is_much(self, size: int) -> bool:
        """Whether so many bytes, or the blocks that were needed so far, make the whole worth having."""
        return self.found is not None or max(size, self.part.needed * BLOCK) * MUCH > self.part.size

    def whole(self) -> Array:
        if self.found is None:
            self.found = self._fetch()
            self.part.forget()  # the whole file lies in the cache now
        return self.found


class PartialArray:
    """Rows of an array, flat or of two dimensions; numpy sees all of it where it asks for more than slices and rows."""

    def __init__(self, source: _Source, dtype: np.dtype[Any], shape: tuple[int, ...], first: int) -> None:
        self._source, self.dtype, self.shape, self._first = source, dtype, shape, first
        self._row = int(dtype.itemsize * np.prod(shape[1:], dtype=np.int64))

    @classmethod
    def open(cls, part: Ranged, whole: Callable[[], Array]) -> PartialArray:
        """Errors: ValueError for what is no array; as `Ranged`."""
        with io.BytesIO(part.read_at(0, _LONGEST_HEADER)) as stream:
            dtype, shape = read_header(stream)
            return cls(_Source(part, whole), dtype, shape, stream.tell())

    def __len__(self) -> int:
        return self.shape[0]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.asarray(self._whole(), dtype)

    def __getitem__(self, wanted: Any) -> Any:
        if isinstance(wanted, slice):
            start, stop, step = wanted.indices(len(self))
            return self._run(start, max(start, stop)) if step == 1 else self._whole()[wanted]
        rows = np.asarray(wanted)
        if rows.dtype == np.bool_:
            rows = np.flatnonzero(rows)
        return self.take(rows) if rows.ndim else self._run(int(rows), int(rows) + 1)[0]

    def take(self, rows: npt.ArrayLike, axis: int = 0) -> Array:
        """Rows by place."""
        places = np.asarray(rows, dtype=np.int64)
        known, back = np.unique(places, return_inverse=True)
        if len(known) and known[0] < 0:
            return self._whole().take(places, axis=axis)
        runs = list(self._runs(known))
        if self._source.is_much(sum((b - a) * self._row + BLOCK for a, b in runs)):
            return self._whole().take(places, axis=axis)
        self._source.part.fetch(self._bytes(a, b) for a, b in runs)
        parts = [self._run(a, b)[known[(known >= a) & (known < b)] - a] for a, b in runs]
        return np.concatenate([*parts, self._empty()])[back.reshape(places.shape)]

    def view(self, dtype: Any) -> PartialArray:
        """The same bytes as another type of that size."""
        return PartialArray(self._source, np.dtype(dtype), self.shape, self._first)

    def _run(self, start: int, stop: int) -> Array:
        if self._source.is_much((stop - start) * self._row):
            return self._whole()[start:stop]
        first, last = self._bytes(start, stop)
        return np.frombuffer(self._source.part.read_at(first, last - first), self.dtype).reshape(-1, *self.shape[1:])

    def _runs(self, known: npt.NDArray[np.int64]) -> Iterator[tuple[int, int]]:
        """Ascending rows as runs; those that lie less than a block apart are one."""
        cuts = np.flatnonzero(np.diff(known) * self._row > BLOCK) + 1
        for rows in np.split(known, cuts) if len(known) else ():
            yield int(rows[0]), int(rows[-1]) + 1

    def _bytes(self, start: int, stop: int) -> tuple[int, int]:
        return self._first + start * self._row, self._first + stop * self._row

    def _whole(self) -> Array:
        return self._source.whole().view(self.dtype)

    def _empty(self) -> Array:
        return np.empty((0, *self.shape[1:]), self.dtype)
