"""Counts of the summaries in a segment's trees, and their vocabulary: what BM25 over summaries needs, beside the same of its units."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from filingforest.publish.counts import Counts
from filingforest.publish.npy import NpyWriter

Array = npt.NDArray[Any]


def summary_counts(folder: Path, documents: npt.NDArray[np.bool_] | None = None) -> Counts:
    """Of the flagged documents of a segment (None: of all); nothing for a segment without trees."""
    if not (folder / "documents.tree_rows.npy").exists():
        return Counts()
    nodes, terms = (_flags(folder, name, documents) for name in ("tree_rows", "tree_terms"))
    inner = nodes & (_load(folder / "tree_nodes.level.npy") > 0)
    words = int(_load(folder / "tree_nodes.length.npy")[inner].sum(dtype=np.int64))
    hashes, counts = np.unique(_load(folder / "tree_terms.hash.npy")[terms], return_counts=True)
    return Counts(int(inner.sum()), words, hashes, counts.astype("<i8"))


def write_vocabulary(folder: Path) -> None:
    """The summaries' terms as `tree_vocabulary.hash` (sorted) and `.start` (sums of their document frequencies, one more than terms)."""
    counted = summary_counts(folder)
    with NpyWriter(folder / "tree_vocabulary.hash.npy", "<u8") as hashes, NpyWriter(folder / "tree_vocabulary.start.npy", "<i8") as starts:
        hashes.append(counted.hashes)
        starts.append(np.concatenate([[0], np.cumsum(counted.counts)]))


def _flags(folder: Path, name: str, documents: npt.NDArray[np.bool_] | None) -> npt.NDArray[np.bool_]:
    starts = _load(folder / f"documents.{name}.npy")
    return np.ones(int(starts[-1]), np.bool_) if documents is None else np.repeat(documents, np.diff(starts))


def _load(path: Path) -> Array:
    array: Array = np.load(path)
    return array
