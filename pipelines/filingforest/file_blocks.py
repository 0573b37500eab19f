"""Large files in blocks, so that a reader of S3 can fetch some of them and still compare what it got with a hash."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

BLOCK = 256 << 10
WHOLE = 4 << 20  # files up to this size are not worth reading in parts


def block_digest(data: Any) -> str:
    """16 hex digits over a block: bytes, or an array of them."""
    return hashlib.blake2b(data, digest_size=8).hexdigest()


def block_digests(path: Path) -> list[str]:
    """Of each block of a file; none where it is not read in parts."""
    if path.stat().st_size <= WHOLE:
        return []
    with path.open("rb") as stream:
        return [block_digest(data) for data in iter(lambda: stream.read(BLOCK), b"")]
