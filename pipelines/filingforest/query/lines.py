"""How well a unit's best line meets a question: the lines of units as a segment stores them, and three numbers made of them.

The best line of a unit counts, since an answer stands in one row or sentence (a lexical late interaction, after ColBERT's maximum over
tokens, Khattab and Zaharia, SIGIR 2020).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from filingforest.lines import lines_of
from filingforest.query.arrays import Array

Rows = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class UnitLines:
    """The lines of some units one after another: `counts` lines of each unit, and words and `about` of each line as in `Lines`."""

    counts: Rows
    about: Array
    words: Array

    @classmethod
    def of_texts(cls, texts: Iterable[str]) -> UnitLines:
        """What publication would have stored of these texts."""
        made = [lines_of(text) for text in texts]
        if not made:
            return cls(np.empty(0, np.int64), np.empty((0, 3), "<u2"), np.empty(0, "<u4"))
        about, words = (np.concatenate([getattr(lines, name) for lines in made]) for name in ("about", "words"))
        return cls(np.array([len(lines.about) for lines in made]), about, words)

    def best(self, hashes: npt.NDArray[np.uint32], weights: Numbers) -> Numbers:
        """(units, 3), from 0 to 1: the most of the question that one line covers, the best match of a row's label, the most that a line
        with a number covers. `hashes` are the question's different words, `weights` what each is worth.
        """
        out = np.zeros((len(self.counts), 3))
        total = float(weights.sum())
        if total <= 0 or not len(self.about):
            return out
        sizes, labels, numbered = self.about.astype(np.int64).T
        line = np.repeat(np.arange(len(sizes)), sizes)
        place = np.arange(len(line)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        order = np.argsort(hashes)
        known = np.minimum(np.searchsorted(hashes[order], self.words), len(hashes) - 1)
        said = np.flatnonzero(hashes[order][known] == self.words)
        line, worth, of_label = line[said], weights[order][known[said]], place[said] < labels[line[said]]
        cover = np.bincount(line, worth, len(sizes)) / total
        label = _match(line[of_label], worth[of_label], labels, total, total / len(weights))
        unit = np.repeat(np.arange(len(self.counts)), self.counts)
        for column, values in enumerate((cover, label, cover * numbered)):
            np.maximum.at(out[:, column], unit, values)
        return out


def _match(line: Rows, worth: Numbers, labels: Rows, total: float, mean: float) -> Numbers:
    """Of each line, the harmonic mean of how much of the question its label holds and how much of the label the question says."""
    said, hits = np.bincount(line, worth, len(labels)), np.bincount(line, minlength=len(labels))
    held = said > 0
    recall, precision = said[held] / total, said[held] / (said[held] + mean * (labels - hits)[held])
    out = np.zeros(len(labels))
    out[held] = 2 * recall * precision / (recall + precision)
    return out


@dataclass(frozen=True, slots=True)
class LineIndex:
    """A segment's stored lines, memory-mapped: `starts` (units + 1, 2) are first line and first word of each unit."""

    starts: Array
    about: Array
    words: Array

    def of(self, rows: Sequence[int] | Rows) -> UnitLines:
        """The lines of those units, in their order."""
        first, last = self.starts[np.asarray(rows, np.int64)], self.starts[np.asarray(rows, np.int64) + 1]
        lines, words = (_gathered(array, first[:, i], last[:, i]) for i, array in enumerate((self.about, self.words)))
        return UnitLines(last[:, 0] - first[:, 0], lines, words)


def _gathered(array: Array, first: Rows, last: Rows) -> Array:
    """Rows [first, last) of each pair, one after another."""
    sizes = last - first
    rows = np.arange(int(sizes.sum())) + np.repeat(first - (np.cumsum(sizes) - sizes), sizes)
    found: Array = array.take(rows, axis=0)
    return found
