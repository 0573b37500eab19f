"""What the corpus' checks and counts need to know of each document, kept with its segment, so that no night reads old segments for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

COUNTED = ("units", "nodes", "facts", "chunks", "tree_nodes")


@dataclass(frozen=True, slots=True)
class Summary:
    """One document: rows in each counted table, items found, words of its units and of its trees' summaries (as BM25
    counts them), and what it is."""

    units: int = 0
    nodes: int = 0
    facts: int = 0
    chunks: int = 0
    tree_nodes: int = 0
    items: int = 0
    words: int = 0
    summaries: int = 0
    summary_words: int = 0
    source: str | None = None
    kind: str | None = None
    form: str | None = None
    form_base: str | None = None
    fiscal_year: int | None = None

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Summary:
        """Fields that this version does not know are left out."""
        return cls(**{name: value[name] for name in NAMES if name in value})


NAMES = tuple(field.name for field in fields(Summary))
_OWN = ("source", "kind", "form", "form_base", "fiscal_year")


def summaries(folder: Path) -> list[Summary]:
    """One a document, in the order of the segment in `folder`."""
    documents = pq.read_table(folder / "documents.parquet", columns=list(_OWN)).to_pylist()
    counts = {name: np.diff(np.load(folder / f"documents.{name}.npy")).tolist() for name in COUNTED if _has(folder, name)}
    counts |= {"items": _items(folder), "words": _words(folder), **_summaries(folder)}
    return [Summary(**{name: values[i] for name, values in counts.items()}, **row) for i, row in enumerate(documents)]


def _has(folder: Path, name: str) -> bool:
    return (folder / f"documents.{name}.npy").exists()


def _items(folder: Path) -> list[int]:
    starts = np.load(folder / "documents.nodes.npy")
    kinds = pq.read_table(folder / "nodes.parquet", columns=["kind"], use_threads=False)["kind"].to_numpy()
    return _sums(kinds == "item", starts)


def _words(folder: Path) -> list[int]:
    return _sums(np.load(folder / "units.length.npy"), np.load(folder / "documents.units.npy"))


def _summaries(folder: Path) -> dict[str, list[int]]:
    if not _has(folder, "tree_rows"):
        return {}
    starts, inner = np.load(folder / "documents.tree_rows.npy"), np.load(folder / "tree_nodes.level.npy") > 0
    lengths = np.load(folder / "tree_nodes.length.npy")
    return {"summaries": _sums(inner, starts), "summary_words": _sums(np.where(inner, lengths, 0), starts)}


def _sums(values: Any, starts: Any) -> list[int]:
    """Sum of each document's rows."""
    totals = np.concatenate([[0], np.cumsum(values, dtype=np.int64)])
    sums: list[int] = (totals[starts[1:]] - totals[starts[:-1]]).tolist()
    return sums
