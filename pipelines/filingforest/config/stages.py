"""Settings of what turns a document into units, vectors and trees: `[parse]`, `[chunk]`, `[embed]`, `[trees]`, `[flam]`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

METHODS = ("onnx", "sentence-transformers")


@dataclass(frozen=True)
class ParseSettings:
    """Bounds of one parse. They decide whether a document is set aside, never what its output is."""

    max_bytes: int = 150_000_000
    time_limit_s: float = 120.0
    memory_mb: int = 3_072
    workers: int = 0  # 0: one a CPU


@dataclass(frozen=True)
class ChunkSettings:
    """Chunks for the trees (FinGEAR, arXiv 2509.12042): about 2,000 tokens with 100 of overlap."""

    target_tokens: int = 2_000
    overlap_tokens: int = 100


@dataclass(frozen=True)
class EmbedSettings:
    """Which encoder turns units into vectors. An empty `model` is the method's default."""

    method: str = "onnx"  # onnx, sentence-transformers
    model: str = ""
    batch_size: int = 8
    threads: int = 0  # 0: all


@dataclass(frozen=True)
class TreesSettings:
    """How the trees of an Item are grown (FinGEAR, arXiv 2509.12042; what each shape means: docs/trees.md). All of it shapes output."""

    enabled: bool = True
    generator: str = "extractive"
    direct: int = 5
    threshold: float = 0.1
    dimensions: int = 10
    neighbours: int = 15
    umap_from: int = 15
    max_components: int = 50
    seed: int = 17
    leaf_questions: bool = False


@dataclass(frozen=True)
class FlamSettings:
    """The lexicon map. An empty `lexicon` is our own; `threshold` is the cosine at which average linkage joins terms."""

    lexicon: str = ""
    threshold: float = 0.6


def wrong_stages(
    parse: ParseSettings, chunk: ChunkSettings, embed: EmbedSettings, trees: TreesSettings, flam: FlamSettings
) -> Iterator[tuple[bool, str]]:
    """Whether each bound is broken, and what to say then."""
    yield min(parse.max_bytes, parse.memory_mb) <= 0, "parse bounds must be above 0"
    yield not 0 <= chunk.overlap_tokens < chunk.target_tokens, "chunk.overlap_tokens must be less than chunk.target_tokens"
    yield embed.method not in METHODS, f"embed.method must be one of {', '.join(METHODS)}"
    yield min(trees.direct, trees.neighbours) < 2, "trees.direct and trees.neighbours must be at least 2"
    yield min(trees.umap_from, trees.dimensions, trees.max_components) < 1, "sizes in [trees] must be at least 1"
    yield not 0 <= trees.threshold <= 0.5, "trees.threshold is a responsibility between 0 and 0.5"
    yield not 0 < flam.threshold <= 1, "flam.threshold is a cosine above 0, at most 1"
