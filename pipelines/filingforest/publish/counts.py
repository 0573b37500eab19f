"""Counts of terms that can be added and taken away, so that statistics follow what a night changed instead of being made again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
UNITS, TREES = FIELDS = ("", "tree.")  # prefixes of the arrays' names in the statistics file


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """Of some rows (units, or summaries): how many, their words, and how many of them hold each term; `hashes` ascending, u64."""

    rows: int = 0
    words: int = 0
    hashes: Array = field(default_factory=lambda: np.empty(0, "<u8"))
    counts: Array = field(default_factory=lambda: np.empty(0, "<i8"))

    @classmethod
    def of_rows(cls, rows: Iterable[tuple[Iterable[int], int]]) -> Counts:
        """From each row's distinct term hashes and its words."""
        found, number, words = Counter[int](), 0, 0
        for hashes, length in rows:
            found.update(hashes)
            number, words = number + 1, words + length
        order = np.array(sorted(found), dtype="<u8")
        return cls(number, words, order, np.array([found[int(term)] for term in order], dtype="<i8"))

    @classmethod
    def total(cls, several: Sequence[Counts]) -> Counts:
        """Of all together; terms that come to nothing are left out."""
        if not several:
            return cls()
        hashes, where = np.unique(np.concatenate([each.hashes for each in several]), return_inverse=True)
        counts = np.bincount(where, np.concatenate([each.counts for each in several]), len(hashes)).astype("<i8")
        rows, words = sum(each.rows for each in several), sum(each.words for each in several)
        return cls(rows, words, hashes[counts != 0].astype("<u8"), counts[counts != 0])

    def minus(self) -> Counts:
        """To be taken away by adding it."""
        return Counts(-self.rows, -self.words, self.hashes, -self.counts)
