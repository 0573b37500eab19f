"""Keeps the disk cache of S3 files within bounds, so that a reader which follows a year of publications does not fill a disk.

What was used longest ago goes first. A file that another process or thread has mapped may go too: its pages stay until it is let go,
and whoever opens it again fetches it again. Files put in place less than a minute ago stay: they are about to be opened.
"""

from __future__ import annotations

import errno
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filingforest.errors import PermissionDenied, StoreFull

LIMIT_VARIABLE = "FILINGFOREST_CACHE_GB"
DEFAULT_GB = 50.0
_USED_AGAIN_S = 3_600.0  # a use is noted once an hour: noting costs a write
_ABOUT_TO_BE_OPENED_S = 60.0
_DOWNLOADED_S = 3_600.0  # a part that was not written to for so long has nobody who writes it
_LOCK = ".evicting"


@contextmanager
def cache_errors(cache: Path) -> Iterator[None]:
    """What the disk refuses, told as the cache's: it is this machine's matter, not the index's. Errors: StoreFull, PermissionDenied."""
    try:
        yield
    except OSError as error:
        kind = StoreFull if error.errno in (errno.ENOSPC, errno.EDQUOT) else PermissionDenied
        remedy = "free space, or name a folder that this user may write to as FILINGFOREST_CACHE"
        message = f"the reader's cache cannot be written: {error.strerror or error}"
        raise kind(message, document=str(cache), stage="query", remedy=remedy) from error


def limit_bytes() -> int:
    """FILINGFOREST_CACHE_GB in bytes; 0 and what is no number: unbounded."""
    try:
        return int(float(os.environ.get(LIMIT_VARIABLE, DEFAULT_GB)) * 1e9)
    except ValueError:
        return 0


def used(path: Path, now: float | None = None) -> None:
    """Notes that a cached file was used; when it was changed stays as it is, since that is how it is known (see `checked.py`)."""
    now = time.time() if now is None else now
    try:
        stat = path.stat()
        if now - _last_use(stat) > _USED_AGAIN_S:
            os.utime(path, ns=(int(now * 1e9), stat.st_mtime_ns))
    except OSError:
        pass  # gone meanwhile, or a cache that is only read


def evict(cache: Path, limit: int, now: float | None = None) -> list[Path]:
    """Removes files until the cache is within `limit` bytes (0: unbounded); those that went. One process at a time, nobody waits."""
    if limit <= 0:
        return []
    now = time.time() if now is None else now
    with (cache / _LOCK).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return []
        files = sorted(_files(cache))
        total = sum(size for _, size, _ in files)
        gone = []
        for modified, size, path in files:
            if total <= limit or now - modified < _ABOUT_TO_BE_OPENED_S:
                break
            path.unlink(missing_ok=True)
            gone.append(path)
            total -= size
        return gone


def forget(cache: Path, sha256: str, now: float | None = None) -> None:
    """Removes what is kept of a file, all of it or blocks of it, and beside them what a killed download left."""
    now, folder = time.time() if now is None else now, cache / sha256[:2]
    forget_blocks(cache, sha256)
    for path in [folder / sha256, *(part for part in folder.glob(".part-*") if _age(part, now) > _DOWNLOADED_S)]:
        path.unlink(missing_ok=True)


def forget_blocks(cache: Path, sha256: str) -> None:
    """Removes the blocks that are kept of a file (`{sha256}.{block}`)."""
    for path in (cache / sha256[:2]).glob(f"{sha256}.*"):
        path.unlink(missing_ok=True)


def _age(path: Path, now: float) -> float:
    try:
        return now - path.stat().st_mtime
    except OSError:  # its download is done
        return 0.0


def _files(cache: Path) -> Iterator[tuple[float, int, Path]]:
    """Last use, size and path of each cached file: those named by their hash, below two digits of it."""
    for folder in cache.glob("[0-9a-f][0-9a-f]"):
        for path in folder.iterdir():
            try:
                stat = path.stat()
            except OSError:
                continue
            yield _last_use(stat), stat.st_size, path


def _last_use(stat: os.stat_result) -> float:
    return max(stat.st_atime, stat.st_mtime)
