"""Cross-encoders read a question and a passage together. Here the ONNX one, which readers run by ONNX Runtime and `tokenizers` alone.

A folder holds `model.onnx` (inputs as BERT's, output `logits` (batch, 1)), `tokenizer.json`, and `config.json` with a `RerankerInfo`.
A passage over the model's limit is read window by window and is worth its best one: nothing is cut off silently. The same windows and
batches are read by `rerank_torch.py`, which runs models of the hub.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from filingforest.errors import ConfigError, Corrupt
from filingforest.models.base import windows
from filingforest.models.pair_template import PairTemplate
from filingforest.models.session import Session

FILES = ("model.onnx", "tokenizer.json", "config.json")
_QUESTION = 64  # tokens of a question that are read; the passage has the rest
Pair = tuple[list[int], list[int]]
Scores = npt.NDArray[np.float64]
Batch = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class RerankerInfo:
    """`blend` is what its score counts beside the light tier's; `max_tokens` question and passage together."""

    model: str
    revision: str
    max_tokens: int
    blend: float = 1.0

    def as_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


def positions(config: Mapping[str, Any]) -> int:
    """Tokens that a model has positions for, by transformers' config; RoBERTa's begin behind its padding sign."""
    return int(config["max_position_embeddings"]) - (int(config["pad_token_id"]) + 1 if "roberta" in config["model_type"] else 0)


class PassageScorer(Protocol):
    """What the `full` tier asks of a cross-encoder, whatever runs it. Thread-safe."""

    info: RerankerInfo

    def within(self, question: str, passages: Sequence[str], tokens: int) -> int:
        """How many passages, in order, fit into a budget of tokens (question included each time); at least one."""

    def scores(self, question: str, passages: Sequence[str]) -> Scores:
        """One score a passage: its best window's."""


class Windowed(ABC):
    """Windows and batches of pairs. Batches are sorted by length and of fixed size, so that the same pairs give the same scores."""

    info: RerankerInfo
    batch_size: int

    @property
    @abstractmethod
    def tokenizer(self) -> Any:
        """A `tokenizers.Tokenizer` that neither pads nor truncates."""

    @abstractmethod
    def logits(self, ids: Batch, mask: Batch, types: Batch) -> Scores:
        """One score a row; all three are (batch, width)."""

    def within(self, question: str, passages: Sequence[str], tokens: int) -> int:
        """How many passages, in order, fit into a budget of tokens (question included each time); at least one."""
        asked = len(self._ids([question])[0][:_QUESTION]) + self._template.extra
        spent = 0
        for count, ids in enumerate(self._ids(passages)):
            pieces = windows(len(ids), self.info.max_tokens - asked)
            spent += len(ids) + asked * len(pieces)
            if count and spent > tokens:
                return count
        return len(passages)

    def scores(self, question: str, passages: Sequence[str]) -> Scores:
        """One score a passage: its best window's."""
        asked = self._ids([question])[0][:_QUESTION]
        pairs: list[Pair] = []
        owner: list[int] = []
        for place, ids in enumerate(self._ids(passages)):
            for start, end in windows(len(ids), self.info.max_tokens - len(asked) - self._template.extra):
                pairs.append((asked, ids[start:end]))
                owner.append(place)
        out = np.full(len(passages), -np.inf)
        np.maximum.at(out, np.array(owner, dtype=np.int64), self._run(pairs))
        return out

    @cached_property
    def _template(self) -> PairTemplate:
        return PairTemplate.of(self.tokenizer)

    def _ids(self, texts: Sequence[str]) -> list[list[int]]:
        return [encoding.ids for encoding in self.tokenizer.encode_batch(list(texts), add_special_tokens=False)]

    def _run(self, pairs: Sequence[Pair]) -> Scores:
        order = sorted(range(len(pairs)), key=lambda i: (len(pairs[i][0]) + len(pairs[i][1]), i))
        out = np.zeros(len(pairs))
        for start in range(0, len(order), self.batch_size):
            chosen = order[start : start + self.batch_size]
            out[chosen] = self._batch([pairs[i] for i in chosen])
        return out

    def _batch(self, pairs: Sequence[Pair]) -> Scores:
        lines = [self._template.join(question, passage) for question, passage in pairs]
        width = max(len(ids) for ids, _ in lines)
        ids = np.full((len(lines), width), self._template.pad, dtype=np.int64)
        mask, types = np.zeros_like(ids), np.zeros_like(ids)
        for row, (line, kinds) in enumerate(lines):
            ids[row, : len(line)], mask[row, : len(line)], types[row, : len(line)] = line, 1, kinds
        return self.logits(ids, mask, types)


class CrossEncoder(Windowed):
    """A folder's ONNX graph, on the CPU."""

    def __init__(self, folder: Path, *, threads: int = 1, batch_size: int = 8) -> None:
        missing = [name for name in FILES if not (folder / name).is_file()]
        if missing:
            remedy = "give rerank.model the folder that `filingforest train reranker --tier full` wrote"
            raise ConfigError(f"no {', '.join(missing)} in {folder}", stage="rerank", remedy=remedy)
        try:
            self.info = RerankerInfo(**json.loads((folder / "config.json").read_text()))
        except (TypeError, ValueError) as error:
            raise Corrupt(f"config.json of the reranker is not readable: {error}", document=str(folder), stage="rerank") from error
        self.folder, self.threads, self.batch_size = folder, threads, batch_size
        self._session = Session(folder, threads)

    def files(self) -> dict[str, bytes | Path]:
        return {name: self.folder / name for name in FILES}

    @property
    def tokenizer(self) -> Any:
        return self._session.get()[1]

    def logits(self, ids: Batch, mask: Batch, types: Batch) -> Scores:
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
        return np.asarray(self._session.get()[0].run(["logits"], given)[0][:, 0], dtype=np.float64)
