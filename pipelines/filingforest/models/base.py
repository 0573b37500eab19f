"""What every encoder promises, and how texts longer than its limit are read whole: window by window, nothing cut off."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]
Role = Literal["passage", "question"]


@dataclass(frozen=True, slots=True)
class EmbedderInfo:
    """Names an embedding space: two vectors are comparable only where all of this but `method` is equal.

    `revision` is the sha256 (first 16) of the weights as they are run; `max_tokens` the encoder's own limit.
    """

    model: str
    revision: str
    dimension: int
    method: str  # onnx, sentence-transformers
    normalised: bool
    max_tokens: int
    pooling: str = "mean"  # mean, cls
    question_prefix: str = ""
    passage_prefix: str = ""

    def as_dict(self) -> dict[str, Any]:
        """JSON-able, as in the manifest and in the published `config.json`."""
        return {name: getattr(self, name) for name in self.__slots__}

    def prefix(self, role: Role) -> str:
        return self.question_prefix if role == "question" else self.passage_prefix


class Embedder(Protocol):
    """Texts to vectors. `embed` returns float32 (len(texts), dimension), L2-normalised, in the order given.

    `files` are what a publication carries so that readers embed questions without torch: model.onnx, tokenizer.json, config.json.
    """

    @property
    def info(self) -> EmbedderInfo: ...

    def embed(self, texts: Sequence[str], role: Role = "passage") -> Vectors: ...

    def files(self) -> Mapping[str, bytes | Path]: ...


def windows(length: int, limit: int) -> list[tuple[int, int]]:
    """Cuts `length` tokens into the fewest windows of at most `limit`, of nearly equal size: [(start, end)]."""
    if length <= limit:
        return [(0, length)]
    count = -(-length // limit)
    edges = [round(i * length / count) for i in range(count + 1)]
    return list(itertools.pairwise(edges))


def normalise(vectors: npt.NDArray[Any]) -> Vectors:
    """Rows scaled to length 1; a zero row stays zero."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths == 0, 1.0, lengths), dtype=np.float32)


def weighted_mean(vectors: Vectors, weights: Sequence[float], owner: Sequence[int], count: int) -> Vectors:
    """Normalised token-weighted mean of window vectors: row i of the result joins the windows whose owner is i."""
    out = np.zeros((count, vectors.shape[1]), dtype=np.float64)
    np.add.at(out, np.asarray(owner), vectors.astype(np.float64) * np.asarray(weights, dtype=np.float64)[:, None])
    return normalise(out)
