"""Brings a publication's files to where they can be memory-mapped: in place from a folder, once into a disk cache from S3."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

from filingforest.errors import Corrupt, NotFound, PublicationGone
from filingforest.manifest import FileEntry
from filingforest.query.cache import evict, limit_bytes, used
from filingforest.store import Store

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
        """A local file with the entry's bytes. Errors: PublicationGone when pruned, Corrupt when not what the manifest says."""
        local = self.store.local_path(entry.path) or self._cached(entry)
        try:
            size = local.stat().st_size
        except FileNotFoundError as error:
            raise gone(entry.path) from error
        if size != entry.bytes:
            raise _corrupt(entry, f"{size} bytes, the manifest says {entry.bytes}")
        return local

    def _cached(self, entry: FileEntry) -> Path:
        target = self.cache / entry.sha256[:2] / entry.sha256
        if not target.exists() or target.stat().st_size != entry.bytes:
            target.parent.mkdir(parents=True, exist_ok=True)
            self._download(entry, target)
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
                    raise _corrupt(entry, "its sha256 is not the manifest's")
                Path(part.name).replace(target)
            except NotFound as error:
                raise gone(entry.path) from error
            finally:
                Path(part.name).unlink(missing_ok=True)


def gone(key: str) -> PublicationGone:
    """The error for a file that a prune took away."""
    return PublicationGone(
        f"{key} is not there any more", stage="query", remedy="call refresh() to follow CURRENT, or open another publication"
    )


def _corrupt(entry: FileEntry, why: str) -> Corrupt:
    return Corrupt(why, document=entry.path, stage="query", remedy="run `filingforest publications verify`, and roll back or publish again")
