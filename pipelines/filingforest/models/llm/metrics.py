"""How much of the prompts vLLM's prefix cache served, as the server itself counts it in /metrics."""

from __future__ import annotations

import re
from dataclasses import dataclass

_SAMPLE = re.compile(r"^vllm:prefix_cache_(queries|hits)(?:_total)?(?:\{[^}]*\})?\s+([0-9.eE+-]+)\s*$", re.M)


@dataclass(frozen=True, slots=True)
class PrefixCache:
    """Tokens of prompts that were looked up, and of those that were found. Differences tell of one run."""

    queries: float = 0.0
    hits: float = 0.0

    @classmethod
    def of(cls, metrics: str) -> PrefixCache:
        """Sums over the engines of a data-parallel server; zeros where the text has no such counter."""
        sums = {"queries": 0.0, "hits": 0.0}
        for name, value in _SAMPLE.findall(metrics):
            sums[name] += float(value)
        return cls(**sums)

    def __sub__(self, other: PrefixCache) -> PrefixCache:
        """What came since. A server that was restarted meanwhile counts from zero again."""
        if self.queries < other.queries:
            return self
        return PrefixCache(self.queries - other.queries, self.hits - other.hits)

    @property
    def rate(self) -> float:
        """Share of prompt tokens that were found; 0 without any."""
        return self.hits / self.queries if self.queries else 0.0
