"""Makes one segment of many, so that a log that a thousand runs wrote to opens as fast as one that a single run wrote.

Only segments whose writers are gone are merged, and only a run of them from the front: which record holds for a key does not change.
The new segment is written aside, synced and renamed before the old ones go: a kill at any moment loses nothing.
"""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from filingforest.models.llm.log import SUFFIX, SegmentLog, segments, whole


@dataclass(frozen=True, slots=True)
class Compacted:
    """Segments merged, records kept, lines dropped (torn, or superseded)."""

    segments: int
    kept: int
    dropped: int


def compact(folder: Path) -> Compacted:
    """Merges the segments at the front of `folder` that nobody writes to. Nothing where there are fewer than two, or another is at it."""
    if not folder.is_dir():
        return Compacted(0, 0, 0)
    with gate(folder) as is_ours, ExitStack() as stack:
        closed = _closed(folder, stack) if is_ours else []
        return _merge(folder, closed) if len(closed) > 1 else Compacted(0, 0, 0)


@contextmanager
def gate(folder: Path, wait: bool = False) -> Iterator[bool]:
    """Whether this process alone rewrites segments of `folder`; with `wait` it is, after those before it."""
    with (folder / "compact.lock").open("ab") as file:
        yield _lock(file.fileno(), wait)


def closed_segment(file: int) -> bool:
    """Whether nobody writes to an open segment, nor will before it is closed again."""
    return _lock(file)


def _lock(file: int, wait: bool = False) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    return True


def _closed(folder: Path, stack: ExitStack) -> list[Path]:
    """The longest run of segments from the front without a writer."""
    found: list[Path] = []
    for path in segments(folder):
        if not _lock(stack.enter_context(path.open("rb")).fileno()):
            break
        found.append(path)
    return found


def _merge(folder: Path, paths: list[Path]) -> Compacted:
    holding = SegmentLog(folder)
    names = {path.name for path in paths}
    kept = {key: place for key, place in holding.places() if place.segment in names}
    lines = sum(path.read_bytes().count(b"\n") for path in paths)
    part = folder / f"{paths[0].name}.part"
    with part.open("wb") as out:
        for place in sorted(kept.values()):
            line = holding.line(place)
            assert line is not None and whole(line)
            out.write(line)
        out.flush()
        os.fsync(out.fileno())
    part.rename(folder / successor(paths[0].name))
    for path in paths:
        path.unlink()
    return Compacted(len(paths), len(kept), lines - len(kept))


def successor(name: str) -> str:
    """A name in the same place of the order that no reader knows offsets of: 00000001-ab.seg -> 00000001-ab.000001.seg -> ...000002.seg"""
    stem = name.removesuffix(SUFFIX)
    numbered = re.fullmatch(r"(.*)\.(\d{6})", stem)
    return f"{numbered[1]}.{int(numbered[2]) + 1:06d}{SUFFIX}" if numbered else f"{stem}.000001{SUFFIX}"
