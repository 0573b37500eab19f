"""What a manifest says of a segment's files: names, rows, sizes, hashes, and which companies and years lie in it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True)
class SegmentFile:
    """A file of a segment; `rows` is its rows, or its array's length."""

    name: str
    rows: int
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class SegmentFiles:
    """What a manifest says of a segment. Years and dates are None where no document has one."""

    files: tuple[SegmentFile, ...]
    doc_ids: tuple[str, ...]
    ciks: tuple[str, ...]
    min_year: int | None
    max_year: int | None
    min_filed: str | None
    max_filed: str | None
    documents: int
    units: int
    rows: Mapping[str, int]  # by table


def describe(documents: Sequence[Mapping[str, Any]], units: int, rows: Mapping[str, int], out: Path) -> SegmentFiles:
    """Sums up a finished segment: `documents` are its rows of `documents`, in order; `rows` counts each table's rows."""
    years = sorted(row["fiscal_year"] for row in documents if row.get("fiscal_year"))
    filed = sorted(row["filed_at"] for row in documents if row.get("filed_at"))
    ciks = {entity["cik"] for row in documents for entity in row.get("entities") or ()} | {row.get("cik") for row in documents}
    return SegmentFiles(
        files=tuple(_file(path, rows) for path in sorted(out.iterdir())),
        doc_ids=tuple(row["doc_id"] for row in documents),
        ciks=tuple(sorted(cik for cik in ciks if cik)),
        min_year=years[0] if years else None,
        max_year=years[-1] if years else None,
        min_filed=filed[0] if filed else None,
        max_filed=filed[-1] if filed else None,
        documents=len(documents),
        units=units,
        rows=dict(rows),
    )


def _file(path: Path, rows: Mapping[str, int]) -> SegmentFile:
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    count = rows[path.stem] if path.suffix == ".parquet" else _length(path)
    return SegmentFile(path.name, count, path.stat().st_size, digest)


def _length(path: Path) -> int:
    if path.suffix != ".npy":
        return 1
    with path.open("rb") as stream:
        np.lib.format.read_magic(stream)
        return int(np.lib.format.read_array_header_1_0(stream)[0][0])
