"""Reads a few rows' worth of a large file of S3: the blocks that are needed, kept on disk by hash and place like whole files.

A block is compared with its hash where the segment says it (`blocks` in `segment.json`).
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from filingforest.current import is_absent
from filingforest.errors import Corrupt, FilingForestError, NotFound, PermissionDenied, PublicationGone
from filingforest.file_blocks import BLOCK, block_digest
from filingforest.manifest import FileEntry
from filingforest.query.cache import cache_errors, evict, forget_blocks, limit_bytes, used
from filingforest.store import Store

_RUN = 16  # blocks that one request may ask for
_AT_ONCE = 8  # requests


def gone(key: str) -> PublicationGone:
    """The error for a file that a prune took away."""
    return PublicationGone(
        f"{key} is not there any more", stage="query", remedy="call refresh() to follow CURRENT, or open another publication"
    )


def refused(store: Store, entry: FileEntry, error: NotFound | PermissionDenied) -> FilingForestError:
    """The error for a file that the store would not give."""
    return gone(entry.path) if is_absent(store, error) else error


def corrupt(entry: FileEntry, why: str) -> Corrupt:
    """The error for a file that is not what the manifest says."""
    return Corrupt(why, document=entry.path, stage="query", remedy="run `filingforest publications verify`, and roll back or publish again")


class Ranged:
    """A file of a store, read by ranges; `digests` of its blocks, where they are known.

    Errors of every method: PublicationGone when pruned, Corrupt when shorter than it should be or not of its digests.
    """

    def __init__(self, store: Store, cache: Path, entry: FileEntry, digests: Sequence[str] = ()) -> None:
        self.entry, self.size, self.digests = entry, entry.bytes, digests
        self._store, self._folder, self._cache = store, cache / entry.sha256[:2], cache
        self._needed, self._compared = set[int](), set[int]()

    @property
    def needed(self) -> int:
        """How many different blocks were asked for."""
        return len(self._needed)

    def fetch(self, ranges: Iterable[tuple[int, int]]) -> list[int]:
        """Brings the blocks of these ranges [start, end) to disk, several requests at a time; their numbers, ascending."""
        wanted = sorted({block for start, end in ranges for block in _blocks(start, end)})
        self._needed.update(wanted)
        missing = list(_runs([block for block in wanted if not self._is_there(block)]))
        if missing:
            with cache_errors(self._cache):
                self._folder.mkdir(parents=True, exist_ok=True)
                with ThreadPoolExecutor(min(_AT_ONCE, len(missing))) as pool:
                    list(pool.map(self._download, missing))
                evict(self._cache, limit_bytes())
        return wanted

    def read_at(self, start: int, length: int) -> bytes:
        """Those bytes, fewer at the end of the file."""
        end = min(start + length, self.size)
        parts = [self._block(block)[max(0, start - block * BLOCK) : end - block * BLOCK] for block in self.fetch([(start, end)])]
        return b"".join(parts)

    def forget(self) -> None:
        """Drops what was fetched, so that it is fetched again."""
        self._compared.clear()
        forget_blocks(self._cache, self.entry.sha256)

    def _block(self, block: int) -> bytes:
        """What is on disk, fetched again where the cache let it go meanwhile or it is not what was published."""
        with suppress(FileNotFoundError):
            data = self._path(block).read_bytes()
            if self._is_good(block, data):
                return data
        self._download(range(block, block + 1))
        return self._path(block).read_bytes()

    def _is_good(self, block: int, data: bytes) -> bool:
        """Compared once a reader, where it is known what to compare with."""
        if self.digests and block not in self._compared:
            if block_digest(data) != self.digests[block]:
                return False
            self._compared.add(block)
        return True

    def _path(self, block: int) -> Path:
        return self._folder / f"{self.entry.sha256}.{block}"

    def _is_there(self, block: int) -> bool:
        path = self._path(block)
        try:
            there = path.stat().st_size == min(BLOCK, self.size - block * BLOCK)
        except FileNotFoundError:
            return False
        used(path)
        return there

    def _download(self, run: range) -> None:
        start, end = run.start * BLOCK, min(run.stop * BLOCK, self.size)
        try:
            data = self._store.get_range(self.entry.path, start, end - start)
        except (NotFound, PermissionDenied) as error:
            raise refused(self._store, self.entry, error) from error
        if len(data) != end - start:
            raise corrupt(self.entry, f"{len(data)} bytes from {start}, the manifest says {self.size} in all")
        for place, block in enumerate(run):
            self._keep(block, data[place * BLOCK : (place + 1) * BLOCK])

    def _keep(self, block: int, data: bytes) -> None:
        if not self._is_good(block, data):
            raise corrupt(self.entry, f"its bytes from {block * BLOCK} on are not those that were published")
        with tempfile.NamedTemporaryFile(dir=self._folder, prefix=".part-", delete=False) as part:
            part.write(data)
        Path(part.name).replace(self._path(block))


def _blocks(start: int, end: int) -> range:
    """Those that hold the bytes [start, end)."""
    return range(start // BLOCK, -(-end // BLOCK)) if end > start else range(0)


def _runs(blocks: list[int]) -> Iterator[range]:
    """Neighbours as one run, of at most _RUN blocks."""
    start = 0
    for place in range(1, len(blocks) + 1):
        if place == len(blocks) or blocks[place] != blocks[place - 1] + 1 or place - start == _RUN:
            yield range(blocks[start], blocks[place - 1] + 1)
            start = place
