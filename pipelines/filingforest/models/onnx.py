"""Embeds with ONNX Runtime and `tokenizers` alone, so that readers and the demo need no torch."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from filingforest.errors import ConfigError, Corrupt
from filingforest.models.base import EmbedderInfo, Role, Vectors, normalise, weighted_mean, windows
from filingforest.models.session import Session

MODEL_FILES = ("model.onnx", "tokenizer.json", "config.json")


class OnnxEmbedder:
    """An encoder in a folder: `model.onnx`, `tokenizer.json`, and `config.json` with an `EmbedderInfo`.

    Batches are sorted by length, then by place, and have a fixed size, so that the same texts give the same bytes.
    Thread-safe: ONNX Runtime sessions and tokenizers may be shared once they are set up.
    """

    def __init__(self, folder: Path, *, threads: int = 1, batch_size: int = 8) -> None:
        self.folder, self.threads, self.batch_size = folder, threads, batch_size
        missing = [name for name in MODEL_FILES if not (folder / name).is_file()]
        if missing:
            remedy = "run `filingforest doctor`, or publish again so that the model lies beside the index"
            raise ConfigError(f"no {', '.join(missing)} in {folder}", stage="embed", remedy=remedy)
        try:
            self._info = EmbedderInfo(**json.loads((folder / "config.json").read_text()))
        except (TypeError, ValueError) as error:
            raise Corrupt(f"config.json of the model is not readable: {error}", document=str(folder), stage="embed") from error
        self._session = Session(folder, threads)

    @property
    def info(self) -> EmbedderInfo:
        return self._info

    def embed(self, texts: Sequence[str], role: Role = "passage") -> Vectors:
        """float32 (len(texts), dimension), L2-normalised; a text over the encoder's limit is the token-weighted mean of its windows."""
        if not texts:
            return np.zeros((0, self._info.dimension), dtype=np.float32)
        pieces, owner = self._pieces([self._info.prefix(role) + text for text in texts])
        vectors = self._run(pieces)
        return weighted_mean(vectors, [len(p) for p in pieces], owner, len(texts))

    def files(self) -> dict[str, bytes | Path]:
        return {name: self.folder / name for name in MODEL_FILES}

    def _pieces(self, texts: Sequence[str]) -> tuple[list[list[int]], list[int]]:
        """Token ids window by window (special tokens in each), and which text each window belongs to."""
        tokenizer = self._session.get()[1]
        first, last = tokenizer.token_to_id("[CLS]"), tokenizer.token_to_id("[SEP]")
        pieces: list[list[int]] = []
        owner: list[int] = []
        for place, encoding in enumerate(tokenizer.encode_batch(list(texts), add_special_tokens=False)):
            for start, end in windows(len(encoding.ids), self._info.max_tokens - 2):
                pieces.append([first, *encoding.ids[start:end], last])
                owner.append(place)
        return pieces, owner

    def _run(self, pieces: Sequence[Sequence[int]]) -> Vectors:
        order = sorted(range(len(pieces)), key=lambda i: (len(pieces[i]), i))
        out = np.zeros((len(pieces), self._info.dimension), dtype=np.float32)
        for start in range(0, len(order), self.batch_size):
            chosen = order[start : start + self.batch_size]
            out[chosen] = self._batch([pieces[i] for i in chosen])
        return out

    def _batch(self, pieces: Sequence[Sequence[int]]) -> Vectors:
        width = max(len(p) for p in pieces)
        ids = np.zeros((len(pieces), width), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, piece in enumerate(pieces):
            ids[row, : len(piece)], mask[row, : len(piece)] = piece, 1
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        hidden = self._session.get()[0].run(["last_hidden_state"], feed)[0]
        if self._info.pooling == "cls":
            return normalise(hidden[:, 0])
        weights = mask[:, :, None].astype(np.float32)
        return normalise((hidden * weights).sum(axis=1) / weights.sum(axis=1))
