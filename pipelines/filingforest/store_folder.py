"""A folder as a store: temporary file, fsync, link into place; pointers are renamed over under a file lock.

`.tmp/` and `.locks/` in the root belong to the store and are never listed. A crash leaves at worst a file in `.tmp/`.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import os
import shutil
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filingforest.errors import LostRace, NotFound
from filingforest.store import Stat, check_key, check_prefix
from filingforest.store_errors import os_errors
from filingforest.store_steps import step

_HASHED = 1 << 16  # pointers get an etag of their content, large files one of inode and time


class FolderStore:
    """See `store.Store`."""

    def __init__(self, root: Path) -> None:
        self.root = Path.cwd() / root.expanduser()

    @property
    def url(self) -> str:
        return str(self.root)

    def get(self, key: str) -> bytes:
        return self.read(key)[0]

    def read(self, key: str) -> tuple[bytes, Stat]:
        with os_errors(key), self._path(key).open("rb") as source:
            data = source.read()
            return data, _stat(os.fstat(source.fileno()), data)

    def get_range(self, key: str, start: int, length: int) -> bytes:
        with os_errors(key), self._path(key).open("rb") as source:
            source.seek(start)
            return source.read(length)

    def stat(self, key: str) -> Stat | None:
        path = self._path(key)
        try:
            with os_errors(key):
                found = path.stat()
                if not path.is_file():
                    return None
                return self.read(key)[1] if found.st_size <= _HASHED else _stat(found, None)
        except NotFound:
            return None

    def put_new(self, key: str, data: bytes | Path) -> bool:
        target = self._path(key)
        with os_errors(key):
            return False if target.exists() else self._create(key, target, data)

    def swap(self, key: str, data: bytes, expected: str | None) -> Stat:
        target = self._path(key)
        with os_errors(key), self._lock(key):
            found = self.stat(key)
            if (found.etag if found else None) != expected:
                raise LostRace("it was changed meanwhile", document=key, stage="store", remedy="start again from what it is now")
            with self._temporary(key, data) as temporary:
                self._make_parents(target)
                with step(f"rename {key}"):
                    temporary.replace(target)
                with step(f"sync {key}"):
                    _sync_folder(target.parent)
            return _stat(target.stat(), data)

    def list(self, prefix: str) -> Iterator[str]:
        folder = check_prefix(prefix).rpartition("/")[0]
        with os_errors(prefix or "/"):
            yield from _walk(self.root / folder, folder + "/" if folder else "", prefix)

    def delete(self, key: str) -> None:
        path = self._path(key)
        with os_errors(key), step(f"delete {key}"):
            path.unlink(missing_ok=True)
        for parent in path.parents:
            if parent == self.root or not _remove_if_empty(parent):
                return

    def local_path(self, key: str) -> Path | None:
        return self._path(key)

    def clean(self, older_than_s: float, now: float | None = None) -> int:
        """Remove temporary files that crashed writers left; returns how many. `now` as the folder's own clock has it."""
        removed, now = 0, time.time() if now is None else now
        for path in (self.root / ".tmp").glob("*"):
            with contextlib.suppress(FileNotFoundError):  # its writer is done with it
                if now - path.stat().st_mtime > older_than_s:
                    path.unlink()
                    removed += 1
        return removed

    def _create(self, key: str, target: Path, data: bytes | Path) -> bool:
        with self._temporary(key, data) as temporary:
            self._make_parents(target)
            with step(f"link {key}"):
                created = self._link(temporary, target)
            with step(f"sync {key}"):
                _sync_folder(target.parent)
        return created

    def _path(self, key: str) -> Path:
        return self.root / check_key(key)

    @contextmanager
    def _temporary(self, key: str, data: bytes | Path) -> Iterator[Path]:
        folder = self.root / ".tmp"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / uuid.uuid4().hex
        try:
            with step(f"write {key}"):
                _write_synced(path, data)
            yield path
        finally:
            path.unlink(missing_ok=True)

    def _link(self, temporary: Path, target: Path) -> bool:
        """Create `target` exclusively; a folder emptied and removed by `delete` at this moment is made again."""
        for _ in range(5):
            try:
                os.link(temporary, target)
                return True
            except FileExistsError:
                return False
            except FileNotFoundError:
                self._make_parents(target)
            except OSError as error:
                if error.errno not in _NO_LINKS:
                    raise
                return self._rename_exclusively(temporary, target)
        raise FileNotFoundError(target)

    def _rename_exclusively(self, temporary: Path, target: Path) -> bool:
        """For file systems without hard links: look and rename under the lock that all writers take there."""
        with self._lock("link"):
            if target.exists():
                return False
            temporary.replace(target)
            return True

    def _make_parents(self, target: Path) -> None:
        missing = [p for p in (target.parent, *target.parent.parents) if p.is_relative_to(self.root) and not p.exists()]
        target.parent.mkdir(parents=True, exist_ok=True)
        for folder in missing:
            if folder != self.root:
                _sync_folder(folder.parent)

    @contextmanager
    def _lock(self, key: str) -> Iterator[None]:
        folder = self.root / ".locks"
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / hashlib.sha256(key.encode()).hexdigest()[:16]).open("a", encoding="ascii") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # the kernel lets go when the process dies
            yield


_NO_LINKS = {errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}  # what file systems without hard links answer


def _stat(found: os.stat_result, data: bytes | None) -> Stat:
    small = data is not None and len(data) <= _HASHED
    etag = hashlib.sha256(data or b"").hexdigest()[:32] if small else f"{found.st_ino:x}-{found.st_mtime_ns:x}-{found.st_size:x}"
    return Stat(found.st_size, etag, found.st_mtime)


def _write_synced(path: Path, data: bytes | Path) -> None:
    with path.open("xb") as out:
        if isinstance(data, Path):
            with data.open("rb") as source:
                shutil.copyfileobj(source, out, 1 << 20)
        else:
            out.write(data)
        out.flush()
        os.fsync(out.fileno())


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _walk(folder: Path, base: str, prefix: str) -> Iterator[str]:
    """Keys below `folder` in the order of their bytes, as S3 lists them ('-' and '.' sort before '/')."""
    try:
        entries = sorted((entry.name + "/" if entry.is_dir() else entry.name) for entry in os.scandir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return
    for name in entries:
        key = base + name
        if not base and name.startswith("."):
            continue
        if name.endswith("/") and (key.startswith(prefix) or prefix.startswith(key)):
            yield from _walk(folder / name, key, prefix)
        elif not name.endswith("/") and key.startswith(prefix):
            yield key


def _remove_if_empty(folder: Path) -> bool:
    try:
        folder.rmdir()
    except OSError:
        return False
    return True
