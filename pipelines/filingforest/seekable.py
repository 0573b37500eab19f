"""Ranges of an object as a file that can be sought in, since Parquet's reader asks for a file."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any


class SeekableRanges(io.RawIOBase):
    """`size` bytes that `read_at(offset, length)` gives in parts; never asked for what lies beyond the end."""

    def __init__(self, size: int, read_at: Callable[[int, int], bytes]) -> None:
        self._size, self._read_at, self._place = size, read_at, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._place = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self._size}[whence]
        return self._place

    def read(self, size: int | None = -1) -> bytes:
        left = max(0, self._size - self._place)
        wanted = left if size is None or size < 0 else min(size, left)
        data = self._read_at(self._place, wanted) if wanted else b""
        self._place += len(data)
        return data

    def readinto(self, buffer: Any) -> int:
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)
