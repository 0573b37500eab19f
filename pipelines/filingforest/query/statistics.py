"""A publication's corpus statistics, as BM25 asks for them."""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from filingforest.errors import Corrupt
from filingforest.query.arrays import Array

TREES = "tree."  # prefix of the arrays that count summaries


@dataclass(frozen=True, slots=True)
class Statistics:
    """Live units, their mean length, and document frequencies by sorted term hash (a term not listed is in one unit)."""

    units: int
    average: float
    hashes: Array
    counts: Array

    @classmethod
    def read(cls, data: bytes, prefix: str = "") -> Statistics:
        """From the bytes of a publication's statistics file; with the prefix "tree.", of the trees' summaries. Errors: Corrupt."""
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                totals, hashes, counts = (
                    np.load(io.BytesIO(archive.read(f"{prefix}{n}.npy")), allow_pickle=False) for n in ("totals", "hash", "df")
                )
        except (zipfile.BadZipFile, KeyError, ValueError, EOFError) as error:
            raise Corrupt(f"statistics cannot be read: {error}", stage="query", remedy="run `filingforest publications verify`") from error
        units, length = int(totals[0]), int(totals[1])
        return cls(units, max(1.0, length / max(1, units)), hashes, counts)

    @classmethod
    def of_summaries(cls, data: bytes) -> Statistics | None:
        """From the same bytes, of the summaries in trees; None where no document has any."""
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return cls.read(data, TREES) if f"{TREES}totals.npy" in archive.namelist() else None

    def frequency(self, hashes: npt.NDArray[np.uint64]) -> npt.NDArray[np.float64]:
        """How many live units hold each term."""
        if not len(self.hashes):
            return np.ones(len(hashes))
        place = np.minimum(np.searchsorted(self.hashes, hashes), len(self.hashes) - 1)
        return np.where(self.hashes[place] == hashes, self.counts[place], 1).astype(np.float64)

    def idf(self, hashes: npt.NDArray[np.uint64]) -> npt.NDArray[np.float64]:
        """ln(1 + (N - df + 0.5) / (df + 0.5)), never negative (Lucene's form of Robertson's)."""
        found = self.frequency(hashes)
        return np.log1p((self.units - found + 0.5) / (found + 0.5))
