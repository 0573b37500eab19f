"""Brings a publication's files to where they can be memory-mapped: in place from a folder, once into a disk cache from S3.

Large tables of S3, of which a question needs a few rows, are read in parts instead (see `ranged.py`).
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

from filingforest.errors import NotFound, PermissionDenied
from filingforest.file_blocks import WHOLE
from filingforest.manifest import FileEntry
from filingforest.query.cache import cache_errors, evict, limit_bytes, used
from filingforest.query.checked import found_whole, is_whole
from filingforest.query.ranged import Ranged, corrupt, gone, refused
from filingforest.store import Store
from filingforest.store_errors import os_errors

_PART = 16 << 20


def default_cache() -> Path:
    """FILINGFOREST_CACHE, else the user's cache folder."""
    given = os.environ.get("FILINGFOREST_CACHE")
    return Path(given) if given else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "filingforest"


class Files:
    """The files of one index. Cached ones are named by sha256, so that indexes and publications share them; safe between processes."""

    def __init__(self, store: Store, cache: Path | None = None) -> None:
        self.store, self.cache = store, cache or default_cache()

    def path(self, entry: FileEntry) -> Path:
        """A local file with the entry's bytes, hashed once a process; a copy in the cache that changed is fetched again.

        Errors: PublicationGone when pruned, Corrupt when not what the manifest says.
        """
        local = self._local(entry)
        try:
            with os_errors(entry.path):
                if is_whole(local, entry.sha256):
                    return local
        except NotFound as error:
            raise gone(entry.path) from error
        if self.store.local_path(entry.path) is None:
            local.unlink(missing_ok=True)
            return self._local(entry)
        raise corrupt(entry, "its sha256 is not the manifest's")

    def part(self, entry: FileEntry) -> Path | Ranged:
        """The same for who reads a few rows of a large file and compares what it reads: a path whose size alone was looked at, or, where it
        lies on S3 and is not here yet, ranges of it. Small files are those of `path`.
        """
        if entry.bytes <= WHOLE:
            return self.path(entry)
        afar = self.store.local_path(entry.path) is None and not self._kept(entry).exists()
        return Ranged(self.store, self.cache, entry) if afar else self._local(entry)

    def _local(self, entry: FileEntry) -> Path:
        local = self.store.local_path(entry.path) or self._cached(entry)
        try:
            size = local.stat().st_size
        except FileNotFoundError as error:
            raise gone(entry.path) from error
        if size != entry.bytes:
            raise corrupt(entry, f"{size} bytes, the manifest says {entry.bytes}")
        return local

    def _kept(self, entry: FileEntry) -> Path:
        return self.cache / entry.sha256[:2] / entry.sha256

    def _cached(self, entry: FileEntry) -> Path:
        target = self._kept(entry)
        if not target.exists() or target.stat().st_size != entry.bytes:
            with cache_errors(self.cache):
                target.parent.mkdir(parents=True, exist_ok=True)
                self._download(entry, target)
                found_whole(target, entry.sha256, self.cache)
                evict(self.cache, limit_bytes())
        else:
            used(target)
        return target

    def _download(self, entry: FileEntry, target: Path) -> None:
        digest = hashlib.sha256()
        with tempfile.NamedTemporaryFile(dir=target.parent, prefix=".part-", delete=False) as part:
            try:
                for start in range(0, entry.bytes, _PART):
                    block = self.store.get_range(entry.path, start, min(_PART, entry.bytes - start))
                    digest.update(block)
                    part.write(block)
                part.close()
                if digest.hexdigest() != entry.sha256:
                    raise corrupt(entry, "its sha256 is not the manifest's")
                Path(part.name).replace(target)
            except (NotFound, PermissionDenied) as error:
                raise refused(self.store, entry, error) from error
            finally:
                Path(part.name).unlink(missing_ok=True)
