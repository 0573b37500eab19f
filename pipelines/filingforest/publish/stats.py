"""Corpus statistics of one publication: what BM25 needs to know beyond the segment that it scores, brought forward night by night.

A segment carries its own vocabulary with document frequencies, for good. What a publication adds is small: how many units are live, how
long they are, and how often each term stands in documents that are *masked*. A reader adds the segments' vocabularies up and takes those
away, so that a segment with masked documents scores exactly as if they had never been written, and a night writes no vocabulary that did
not change. The same is done for the summaries in trees ("tree." before the names).
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow.parquet as pq

from filingforest.publish.counts import FIELDS, TREES, UNITS, Counts
from filingforest.publish.tree_stats import summary_counts

STATS_FILE = "stats.zip"
_DATE = (1980, 1, 1, 0, 0, 0)
Array = npt.NDArray[Any]
Dead = Mapping[str, Counts]  # by field: what a segment's masked documents hold


@dataclass(frozen=True, slots=True)
class SegmentFolder:
    """A segment's files in a local folder, and the documents in it that a publication masks."""

    path: Path
    dead: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class Live:
    """How many units and summaries are live, and how many words they have."""

    units: int = 0
    words: int = 0
    summaries: int = 0
    summary_words: int = 0


def stats_bytes(live: Live, dead: Sequence[Dead]) -> bytes:
    """The statistics file: for each field `totals` (how many, how many words) and, of masked documents, `hash` (sorted) and `dead`.

    `segments` says over how many segments' vocabularies these counts are. Without a masked document the arrays are empty.
    """
    arrays: dict[str, Array] = {"segments": np.array([len(dead)], "<i8")}
    for field, totals in ((UNITS, (live.units, live.words)), (TREES, (live.summaries, live.summary_words))):
        if field == UNITS or live.summaries:
            counts = Counts.total([of[field] for of in dead if field in of])
            arrays |= {
                f"{field}totals": np.array(totals, "<i8"),
                f"{field}hash": counts.hashes,
                f"{field}dead": counts.counts.astype("<u4"),
            }
    return _zip(arrays)


def corpus_stats(segments: Sequence[SegmentFolder]) -> bytes:
    """The same, counted anew from whole segments: what the incremental way must agree with."""
    counted = [_count(segment) for segment in segments]
    lives = [live for live, _ in counted]
    total = Live(*(sum(getattr(live, name) for live in lives) for name in Live.__slots__))
    return stats_bytes(total, [dead for _, dead in counted])


def live_documents(segment: SegmentFolder) -> npt.NDArray[np.bool_]:
    """One flag a document: whether it is live."""
    doc_ids = pq.read_table(segment.path / "documents.parquet", columns=["doc_id"])["doc_id"].to_pylist()
    dead = set(segment.dead)
    return np.array([doc_id not in dead for doc_id in doc_ids], dtype=np.bool_)


def _count(segment: SegmentFolder) -> tuple[Live, Dead]:
    flags = live_documents(segment)
    units = np.repeat(flags, np.diff(np.load(segment.path / "documents.units.npy")))
    words = int(np.load(segment.path / "units.length.npy")[units].sum(dtype=np.int64))
    summaries = summary_counts(segment.path, flags)
    dead = {UNITS: _postings_of(segment.path, ~units), TREES: summary_counts(segment.path, ~flags)}
    return Live(int(units.sum()), words, summaries.rows, summaries.words), dead


def _postings_of(path: Path, units: npt.NDArray[np.bool_]) -> Counts:
    """How many of the flagged units hold each term."""
    found = np.concatenate([[0], np.cumsum(units[np.load(path / "postings.unit.npy")], dtype=np.int64)])
    counts = np.diff(found[np.load(path / "terms.start.npy")])
    return Counts(hashes=np.load(path / "terms.hash.npy")[counts > 0], counts=counts[counts > 0])


def _zip(arrays: dict[str, Array]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, array in sorted(arrays.items()):
            member = io.BytesIO()
            np.save(member, array)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy", date_time=_DATE), member.getvalue())
    return buffer.getvalue()


__all__ = ["FIELDS", "STATS_FILE", "Dead", "Live", "SegmentFolder", "corpus_stats", "live_documents", "stats_bytes"]
