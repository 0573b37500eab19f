"""FLAM at query time: which Items a question's finance terms point to, and how the budget of hits is split over them.

f_i counts all terms of the question's clusters in Item i over the documents in scope; w_i comes from f_i (`weights.py`), k_i from w_i
(`budget.py`). A question without lexicon terms falls back on the Items' best dense scores, and a note says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from filingforest.config.retrieval import RetrievalSettings
from filingforest.query.arms.budget import split_budget
from filingforest.query.arms.weights import item_weights
from filingforest.query.filters import Flags
from filingforest.query.publication import Publication
from filingforest.query.scope import Note

FALLBACK = Note("no_terms", "no finance term of the lexicon is in the question: Items were weighed by their best dense scores")


class Terms(Protocol):
    """What a question's text says in the lexicon's terms."""

    def find(self, text: str) -> Sequence[str]: ...

    def expand(self, terms: Sequence[str]) -> Mapping[str, Sequence[str]]:
        """Term -> the terms of its cluster."""


@dataclass(frozen=True, slots=True)
class Guide:
    """w_i by item_key, adding up to 1 (or empty), and what they come from."""

    weights: dict[str, float]
    terms: tuple[str, ...] = ()
    clusters: dict[str, list[str]] = field(default_factory=dict)
    fallback: bool = False

    def budget(self, k: int, leaves: Mapping[str, int]) -> dict[str, int]:
        """k_i by item_key; Items without a share are left out."""
        return split_budget(k, self.weights, leaves)

    def why(self, item_key: str, k_i: int | None) -> dict[str, Any]:
        """For a hit of that Item."""
        about: dict[str, Any] = {"item_key": item_key, "w_i": round(self.weights.get(item_key, 0.0), 4)}
        about |= {"k_i": k_i} if k_i is not None else {}
        return about | ({"fallback": "dense"} if self.fallback else {"terms": list(self.terms), "clusters": self.clusters})


def guide(
    publication: Publication, text: str, flags: Flags, chosen: RetrievalSettings, dense: Mapping[str, float], finder: Terms | None
) -> Guide:
    """Weights of the Items of the flagged documents. `dense` has each Item's best cosine, for the fallback."""
    if chosen.weighting == "none":
        return Guide({item: 1 / len(dense) for item in dense})
    terms = tuple(dict.fromkeys(finder.find(text))) if finder else ()
    clusters = {term: list(names) for term, names in finder.expand(terms).items()} if finder and terms else {}
    counts = _counts(publication, flags, {name for names in clusters.values() for name in names} | set(terms)) if terms else {}
    if not any(counts.values()):
        return Guide(_shares({item: max(0.0, value) for item, value in dense.items()}), fallback=True)
    tokens = _tokens(publication, flags) if chosen.counts == "per_1000" else None
    return Guide(item_weights(counts, chosen.weighting, tokens=tokens), terms, clusters)


def permuted(found: Guide, seed: int) -> Guide:
    """The same weights dealt out anew among the Items: the control of FLAM."""
    items = sorted(found.weights)
    order = np.random.default_rng(seed).permutation(len(items))
    values = [found.weights[items[int(i)]] for i in order]
    return Guide(dict(zip(items, values, strict=True)), found.terms, found.clusters, found.fallback)


def _counts(publication: Publication, flags: Flags, terms: set[str]) -> dict[str, float]:
    out: Counter[str] = Counter()
    for segment, mine in zip(publication.segments, publication.split(flags), strict=True):
        if segment.flam and mine.any():
            out.update(segment.flam.counts(mine, terms))
    return {item: float(count) for item, count in out.items()}


def _tokens(publication: Publication, flags: Flags) -> dict[str, int]:
    out: Counter[str] = Counter()
    for segment, mine in zip(publication.segments, publication.split(flags), strict=True):
        if segment.flam and mine.any():
            out.update(segment.flam.tokens(mine))
    return dict(out)


def _shares(values: Mapping[str, float]) -> dict[str, float]:
    total = sum(values.values())
    return {item: value / total if total else 1 / len(values) for item, value in values.items()}
