"""How sure a difference is: bootstrap intervals of means, and a paired randomisation test. Seeded, so that a report can be repeated.

Paired sign-flip test and bootstrap as compared for retrieval by Smucker, Allan and Carterette (CIKM 2007).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

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
    draws = np.random.default_rng(SEED).integers(0, len(data), (ROUNDS, len(data)))
    low, high = np.quantile(data[draws].mean(axis=1), [(1 - share) / 2, (1 + share) / 2])
    return float(low), float(high)


def paired(values: Sequence[float], baseline: Sequence[float]) -> Difference:
    """`values` minus `baseline`, question by question. Under the null either sign of each difference is as likely."""
    differences = np.asarray(values, dtype=np.float64) - np.asarray(baseline, dtype=np.float64)
    if not len(differences):
        return Difference(0.0, 0.0, 0.0, 1.0)
    mean = float(differences.mean())
    signs = np.random.default_rng(SEED).integers(0, 2, (ROUNDS, len(differences))) * 2 - 1
    as_far = int((np.abs((signs * differences).mean(axis=1)) >= abs(mean) - 1e-12).sum())
    low, high = interval(differences.tolist())
    return Difference(mean, low, high, (as_far + 1) / (ROUNDS + 1))
