"""Cross-encoders read a question and a passage together; run by ONNX Runtime and `tokenizers` alone, so that readers need no torch.

A folder holds `model.onnx` (inputs as BERT's, output `logits` (batch, 1)), `tokenizer.json`, and `config.json` with a `RerankerInfo`.
A passage over the model's limit is read window by window and is worth its best one: nothing is cut off silently.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from filingforest.errors import ConfigError, Corrupt
from filingforest.models.base import windows
from filingforest.models.session import Session

FILES = ("model.onnx", "tokenizer.json", "config.json")
_QUESTION = 64  # tokens of a question that are read; the passage has the rest


@dataclass(frozen=True, slots=True)
class RerankerInfo:
    """`blend` is what its score counts beside the light tier's; `max_tokens` question and passage together."""

    model: str
    revision: str
    max_tokens: int
    blend: float = 1.0

    def as_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


class CrossEncoder:
    """Thread-safe. Batches are sorted by length and of fixed size, so that the same pairs give the same scores."""

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

    @property
    def blend(self) -> float:
        return self.info.blend

    def files(self) -> dict[str, bytes | Path]:
        return {name: self.folder / name for name in FILES}

    def within(self, question: str, passages: Sequence[str], tokens: int) -> int:
        """How many passages, in order, fit into a budget of tokens (question included each time); at least one."""
        asked = len(self._ids([question])[0][:_QUESTION]) + 3
        spent = 0
        for count, ids in enumerate(self._ids(passages)):
            pieces = windows(len(ids), self.info.max_tokens - asked)
            spent += len(ids) + asked * len(pieces)
            if count and spent > tokens:
                return count
        return len(passages)

    def scores(self, question: str, passages: Sequence[str]) -> npt.NDArray[np.float64]:
        """One score a passage: its best window's."""
        asked = self._ids([question])[0][:_QUESTION]
        pairs: list[tuple[list[int], list[int]]] = []
        owner: list[int] = []
        for place, ids in enumerate(self._ids(passages)):
            for start, end in windows(len(ids), self.info.max_tokens - len(asked) - 3):
                pairs.append((asked, ids[start:end]))
                owner.append(place)
        values = self._run(pairs)
        out = np.full(len(passages), -np.inf)
        np.maximum.at(out, np.array(owner, dtype=np.int64), values)
        return out

    def _ids(self, texts: Sequence[str]) -> list[list[int]]:
        encoded = self._session.get()[1].encode_batch(list(texts), add_special_tokens=False)
        return [encoding.ids for encoding in encoded]

    def _run(self, pairs: Sequence[tuple[list[int], list[int]]]) -> npt.NDArray[np.float64]:
        order = sorted(range(len(pairs)), key=lambda i: (len(pairs[i][0]) + len(pairs[i][1]), i))
        out = np.zeros(len(pairs))
        for start in range(0, len(order), self.batch_size):
            chosen = order[start : start + self.batch_size]
            out[chosen] = self._batch([pairs[i] for i in chosen])
        return out

    def _batch(self, pairs: Sequence[tuple[list[int], list[int]]]) -> npt.NDArray[np.float64]:
        session, tokenizer = self._session.get()
        first, last = tokenizer.token_to_id("[CLS]"), tokenizer.token_to_id("[SEP]")
        width = max(len(a) + len(b) for a, b in pairs) + 3
        ids = np.zeros((len(pairs), width), dtype=np.int64)
        mask, types = np.zeros_like(ids), np.zeros_like(ids)
        for row, (a, b) in enumerate(pairs):
            line = [first, *a, last, *b, last]
            ids[row, : len(line)], mask[row, : len(line)] = line, 1
            types[row, len(a) + 2 : len(line)] = 1
        logits = session.run(["logits"], {"input_ids": ids, "attention_mask": mask, "token_type_ids": types})[0]
        return np.asarray(logits[:, 0], dtype=np.float64)
