"""Groups the lexicon's terms by meaning, so that a question's "sales" also counts "revenue" (FinGEAR, arXiv 2509.12042, section 3.1).

Average linkage over cosines (scipy), cut at a stated threshold. What the encoder reads of a term is "term: definition" (its spellings
where a lexicon has no definitions): a small encoder knows too little of bare finance terms, whose definitions it can compare. Opposites
share nearly all of their words, so `apart.tsv` lists groups whose members never share a cluster.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib import resources
from itertools import combinations

import numpy as np

from filingforest.flam.lexicon import Lexicon
from filingforest.models.base import Embedder, Vectors

CLUSTERS_VERSION = "1"
_NEVER = 1e6  # a distance that no average can hide


def cluster_terms(lexicon: Lexicon, embedder: Embedder, threshold: float) -> dict[str, int]:
    """Term -> cluster, numbered by first member in the lexicon's order. Clusters join while their mean cosine is `threshold` or more."""
    terms = list(lexicon.synonyms)
    if len(terms) < 2:
        return dict.fromkeys(terms, 0)
    labels = _cut(embedder.embed([described(lexicon, term) for term in terms], "passage"), _apart_places(terms), threshold)
    numbers: dict[int, int] = {}
    return {term: numbers.setdefault(label, len(numbers)) for term, label in zip(terms, labels, strict=True)}


def described(lexicon: Lexicon, term: str) -> str:
    """What the encoder reads of a term."""
    definition = lexicon.definitions.get(term)
    return f"{term}: {definition}" if definition else "; ".join(lexicon.synonyms[term])


def apart() -> list[tuple[str, ...]]:
    """Groups of terms that never share a cluster."""
    text = resources.files("filingforest.flam").joinpath("apart.tsv").read_text(encoding="utf-8")
    return [tuple(line.split("\t")) for line in text.splitlines() if line and not line.startswith("#")]


def members(clusters: Mapping[str, int]) -> list[list[str]]:
    """Terms by cluster number."""
    out: list[list[str]] = [[] for _ in range(max(clusters.values(), default=-1) + 1)]
    for term, cluster in clusters.items():
        out[cluster].append(term)
    return out


def _apart_places(terms: Sequence[str]) -> Iterable[tuple[int, int]]:
    place = {term: i for i, term in enumerate(terms)}
    for group in apart():
        yield from combinations([place[term] for term in group if term in place], 2)


def _cut(vectors: Vectors, never: Iterable[tuple[int, int]], threshold: float) -> list[int]:
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    wide = vectors.astype(np.float64)
    distances = np.clip(1 - wide @ wide.T, 0, 2)
    distances = (distances + distances.T) / 2
    for a, b in never:
        distances[a, b] = distances[b, a] = _NEVER
    np.fill_diagonal(distances, 0)
    merges = linkage(squareform(distances, checks=False), "average")
    return [int(label) for label in fcluster(merges, 1 - threshold, "distance")]
