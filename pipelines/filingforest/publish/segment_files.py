"""What a manifest says of a segment's files: names, rows, sizes, hashes, and which companies and years lie in it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from filingforest.query.arrays import read_header

_COLUMNS = ["doc_id", "cik", "entities", "fiscal_year", "filed_at"]


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
    doc_ids: tuple[str, ...]  # in the segment's order
    doc_units: tuple[int, ...]  # units of each
    ciks: tuple[str, ...]
    min_year: int | None
    max_year: int | None
    min_filed: str | None
    max_filed: str | None
    documents: int
    units: int
    words: int  # sum of the units' lengths, as BM25 counts them
    rows: Mapping[str, int]  # by table


def describe(out: Path, units: int, words: int) -> SegmentFiles:
    """Sums up a finished segment."""
    documents = pq.read_table(out / "documents.parquet", columns=_COLUMNS).to_pylist()
    years = sorted(row["fiscal_year"] for row in documents if row["fiscal_year"])
    filed = sorted(row["filed_at"] for row in documents if row["filed_at"])
    files = tuple(_file(path) for path in sorted(out.iterdir()))
    return SegmentFiles(
        files=files,
        doc_ids=tuple(row["doc_id"] for row in documents),
        doc_units=tuple(np.diff(np.load(out / "documents.units.npy")).tolist()),
        ciks=_ciks(documents),
        min_year=years[0] if years else None,
        max_year=years[-1] if years else None,
        min_filed=filed[0] if filed else None,
        max_filed=filed[-1] if filed else None,
        documents=len(documents),
        units=units,
        words=words,
        rows={file.name.removesuffix(".parquet"): file.rows for file in files if file.name.endswith(".parquet")},
    )


def _ciks(documents: list[dict[str, Any]]) -> tuple[str, ...]:
    found = {entity["cik"] for row in documents for entity in row["entities"] or ()} | {row["cik"] for row in documents}
    return tuple(sorted(cik for cik in found if cik))


def _file(path: Path) -> SegmentFile:
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    return SegmentFile(path.name, _length(path), path.stat().st_size, digest)


def _length(path: Path) -> int:
    if path.suffix == ".parquet":
        return int(pq.read_metadata(path).num_rows)
    if path.suffix != ".npy":
        return 1
    with path.open("rb") as stream:
        return read_header(stream)[1][0]
