"""A publication's corpus statistics, as BM25 asks for them: added up from the segments' vocabularies, less what is masked."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from filingforest.errors import Corrupt
from filingforest.query.arrays import Array, array_of

TREES = "tree."  # prefix of the arrays that count summaries
Vocabulary = Callable[[], tuple[Array, Array]]  # sorted term hashes; sums of their document frequencies, one more than terms


@dataclass(frozen=True, slots=True)
class Statistics:
    """Live units, their mean length, and document frequencies by sorted term hash (a term found nowhere counts as in one unit).

    A frequency is what the `vocabularies` say together, plus `counts`: negative for what is masked there.
    """

    units: int
    average: float
    hashes: Array
    counts: Array
    vocabularies: Sequence[Vocabulary] = ()

    @classmethod
    def read(cls, data: bytes, vocabularies: Sequence[Vocabulary] = (), prefix: str = "") -> Statistics:
        """From the bytes of a publication's statistics file and its segments' vocabularies; with the prefix "tree.", of summaries.

        Files of before segments had vocabularies of their own hold whole counts. Errors: Corrupt.
        """
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                apart = f"{prefix}dead.npy" in archive.namelist()
                names = ("totals", "hash", "dead" if apart else "df")
                totals, hashes, counts = (array_of(archive.read(f"{prefix}{n}.npy")) for n in names)
        except (zipfile.BadZipFile, KeyError, ValueError, EOFError) as error:
            raise Corrupt(f"statistics cannot be read: {error}", stage="query", remedy="run `filingforest publications verify`") from error
        units, length = int(totals[0]), int(totals[1])
        average = max(1.0, length / max(1, units))
        return cls(units, average, hashes, -counts.astype("<i8"), vocabularies) if apart else cls(units, average, hashes, counts)

    @classmethod
    def of_summaries(cls, data: bytes, vocabularies: Sequence[Vocabulary] = ()) -> Statistics | None:
        """From the same bytes, of the summaries in trees; None where no document has any."""
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return cls.read(data, vocabularies, TREES) if f"{TREES}totals.npy" in archive.namelist() else None

    def holds(self, hashes: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
        """Whether any live unit holds each term."""
        return self._counted(hashes) > 0

    def frequency(self, hashes: npt.NDArray[np.uint64]) -> npt.NDArray[np.float64]:
        """How many live units hold each term."""
        return np.maximum(self._counted(hashes), 1).astype(np.float64)

    def _counted(self, hashes: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
        found = _counts(self.hashes, self.counts, hashes)
        for vocabulary in self.vocabularies:
            terms, starts = vocabulary()
            place = _places(terms, hashes)
            known = place >= 0
            found[known] += starts[place[known] + 1] - starts[place[known]]
        return found

    def idf(self, hashes: npt.NDArray[np.uint64]) -> npt.NDArray[np.float64]:
        """ln(1 + (N - df + 0.5) / (df + 0.5)), never negative (Lucene's form of Robertson's)."""
        found = self.frequency(hashes)
        return np.log1p((self.units - found + 0.5) / (found + 0.5))


def _counts(known: Array, counts: Array, hashes: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    place = _places(known, hashes)
    out = np.zeros(len(hashes), dtype=np.int64)
    out[place >= 0] = counts[place[place >= 0]]
    return out


def _places(known: Array, hashes: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """Place of each hash among the known ones, -1 where it is not."""
    if not len(known):
        return np.full(len(hashes), -1)
    place = np.minimum(np.searchsorted(known, hashes), len(known) - 1)
    return np.where(known[place] == hashes, place, -1)
