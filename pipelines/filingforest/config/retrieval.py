"""Settings of what a question goes through: `[query]`, `[retrieval]` and `[rerank]`. Readers use them without a settings file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

ARMS = ("none", "walk", "beam", "joint", "soft")
TREES_READ = ("both", "summary", "question", "none")
WEIGHTINGS = ("relative", "logarithmic", "softmax", "exponential", "none")
RERANK_TIERS = ("none", "light", "full")


@dataclass(frozen=True)
class QuerySettings:
    """How much an answer shows. Where readers keep files of S3 is FILINGFOREST_CACHE: they run without settings."""

    k: int = 10


@dataclass(frozen=True)
class RetrievalSettings:
    """How a question finds units (docs/retrieval.md). `arm` none is plain hybrid; walk is FinGEAR's (arXiv 2509.12042)."""

    arm: str = "none"
    branches: int = 3  # children that a walk follows at each node
    trees: str = "both"
    weighting: str = "relative"  # of Items by FLAM; none: every Item alike
    counts: str = "raw"  # raw, or per_1000 tokens, since raw counts favour long Items
    oversample: float = 1.0  # each Item passes ceil(oversample * k_i) to the second ranking; 1 is the paper
    rerank: str = "light"


@dataclass(frozen=True)
class RerankSettings:
    """The cross-encoder of the `full` tier.

    `model`: a folder that `train reranker` made, which is published with the index; or a name of the Hugging Face hub, which each reader
    runs by transformers. "": the published one, and where none is, BAAI/bge-reranker-large where transformers and the model can be had.
    """

    model: str = ""
    tokens: int = 2_400  # read for one question at most: this bounds its time


def wrong_retrieval(chosen: RetrievalSettings, rerank: RerankSettings) -> Iterator[tuple[bool, str]]:
    """Whether each bound is broken, and what to say then."""
    known = {"arm": ARMS, "trees": TREES_READ, "weighting": WEIGHTINGS, "counts": ("raw", "per_1000"), "rerank": RERANK_TIERS}
    for name, values in known.items():
        yield getattr(chosen, name) not in values, f"retrieval.{name} must be one of {', '.join(values)}"
    yield chosen.branches < 1, "retrieval.branches must be at least 1"
    yield chosen.oversample < 1, "retrieval.oversample must be at least 1"
    yield rerank.tokens < 256, "rerank.tokens must be at least 256"
