"""Reciprocal rank fusion: rankings whose scores cannot be compared are joined by place alone, the same in every backend."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
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
    values: Sequence[float] | None = None  # what each place is worth, where that was settled elsewhere: weight and k then say nothing

    def worth(self) -> Iterable[float]:
        """What each of `keys` is given."""
        return self.values if self.values is not None else (self.weight / (self.k + rank) for rank in range(1, len(self.keys) + 1))


def fuse(rankings: Sequence[Ranking[Key]]) -> list[tuple[Key, float]]:
    """Keys with sum of weight / (k + rank), rank from 1, best first. Ties keep the order in which the rankings name them."""
    scores: dict[Key, float] = {}
    for ranking in rankings:
        for key, value in zip(ranking.keys, ranking.worth(), strict=True):
            scores[key] = scores.get(key, 0.0) + value
    return sorted(scores.items(), key=lambda pair: -pair[1])
