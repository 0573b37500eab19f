"""Splits a budget of k hits over Items in proportion to their weights: k_i = round(k * w_i) by largest remainder (FinGEAR, section 3.3)."""

from __future__ import annotations

from collections.abc import Mapping


def split_budget(k: int, weights: Mapping[str, float], leaves: Mapping[str, int]) -> dict[str, int]:
    """Hits per Item: they add up to min(k, leaves of the weighted Items), none above its leaves, Items that get 0 left out.

    What an Item cannot take (it has fewer leaves) passes on to the others by their weights. Ties go to the Item first in name order.
    Negative weights and Items without leaves count as 0.
    """
    open_items = {item: weight for item, weight in sorted(weights.items()) if weight > 0 and leaves.get(item, 0) > 0}
    out: dict[str, int] = {}
    left = max(0, k)
    while open_items and left:
        shares = _largest_remainder(left, open_items)
        full = [item for item in open_items if shares[item] >= leaves[item]]
        if not full:
            out.update(shares)
            break
        for item in full:
            out[item] = leaves[item]
            left -= leaves[item]
            del open_items[item]
    return {item: count for item, count in sorted(out.items()) if count}


def _largest_remainder(k: int, weights: Mapping[str, float]) -> dict[str, int]:
    """Hamilton's method: whole parts first, then one more to the largest remainders."""
    total = sum(weights.values())
    quotas = {item: k * (weight / total) for item, weight in weights.items()}
    shares = {item: min(k, int(quota + 1e-9)) for item, quota in quotas.items()}
    by_remainder = sorted(quotas, key=lambda item: (-round(quotas[item] - shares[item], 9), -weights[item], item))
    for item in by_remainder[: max(0, k - sum(shares.values()))]:
        shares[item] += 1
    return shares
