"""Arrays of unknown length written as they come, since a segment's arrays must never have to fit into memory."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt

_HEADER = 128  # fixed, so that the header can be written last; a multiple of 64 as the format asks


class NpyWriter:
    """Appends rows to a `.npy` file (NEP 1, version 1.0). `row` is the shape of one row: () for a flat array."""

    def __init__(self, path: Path, dtype: str, row: tuple[int, ...] = ()) -> None:
        self.path, self.dtype, self.row, self.rows = path, np.dtype(dtype), row, 0
        self._file = path.open("wb")
        self._file.write(b" " * _HEADER)

    def append(self, rows: npt.ArrayLike) -> None:
        """Adds rows, cast to the file's type."""
        array = np.ascontiguousarray(rows, dtype=self.dtype)
        if array.shape[1:] != self.row:
            raise ValueError(f"{self.path.name}: rows of shape {array.shape[1:]}, expected {self.row}")
        self._file.write(array.tobytes())
        self.rows += len(array)

    def close(self) -> None:
        if self._file.closed:
            return
        self._file.seek(0)
        self._file.write(self._header())
        self._file.close()

    def _header(self) -> bytes:
        what: dict[str, Any] = {"descr": self.dtype.str, "fortran_order": False, "shape": (self.rows, *self.row)}
        text = str(what).encode("latin1")
        return b"\x93NUMPY\x01\x00" + (_HEADER - 10).to_bytes(2, "little") + text.ljust(_HEADER - 11) + b"\n"

    def __enter__(self) -> NpyWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()
