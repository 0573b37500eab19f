"""Corpus statistics of the summaries in a publication's trees: what BM25 over summaries needs, beside the same of its units.

Counts add up over documents, so that they can be brought forward by what a night added and took away.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
PREFIX = "tree."  # of the arrays' names in the statistics file


@dataclass(frozen=True, slots=True)
class SummaryCounts:
    """Summaries, their words, and how many of them hold each term; `hashes` ascending."""

    summaries: int = 0
    words: int = 0
    hashes: Array = field(default_factory=lambda: np.empty(0, "<u8"))
    counts: Array = field(default_factory=lambda: np.empty(0, "<i8"))

    def plus(self, other: SummaryCounts) -> SummaryCounts:
        """Of both together."""
        hashes, where = np.unique(np.concatenate([self.hashes, other.hashes]), return_inverse=True)
        counts = np.bincount(where, np.concatenate([self.counts, other.counts]), len(hashes)).astype("<i8")
        return SummaryCounts(self.summaries + other.summaries, self.words + other.words, hashes, counts)

    def arrays(self) -> dict[str, Array]:
        """As in the statistics file: terms that one summary holds are left out, like those of units."""
        common = self.counts >= 2
        totals = np.array([self.summaries, self.words], "<i8")
        found = {"totals": totals, "hash": self.hashes[common].astype("<u8"), "df": self.counts[common].astype("<u4")}
        return {PREFIX + name: array for name, array in found.items()}


def summary_counts(folder: Path, documents: npt.NDArray[np.bool_]) -> SummaryCounts:
    """Of the flagged documents of a segment; nothing for a segment from before there were trees."""
    if not (folder / "documents.tree_rows.npy").exists():
        return SummaryCounts()
    nodes, terms = (_flags(folder, name, documents) for name in ("tree_rows", "tree_terms"))
    inner = nodes & (_load(folder / "tree_nodes.level.npy") > 0)
    words = int(_load(folder / "tree_nodes.length.npy")[inner].sum(dtype=np.int64))
    hashes, counts = np.unique(_load(folder / "tree_terms.hash.npy")[terms], return_counts=True)
    return SummaryCounts(int(inner.sum()), words, hashes, counts.astype("<i8"))


def tree_stats(segments: Sequence[tuple[Path, npt.NDArray[np.bool_]]]) -> dict[str, Array]:
    """Arrays of all segments (folder, which documents are live); empty where no document has trees."""
    total = SummaryCounts()
    for folder, documents in segments:
        total = total.plus(summary_counts(folder, documents))
    return total.arrays() if total.summaries else {}


def _flags(folder: Path, name: str, documents: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    return np.repeat(documents, np.diff(_load(folder / f"documents.{name}.npy")))


def _load(path: Path) -> Array:
    array: Array = np.load(path)
    return array
