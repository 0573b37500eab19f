"""An append-only log of keyed records: answers must outlive a kill at any moment, and 100,000 of them must not be 100,000 files.

A folder of segments; each process that writes has one of its own, so that nothing is ever written into another's. A record is one line:

    CRC32 KEY KIND JSON        (crc32 of all after it, 8 hex digits; key, 32 hex digits; kind, one letter)

A last line that a kill cut short has no newline or a wrong crc and is dropped. Kind `A` (an answer) stays whatever is written after it,
the first one in the segments' order; any other kind gives way to what comes later. So a look-up depends on the files alone.
"""

from __future__ import annotations

import fcntl
import io
import json
import os
import secrets
import threading
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ANSWER, DEAD = "A", "D"
SUFFIX = ".seg"
_HEAD = 9 + 33 + 2  # crc, key and kind with the spaces after them


@dataclass(frozen=True, order=True, slots=True)
class Place:
    """Where a record stands; the order of places is the order of precedence."""

    segment: str
    offset: int
    length: int
    kind: str


class SegmentLog:
    """The log in `folder`, which need not be there yet. Safe for threads; other processes' records are seen after `refresh`.

    `torn` counts lines that were dropped.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.torn = folder, 0
        self._places: dict[str, Place] = {}
        self._read: dict[str, int] = {}
        self._lock = threading.RLock()
        self._writer: int | None = None
        self._owner, self._segment, self._end = 0, "", 0
        self.refresh()

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, key: str) -> bool:
        return key in self._places

    def kind(self, key: str) -> str | None:
        """The kind of the record that holds for `key`."""
        place = self._places.get(key)
        return place.kind if place else None

    def get(self, key: str) -> tuple[str, dict[str, Any]] | None:
        """Kind and content of the record that holds for `key`."""
        for attempt in (1, 2):
            place = self._places.get(key)
            if place is None:
                return None
            line = self.line(place)
            if line is not None and line[9:41].decode() == key:
                return place.kind, json.loads(line[_HEAD:])
            if attempt == 1:
                self._reload()  # compacted meanwhile
        return None

    def put(self, key: str, kind: str, content: Mapping[str, Any]) -> None:
        """Appends a record with one write, so that a kill leaves it whole or torn at the end of its segment, and nothing else changed."""
        line = frame(key, kind, json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode())
        with self._lock:
            file = self._open()
            written = os.write(file, line)
            while written < len(line):
                written += os.write(file, line[written:])
            self._take(key, Place(self._segment, self._end, len(line), kind))
            self._end += len(line)
            self._read[self._segment] = self._end

    def items(self) -> Iterator[tuple[str, str]]:
        """(key, kind) of every record that holds, sorted by key."""
        yield from sorted((key, place.kind) for key, place in self._places.items())

    def places(self) -> list[tuple[str, Place]]:
        """Where the record stands that holds for each key."""
        with self._lock:
            return list(self._places.items())

    def line(self, place: Place) -> bytes | None:
        """The line of a record; None where it no longer stands there."""
        return _line_at(self.folder / place.segment, place)

    def refresh(self) -> None:
        """Reads what was written since, by any process."""
        with self._lock:
            for path in segments(self.folder):
                start = self._read.get(path.name, 0)
                for place, key in self._scan(path, start):
                    self._take(key, place)

    def close(self) -> None:
        """Writes through to the disk and lets the segment go, so that it can be compacted."""
        with self._lock:
            if self._writer is not None and self._owner == os.getpid():
                os.fsync(self._writer)
                os.close(self._writer)
            self._writer = None

    def _reload(self) -> None:
        with self._lock:
            self._places.clear()
            self._read.clear()
            self.refresh()

    def _take(self, key: str, new: Place) -> None:
        old = self._places.get(key)
        if old is None or _holds(new, old):
            self._places[key] = new

    def _scan(self, path: Path, start: int) -> Iterator[tuple[Place, str]]:
        try:
            data = path.read_bytes()[start:]
        except FileNotFoundError:
            return
        at = start
        for line in io.BytesIO(data):
            if not line.endswith(b"\n"):
                break  # torn, or being written: read again at the next refresh
            if whole(line):
                yield Place(path.name, at, len(line), chr(line[42])), line[9:41].decode()
            else:
                self.torn += 1
            at += len(line)
        self._read[path.name] = at

    def _open(self) -> int:
        if self._writer is None or self._owner != os.getpid():  # a forked child must not write into its parent's segment
            self._writer, self._segment = _create(self.folder)
            self._owner, self._end = os.getpid(), 0
        return self._writer


def frame(key: str, kind: str, content: bytes) -> bytes:
    """The line of a record."""
    rest = f"{key} {kind} ".encode() + content
    return f"{zlib.crc32(rest):08x} ".encode() + rest + b"\n"


def whole(line: bytes) -> bool:
    """Whether a line is a record as it was written."""
    return len(line) > _HEAD and line.endswith(b"\n") and line[:8] == f"{zlib.crc32(line[9:-1]):08x}".encode()


def content_of(line: bytes) -> bytes:
    """The JSON of a whole line."""
    return line[_HEAD:]


def segments(folder: Path) -> list[Path]:
    """Segment files in the order of precedence."""
    return sorted(folder.glob(f"*{SUFFIX}"), key=lambda path: path.name)


def _holds(new: Place, old: Place) -> bool:
    """Whether `new` takes the place of `old`: answers over anything else; among answers the first, otherwise the last."""
    if (new.kind == ANSWER) != (old.kind == ANSWER):
        return new.kind == ANSWER
    return new < old if new.kind == ANSWER else new > old


def _line_at(path: Path, place: Place) -> bytes | None:
    try:
        with path.open("rb") as file:
            file.seek(place.offset)
            line = file.read(place.length)
    except FileNotFoundError:
        return None
    return line if whole(line) else None


def _create(folder: Path) -> tuple[int, str]:
    """A new segment, locked for as long as its writer lives (the kernel frees a killed one's lock)."""
    folder.mkdir(parents=True, exist_ok=True)
    last = segments(folder)
    number = int(last[-1].name[:8]) + 1 if last else 1
    name = f"{number:08d}-{secrets.token_hex(4)}{SUFFIX}"
    file = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC, 0o666)
    fcntl.flock(file, fcntl.LOCK_EX)
    return file, name
