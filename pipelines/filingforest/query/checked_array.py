"""A memory-mapped array of a large file on this disk, whose blocks are compared with what was published as they are touched."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from filingforest import file_blocks
from filingforest.query.arrays import Array, open_array, read_header
from filingforest.query.checked import Blocks


class CheckedArray:
    """Rows and slices of the array are compared before they are given out; numpy sees all of it where it asks for more."""

    def __init__(self, array: Array, blocks: Blocks, first: int) -> None:
        self._array, self._blocks, self._first = array, blocks, first
        self.dtype, self.shape = array.dtype, array.shape
        self._row = int(array.dtype.itemsize * np.prod(array.shape[1:], dtype=np.int64))

    @classmethod
    def open(cls, path: Path, digests: Sequence[str], cache: Path | None = None) -> CheckedArray:
        """Errors: Corrupt."""
        blocks = Blocks(path, digests, cache)
        blocks.check(0, 1)  # the header
        array = open_array(path)
        with path.open("rb") as stream:
            read_header(stream)
            return cls(array, blocks, stream.tell())

    def __len__(self) -> int:
        return len(self._array)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.asarray(self._whole(), dtype)

    def __getitem__(self, wanted: Any) -> Any:
        if isinstance(wanted, slice):
            start, stop, step = wanted.indices(len(self))
            if step != 1:
                return self._whole()[wanted]
            self._blocks.check(self._first + start * self._row, self._first + max(start, stop) * self._row)
            self._blocks.check_rest()
            return self._array[wanted]
        rows = np.asarray(wanted)
        self._check(np.flatnonzero(rows) if rows.dtype == np.bool_ else rows)
        return self._array[wanted]

    def take(self, rows: npt.ArrayLike, axis: int = 0) -> Array:
        """Rows by place."""
        places = np.asarray(rows, dtype=np.int64)
        self._check(places)
        return self._array.take(places, axis=axis)

    def view(self, dtype: Any) -> CheckedArray:
        """The same bytes as another type of that size."""
        return CheckedArray(self._array.view(dtype), self._blocks, self._first)

    def _check(self, rows: npt.NDArray[Any]) -> None:
        places = np.where(rows < 0, rows + len(self), rows).astype(np.int64).ravel()
        if self._row > file_blocks.BLOCK:
            self._whole()
        self._blocks.check_rows(self._first + places * self._row, self._row)
        self._blocks.check_rest()

    def _whole(self) -> Array:
        self._blocks.check(0, self._first + len(self) * self._row)
        self._blocks.check_rest()
        return self._array
