"""Which units of a segment may be answers: filters come before scores, so that scoring costs what is left, not what there is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from filingforest.query.arrays import Array

_FEW_RANGES = 64  # up to here a posting list is cut by binary search, beyond by a mask


@dataclass(frozen=True, slots=True)
class Selection:
    """Rows [start, end) in ascending order, int64 (m, 2), not touching; `mask` (one flag a row of the segment) narrows them further."""

    ranges: npt.NDArray[np.int64]
    total: int
    mask: npt.NDArray[np.bool_] | None = None

    @classmethod
    def of_documents(cls, wanted: npt.NDArray[np.bool_], starts: Array, mask: npt.NDArray[np.bool_] | None = None) -> Selection:
        """All units of the wanted documents; neighbours become one range. `starts` are first rows by document, one more than documents."""
        edges = np.diff(np.concatenate([[0], wanted.astype(np.int8), [0]]))
        first, last = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)
        ranges = np.stack([np.asarray(starts)[first], np.asarray(starts)[last]], axis=1).astype(np.int64)
        return cls(ranges[ranges[:, 1] > ranges[:, 0]], int(starts[-1]), mask)

    @property
    def count(self) -> int:
        """Rows that may be answers."""
        if self.mask is None:
            return int((self.ranges[:, 1] - self.ranges[:, 0]).sum())
        return len(self.rows())

    def rows(self) -> npt.NDArray[np.int64]:
        """The rows, ascending."""
        if len(self.ranges) == 1:
            rows = np.arange(self.ranges[0, 0], self.ranges[0, 1])
        else:  # a step of one everywhere but where the next range begins
            sizes = self.ranges[:, 1] - self.ranges[:, 0]
            before = np.cumsum(sizes) - sizes
            rows = np.arange(int(sizes.sum())) + np.repeat(self.ranges[:, 0] - before, sizes)
        return rows if self.mask is None else rows[self.mask[rows]]

    def places(self, units: Array) -> npt.NDArray[np.int64] | slice:
        """Where in a posting list (ascending rows) the selected rows stand."""
        if self.mask is None and len(self.ranges) <= _FEW_RANGES:
            cuts = np.searchsorted(units, self.ranges.astype(units.dtype))  # of one type, or the whole list would be cast
            if len(cuts) == 1:
                return slice(int(cuts[0, 0]), int(cuts[0, 1]))
            return np.concatenate([np.arange(a, b) for a, b in cuts]) if len(cuts) else np.empty(0, np.int64)
        return np.flatnonzero(self.flags()[units])

    def positive(self, scores: Array) -> npt.NDArray[np.int64]:
        """Rows of a score above 0, ascending. `scores` has one a row of the segment, 0 outside the selection."""
        if len(self.ranges) > _FEW_RANGES:
            return np.flatnonzero(scores > 0)
        found = [np.flatnonzero(scores[a:b] > 0) + a for a, b in self.ranges.tolist()]
        return found[0] if len(found) == 1 else np.concatenate(found or [np.empty(0, np.int64)])

    def flags(self) -> npt.NDArray[np.bool_]:
        """One flag a row of the segment."""
        flags = np.zeros(self.total, dtype=np.bool_)
        if self.mask is None and len(self.ranges) <= _FEW_RANGES:
            for a, b in self.ranges:
                flags[a:b] = True
        else:
            flags[self.rows()] = True
        return flags
