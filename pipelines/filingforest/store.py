"""Where everything is kept: one small interface over a folder and S3, so that nothing above it knows which one it is.

Objects are written once (`put_new`) and never changed; the one thing that changes, a pointer, changes by compare-and-swap
(`swap`). Keys are relative and checked, so that no name taken from a document can leave the root.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from urllib.parse import unquote, urlsplit

from filingforest.errors import BadKey, ConfigError

_KEY = re.compile(r"[A-Za-z0-9._:/~=-]+")


@dataclass(frozen=True, slots=True)
class Stat:
    """Size in bytes, an etag to compare with (never to compute with), and when it was written (Unix seconds)."""

    size: int
    etag: str
    modified: float = 0.0


class Store(Protocol):
    """Errors of every method: BadKey, PermissionDenied, StoreUnavailable (transient), StoreFull on writes; others are named."""

    @property
    def url(self) -> str:
        """The address that opens this store again."""

    def get(self, key: str) -> bytes:
        """The whole object. Errors: NotFound."""

    def get_range(self, key: str, start: int, length: int) -> bytes:
        """`length` bytes from `start`, fewer at the end of the object. Errors: NotFound."""

    def stat(self, key: str) -> Stat | None:
        """Size and etag, or None when it is not there."""

    def read(self, key: str) -> tuple[bytes, Stat]:
        """Body and etag of one and the same version. Errors: NotFound."""

    def put_new(self, key: str, data: bytes | Path) -> bool:
        """Create the object whole or not at all; False when it was there already (and was left alone)."""

    def swap(self, key: str, data: bytes, expected: str | None) -> Stat:
        """Replace the version whose etag is `expected` (None: it must not exist). Errors: LostRace."""

    def list(self, prefix: str) -> Iterator[str]:
        """Keys that start with `prefix`, sorted."""

    def delete(self, key: str) -> None:
        """Remove the object; it need not be there."""

    def local_path(self, key: str) -> Path | None:
        """The file itself where there is one (for memory maps); None on S3."""


def open_store(url: str) -> Store:
    """A store at a folder's path, `file://...` or `s3://bucket/prefix`. Nothing is created before the first write."""
    parts = urlsplit(url)
    if parts.scheme == "s3":
        if not parts.netloc:
            raise ConfigError(f"no bucket in {url!r}", stage="store", remedy="write s3://bucket/prefix")
        from filingforest.store_s3 import S3Store  # boto3 takes 0.3 s to import

        return S3Store.open(parts.netloc, parts.path.strip("/"))
    from filingforest.store_folder import FolderStore

    if "://" in url and parts.scheme != "file":
        raise ConfigError(f"no store for {url!r}", stage="store", remedy="give a folder, file:///path or s3://bucket/prefix")
    folder = Path(unquote(parts.path) if parts.scheme == "file" else url).expanduser()
    if _is_file(folder):
        raise ConfigError("it is a file, an index is a folder", document=str(folder), stage="store", remedy="name the folder that holds it")
    return FolderStore(folder)


def _is_file(path: Path) -> bool:
    """False also where one may not look: the first read says so."""
    try:
        return path.is_file()
    except OSError:
        return False


def check_key(key: str) -> str:
    """`key` itself when it is safe. Errors: BadKey."""
    parts = key.split("/")
    if not _KEY.fullmatch(key) or any(part in ("", ".", "..") for part in parts) or parts[0].startswith("."):
        remedy = "use A-Z a-z 0-9 . _ : ~ = - between slashes"
        raise BadKey("not a key that a store can hold", document=key[:200], stage="store", remedy=remedy)
    if len(key) > 900 or any(len(part) > 200 for part in parts):
        raise BadKey("key is too long", document=key[:200], stage="store", remedy="shorten the document's id")
    return key


def check_prefix(prefix: str) -> str:
    """`prefix` itself when it is empty or the beginning of a safe key. Errors: BadKey."""
    if prefix:
        check_key(prefix.removesuffix("/"))
    return prefix
