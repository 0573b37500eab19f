"""Turns counts of a question's terms per Item into weights, in the four ways that FinGEAR compares (table "FLAM weighting")."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

Weights = dict[str, float]


def _relative(share: float, count: float, sharpness: float) -> float:
    return share


def _logarithmic(share: float, count: float, sharpness: float) -> float:
    return math.log1p(count)


def _softmax(share: float, count: float, sharpness: float) -> float:
    return math.exp(share / sharpness)


def _exponential(share: float, count: float, sharpness: float) -> float:
    return math.expm1(sharpness * share)


# name -> (score of an Item from its share r, its count f and the parameter, default parameter: T or a)
WEIGHTINGS: Mapping[str, tuple[Callable[[float, float, float], float], float]] = {
    "relative": (_relative, 1.0),  # r = f / sum f
    "logarithmic": (_logarithmic, 1.0),  # ln(1 + f)
    "softmax": (_softmax, 0.2),  # exp(r / T)
    "exponential": (_exponential, 3.0),  # exp(a r) - 1
}


def item_weights(
    counts: Mapping[str, float], how: str = "relative", parameter: float | None = None, tokens: Mapping[str, int] | None = None
) -> Weights:
    """w_i over the Items of `counts` (term occurrences per Item); they add up to 1, or are all 0 where nothing was counted.

    With `tokens` (length of each Item) the counts are taken per 1,000 tokens first, since raw counts favour long Items.
    """
    score, default = WEIGHTINGS[how]
    rates = {item: _rate(count, tokens.get(item, 0) if tokens else None) for item, count in counts.items()}
    total = sum(rates.values())
    if total <= 0:
        return dict.fromkeys(counts, 0.0)
    sharpness = default if parameter is None else parameter
    scores = {item: score(rate / total, rate, sharpness) if rate else 0.0 for item, rate in rates.items()}
    whole = sum(scores.values())
    return {item: value / whole for item, value in scores.items()}


def _rate(count: float, tokens: int | None) -> float:
    if tokens is None:
        return float(max(0.0, count))
    return 1000.0 * max(0.0, count) / tokens if tokens > 0 else 0.0
