"""Reciprocal rank fusion: rankings whose scores cannot be compared are joined by place alone, the same in every backend."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
K = 60  # Cormack, Clarke and Buettcher, SIGIR 2009, section 3


@dataclass(frozen=True, slots=True)
class Ranking(Generic[Key]):
    """One signal's order, best first, each key once."""

    name: str
    keys: Sequence[Key]
    weight: float = 1.0
    k: int = K  # smaller: its first places count for more


def fuse(rankings: Sequence[Ranking[Key]]) -> list[tuple[Key, float]]:
    """Keys with sum of weight / (k + rank), rank from 1, best first. Ties keep the order in which the rankings name them."""
    scores: dict[Key, float] = {}
    for ranking in rankings:
        for rank, key in enumerate(ranking.keys, 1):
            scores[key] = scores.get(key, 0.0) + ranking.weight / (ranking.k + rank)
    return sorted(scores.items(), key=lambda pair: -pair[1])
