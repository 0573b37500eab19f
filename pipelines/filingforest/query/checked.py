"""Compares files on this disk with the hashes that were published: a map of a file notices neither a bit that rotted nor a hand in it.

What is read whole is hashed whole, once a file and process. Of large files that are read in parts each block is compared when it is first
touched (`checked_array.py`); once an eighth of a file was, the rest is too. Then it is written down beside the cache (`.seen/`) which file
that was: its inode, size and time of change. As long as those stay, no process looks again.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
import numpy.typing as npt

from filingforest import file_blocks
from filingforest.errors import Corrupt

MUCH = 8  # from a file's eighth on all of it is compared, once for all processes
_FOLDER = ".seen"
_KEPT = re.compile(r"[0-9a-f]{64}")  # how files in the cache are called
_MOST = 50_000  # files that a process remembers
_Key = tuple[str, int, int, int]
_whole: set[tuple[_Key, str]] = set()
_blocks: dict[_Key, npt.NDArray[np.bool_]] = {}


def is_whole(path: Path, sha256: str) -> bool:
    """Whether a file has that hash; read once a process."""
    key = _key(path), sha256
    if key in _whole:
        return True
    with path.open("rb") as stream:
        same = hashlib.file_digest(stream, "sha256").hexdigest() == sha256
    if same:
        _remember_whole(key)
    return same


def found_whole(path: Path, sha256: str, cache: Path) -> None:
    """Takes note of a file that was hashed while it was fetched."""
    _remember_whole((_key(path), sha256))
    if path.stat().st_size > file_blocks.WHOLE:
        _write_down(path, cache)


class Blocks:
    """A large local file, whose blocks have these `digests`. Errors of what checks: Corrupt, naming the file; a cached copy is dropped."""

    def __init__(self, path: Path, digests: Sequence[str], cache: Path | None = None) -> None:
        self._path, self._digests, self._cache = path, digests, cache
        self._data = np.memmap(path, np.uint8, mode="r")
        key = _key(path)
        if key not in _blocks:
            if len(_blocks) > _MOST:
                _blocks.clear()
            _blocks[key] = np.full(len(digests), cache is not None and _is_written_down(path, cache))
        self._seen = _blocks[key]

    def check(self, start: int, end: int) -> None:
        """Those that hold the bytes [start, end)."""
        first, last = start // file_blocks.BLOCK, -(-end // file_blocks.BLOCK)
        if end > start and not self._seen[first:last].all():
            for block in np.flatnonzero(~self._seen[first:last]).tolist():
                self._compare(first + block)

    def check_rows(self, starts: npt.NDArray[np.int64], size: int) -> None:
        """Those that hold `size` bytes (no more than a block has) from each of the starts on."""
        if self._seen.all():
            return
        for edge in (starts // file_blocks.BLOCK, (starts + size - 1) // file_blocks.BLOCK):
            for block in np.unique(edge[~self._seen[edge]]).tolist():
                self._compare(block)

    def check_footer(self) -> None:
        """Those that hold the footer of a Parquet file: its pages carry checksums, what says where they lie does not."""
        size = len(self._data)
        self.check(size - 8, size)
        length = int.from_bytes(self._data[size - 8 : size - 4].tobytes(), "little")
        self.check(max(0, size - 8 - length), size)

    def check_rest(self) -> None:
        """All, once so much was touched that the rest is worth it; this is what is written down."""
        if not self._seen.all() and int(self._seen.sum()) * MUCH > len(self._seen):
            self.check(0, len(self._data))
            if self._cache is not None:
                _write_down(self._path, self._cache)

    def _compare(self, block: int) -> None:
        data = self._data[block * file_blocks.BLOCK : (block + 1) * file_blocks.BLOCK]
        if file_blocks.block_digest(data) != self._digests[block]:
            raise self._damaged(block * file_blocks.BLOCK)
        self._seen[block] = True

    def _damaged(self, place: int) -> Corrupt:
        remedy = "run `filingforest publications verify`, and roll back or publish again"
        if _KEPT.fullmatch(self._path.name):
            self._path.unlink(missing_ok=True)
            remedy = "the copy in the cache was dropped: open the index again"
        why = f"its bytes from {place} on are not those that were published"
        return Corrupt(why, document=str(self._path), stage="query", remedy=remedy)


def _key(path: Path) -> _Key:
    stat = path.stat()
    return str(path), stat.st_ino, stat.st_size, stat.st_mtime_ns


def _remember_whole(key: tuple[_Key, str]) -> None:
    if len(_whole) > _MOST:
        _whole.clear()
    _whole.add(key)


def _is_written_down(path: Path, cache: Path) -> bool:
    try:
        return _note(path, cache).read_text(encoding="ascii") == repr(_key(path)[1:])
    except (OSError, ValueError):
        return False


def _write_down(path: Path, cache: Path) -> None:
    """For other processes. A cache that cannot be written to is one that remembers nothing."""
    note = _note(path, cache)
    with suppress(OSError):
        note.parent.mkdir(parents=True, exist_ok=True)
        part = note.with_suffix(f".{os.getpid()}")
        part.write_text(repr(_key(path)[1:]), encoding="ascii")
        part.replace(note)


def _note(path: Path, cache: Path) -> Path:
    return cache / _FOLDER / hashlib.sha256(str(path.absolute()).encode()).hexdigest()[:32]
