"""Corpus statistics of one publication, apart from its segments: what BM25 needs to know beyond the segment that it scores.

Segments are immutable and shared; N, average length and document frequencies change with every night. They are counted over
live units only, so that a segment with masked documents scores exactly as if those had never been written.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow.parquet as pq

from filingforest.publish.tree_stats import tree_stats

STATS_FILE = "stats.zip"
_DATE = (1980, 1, 1, 0, 0, 0)
Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class SegmentFolder:
    """A segment's files in a local folder, and the documents in it that a publication masks."""

    path: Path
    dead: Collection[str] = ()


def corpus_stats(segments: Sequence[SegmentFolder]) -> bytes:
    """A zip of three arrays: `totals` (live units, sum of their lengths), `hash` (sorted) and `df` of terms found in 2 units or more;
    the same three of the summaries where there are trees (see `tree_stats.py`).

    A term that is not listed counts as found in one unit: those are most of a vocabulary, and most of the file if they stood in it.
    """
    units = length = 0
    hashes: Array = np.empty(0, "<u8")
    counts: Array = np.empty(0, "<i8")
    for segment in segments:
        live = live_units(segment)
        units += int(live.sum())
        length += int(_load(segment.path / "units.length.npy")[live].sum(dtype=np.int64))
        hashes, counts = _join(hashes, counts, _load(segment.path / "terms.hash.npy"), _frequencies(segment.path, live))
    common = counts >= 2
    arrays = {"totals": np.array([units, length], "<i8"), "hash": hashes[common].astype("<u8"), "df": counts[common].astype("<u4")}
    return _zip(arrays | tree_stats([(segment.path, live_documents(segment)) for segment in segments]))


def live_units(segment: SegmentFolder) -> npt.NDArray[np.bool_]:
    """One flag a unit: whether its document is live."""
    return np.repeat(live_documents(segment), np.diff(_load(segment.path / "documents.units.npy")))


def live_documents(segment: SegmentFolder) -> npt.NDArray[np.bool_]:
    """One flag a document: whether it is live."""
    doc_ids = pq.read_table(segment.path / "documents.parquet", columns=["doc_id"])["doc_id"].to_pylist()
    dead = set(segment.dead)
    return np.array([doc_id not in dead for doc_id in doc_ids], dtype=np.bool_)


def _frequencies(path: Path, live: npt.NDArray[np.bool_]) -> Array:
    starts = _load(path / "terms.start.npy")
    if live.all():
        return np.diff(starts)
    alive = live[_load(path / "postings.unit.npy")]
    return np.diff(np.concatenate([[0], np.cumsum(alive, dtype=np.int64)])[starts])


def _join(hashes: Array, counts: Array, more: Array, their_counts: Array) -> tuple[Array, Array]:
    """Adds up two sorted vocabularies."""
    if not len(hashes):
        return np.array(more), np.array(their_counts)
    both, where = np.unique(np.concatenate([hashes, more]), return_inverse=True)
    return both, np.bincount(where, weights=np.concatenate([counts, their_counts])).astype(np.int64)


def _load(path: Path) -> Array:
    array: Array = np.load(path)
    return array


def _zip(arrays: dict[str, Array]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, array in sorted(arrays.items()):
            member = io.BytesIO()
            np.save(member, array)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy", date_time=_DATE), member.getvalue())
    return buffer.getvalue()
