"""How sure a difference is: bootstrap intervals of means, and a paired randomisation test. Seeded, so that a report can be repeated.

Paired sign-flip test and bootstrap as compared for retrieval by Smucker, Allan and Carterette (CIKM 2007).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

ROUNDS, SEED = 5_000, 17


@dataclass(frozen=True, slots=True)
class Difference:
    """Mean of paired differences, its 95% interval, and the two-sided p of the sign-flip test."""

    mean: float
    low: float
    high: float
    p: float


def interval(values: Sequence[float], share: float = 0.95) -> tuple[float, float]:
    """Percentile bootstrap interval of the mean; (0, 0) without values."""
    if not len(values):
        return (0.0, 0.0)
    data = np.asarray(values, dtype=np.float64)
    low, high = np.quantile(_shares(len(data)) @ data, [(1 - share) / 2, (1 + share) / 2])
    return float(low), float(high)


def paired(values: Sequence[float], baseline: Sequence[float]) -> Difference:
    """`values` minus `baseline`, question by question. Under the null either sign of each difference is as likely."""
    differences = np.asarray(values, dtype=np.float64) - np.asarray(baseline, dtype=np.float64)
    if not len(differences):
        return Difference(0.0, 0.0, 0.0, 1.0)
    mean = float(differences.mean())
    as_far = int((np.abs(_signs(len(differences)) @ differences / len(differences)) >= abs(mean) - 1e-12).sum())
    low, high = interval(differences.tolist())
    return Difference(mean, low, high, (as_far + 1) / (ROUNDS + 1))


@lru_cache(maxsize=3)
def _shares(count: int) -> npt.NDArray[np.float64]:
    """(rounds, count): how large a share of each round's draws falls on each question; the same for every metric of a report."""
    draws = np.random.default_rng(SEED).integers(0, count, (ROUNDS, count))
    flat = (draws + np.arange(ROUNDS)[:, None] * count).ravel()
    return np.asarray(np.bincount(flat, minlength=ROUNDS * count).reshape(ROUNDS, count) / count, dtype=np.float64)


@lru_cache(maxsize=3)
def _signs(count: int) -> npt.NDArray[np.float64]:
    """(rounds, count) of 1 and -1."""
    return np.asarray(np.random.default_rng(SEED).integers(0, 2, (ROUNDS, count)) * 2 - 1, dtype=np.float64)
