"""Opens the encoder that the settings name, whichever library runs it."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from filingforest.errors import ConfigError
from filingforest.models.base import Embedder, EmbedderInfo, Role, Vectors, weighted_mean, windows
from filingforest.models.catalogue import ENCODERS, Encoder
from filingforest.models.export import export_folder, exported_files
from filingforest.models.onnx import OnnxEmbedder


def open_embedder(method: str, model: str, *, threads: int = 1, batch_size: int = 8, cache: Path | None = None) -> Embedder:
    """`method` is `onnx` (no torch) or `sentence-transformers`; `model` a name of the catalogue, of the hub, or a folder."""
    if method == "onnx":
        return OnnxEmbedder(export_folder(model, cache), threads=threads, batch_size=batch_size)
    if method == "sentence-transformers":
        return SentenceEmbedder(model, batch_size=batch_size)
    raise ConfigError(f"unknown embed.method {method!r}", stage="embed", remedy="use 'onnx' or 'sentence-transformers'")


class SentenceEmbedder:
    """sentence-transformers (torch), for GPU workers and for encoders from the hub; the same windows as OnnxEmbedder."""

    def __init__(self, model: str, *, batch_size: int = 32, device: str | None = None) -> None:
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError as error:
            remedy = "pip install 'filingforest[pipeline]', or set embed.method = 'onnx'"
            raise ConfigError("sentence-transformers is not installed", stage="embed", remedy=remedy) from error
        self.batch_size = batch_size
        self._encoder: Any = SentenceTransformer(_source(model), device=device)
        known = ENCODERS.get(model) or Encoder(Path(model).name, int(self._encoder.max_seq_length or 512))
        self._folder = Path(tempfile.mkdtemp(prefix="filingforest-export-"))
        self._info = EmbedderInfo(
            model=known.name,
            revision=_revision(self._encoder),
            dimension=int(_dimension(self._encoder)),
            method="sentence-transformers",
            normalised=True,
            max_tokens=known.max_tokens,
            pooling=known.pooling,
            question_prefix=known.question_prefix,
        )
        self._encoder.max_seq_length = known.max_tokens

    @property
    def info(self) -> EmbedderInfo:
        return self._info

    def embed(self, texts: Sequence[str], role: Role = "passage") -> Vectors:
        """float32 (len(texts), dimension), L2-normalised; long texts window by window, cut at the tokenizer's character offsets."""
        pieces: list[str] = []
        owner: list[int] = []
        weights: list[float] = []
        for place, text in enumerate(self._info.prefix(role) + t for t in texts):
            for piece, weight in self._cut(text):
                pieces.append(piece)
                weights.append(weight)
                owner.append(place)
        if not pieces:
            return np.zeros((0, self._info.dimension), dtype=np.float32)
        vectors = self._encoder.encode(pieces, batch_size=self.batch_size, normalize_embeddings=True, show_progress_bar=False)
        return weighted_mean(np.asarray(vectors, dtype=np.float32), weights, owner, len(texts))

    def files(self) -> dict[str, bytes | Path]:
        """The ONNX form of the same weights; its config names the same model and revision, so that the space is one."""
        self._encoder[0].auto_model.save_pretrained(self._folder, safe_serialization=True)
        self._encoder.tokenizer.save_pretrained(self._folder)
        files: dict[str, bytes | Path] = {**exported_files(self._info.model, self._folder)}
        files["config.json"] = json.dumps({**self._info.as_dict(), "method": "onnx"}, indent=1, sort_keys=True).encode()
        return files

    def _cut(self, text: str) -> list[tuple[str, float]]:
        encoding = self._encoder.tokenizer(text, add_special_tokens=False, return_offsets_mapping=True, truncation=False, verbose=False)
        offsets = encoding["offset_mapping"]
        spans = windows(len(offsets), self._info.max_tokens - 2)
        if len(spans) == 1:
            return [(text, float(len(offsets) + 2))]
        return [(text[offsets[a][0] : offsets[b - 1][1]], float(b - a + 2)) for a, b in spans]


def _source(model: str) -> str:
    encoder = ENCODERS.get(model)
    if encoder is not None and encoder.package is not None:
        from filingforest.models.export import model_folder

        return str(model_folder(model))
    return model


def _dimension(encoder: Any) -> int:
    get = getattr(encoder, "get_embedding_dimension", None) or encoder.get_sentence_embedding_dimension
    return int(get())


def _revision(encoder: Any) -> str:
    """sha256 (first 16) of the encoder's weights in name order."""
    digest = hashlib.sha256()
    for name, value in sorted(encoder[0].auto_model.state_dict().items()):
        digest.update(name.encode() + value.detach().cpu().float().numpy().tobytes())
    return digest.hexdigest()[:16]
