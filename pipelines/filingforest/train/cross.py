"""Trains a small cross-encoder from an encoder's weights, and writes the ONNX folder that a publication carries. Needs torch.

A question with one gold unit and its hardest negatives is one list; the loss is the cross-entropy of the gold one among them. Of a long
unit the window that shares most words with the question is read in training. `layers` cuts the encoder: two make a light one.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from filingforest.errors import ConfigError
from filingforest.models.bert_onnx import cross_encoder_to_onnx
from filingforest.models.export import model_folder
from filingforest.models.rerank import CrossEncoder, RerankerInfo
from filingforest.train.examples import Example, read_finqa


@dataclass(frozen=True, slots=True)
class CrossSettings:
    """`seconds` of CPU bound the training; `tokens` question and passage together while training, `max_tokens` when reading."""

    base: str = "all-MiniLM-L6-v2"
    layers: int = 6
    negatives: int = 5
    tokens: int = 128
    max_tokens: int = 256
    seconds: float = 300.0
    rate: float = 5e-5
    lists: int = 2  # in one step
    seed: int = 17


Listed = tuple[str, list[str]]  # a question; its gold passage first, then negatives


class Trainer:
    """Holds model and optimiser; `train` runs through the lists until the time is up."""

    def __init__(self, settings: CrossSettings) -> None:
        try:
            import torch
            from transformers import AutoModel, AutoTokenizer
        except ImportError as error:
            remedy = "pip install 'filingforest[pipeline]'"
            raise ConfigError(f"{error.name} is not installed, and training needs it", stage="train", remedy=remedy) from error
        torch.manual_seed(settings.seed)
        self.torch, self.settings = torch, settings
        self.folder = model_folder(settings.base)
        self.tokenizer: Any = AutoTokenizer.from_pretrained(str(self.folder))
        self.encoder: Any = AutoModel.from_pretrained(str(self.folder), attn_implementation="eager")
        self.encoder.encoder.layer = self.encoder.encoder.layer[: settings.layers]
        self.encoder.config.num_hidden_layers = settings.layers
        self.head: Any = torch.nn.Linear(self.encoder.config.hidden_size, 1)
        groups = [{"params": self.encoder.parameters(), "lr": settings.rate}, {"params": self.head.parameters(), "lr": 20 * settings.rate}]
        self.optimiser: Any = torch.optim.AdamW(groups)

    def train(self, lists: Sequence[Listed]) -> int:
        """Number of lists seen. The rate falls linearly over the time that there is."""
        began, seen = time.process_time(), 0
        self.encoder.train()
        for batch in self._batches(lists):
            left = 1 - (time.process_time() - began) / self.settings.seconds
            if left <= 0:
                break
            for group, rate in zip(self.optimiser.param_groups, (self.settings.rate, 20 * self.settings.rate), strict=True):
                group["lr"] = rate * min(left, (seen + 1) / 50)
            self._step(batch)
            seen += len(batch)
        self.encoder.eval()
        return seen

    def _batches(self, lists: Sequence[Listed]) -> Iterator[list[Listed]]:
        generator = np.random.default_rng(self.settings.seed)
        while lists:
            order = generator.permutation(len(lists))
            for start in range(0, len(order), self.settings.lists):
                yield [lists[int(i)] for i in order[start : start + self.settings.lists]]

    def _step(self, batch: Sequence[Listed]) -> None:
        pairs = [(question, window(question, text)) for question, texts in batch for text in texts]
        logits = self._logits(pairs)
        loss, place = 0.0, 0
        for _, texts in batch:
            loss = loss - self.torch.log_softmax(logits[place : place + len(texts)], dim=0)[0]
            place += len(texts)
        self.optimiser.zero_grad()
        (loss / len(batch)).backward()  # type: ignore[attr-defined]
        self.torch.nn.utils.clip_grad_norm_(self.encoder.parameters(), 1.0)
        self.optimiser.step()

    def _logits(self, pairs: Sequence[tuple[str, str]]) -> Any:
        questions, texts = zip(*pairs, strict=True)
        limit = self.settings.tokens
        encoded = self.tokenizer(
            list(questions), list(texts), truncation="only_second", max_length=limit, padding=True, return_tensors="pt"
        )
        hidden = self.encoder(**encoded).last_hidden_state
        mask = encoded["attention_mask"].unsqueeze(-1)
        return self.head((hidden * mask).sum(1) / mask.sum(1)).squeeze(-1)

    def save(self, folder: Path, blend: float, revision: str) -> None:
        """model.onnx, tokenizer.json, config.json; what `rerank.model` names."""
        folder.mkdir(parents=True, exist_ok=True)
        weights = {name: value.detach().numpy() for name, value in self.encoder.state_dict().items()}
        weights |= {f"head.{name}": value.detach().numpy() for name, value in self.head.state_dict().items()}
        (folder / "model.onnx").write_bytes(cross_encoder_to_onnx(self.encoder.config.to_dict(), weights))
        (folder / "tokenizer.json").write_bytes((self.folder / "tokenizer.json").read_bytes())
        info = RerankerInfo(f"{self.settings.base} cross-encoder, {self.settings.layers} layers", revision, self.settings.max_tokens, blend)
        (folder / "config.json").write_text(json.dumps(info.as_dict(), indent=1, sort_keys=True), encoding="utf-8")


def window(question: str, text: str, words: int = 80) -> str:
    """The stretch of about `words` words that shares most with the question."""
    every = text.split()
    if len(every) <= words:
        return text
    wanted = {word.lower().strip("?.,'") for word in question.split()}
    said = np.cumsum([0, *(word.lower().strip(".,:;()") in wanted for word in every)])
    starts = range(0, len(every) - words // 2, words // 4)
    best = max(starts, key=lambda start: int(said[min(len(every), start + words)] - said[start]))
    return " ".join(every[best : best + words])


def lists_of(examples: Sequence[Example], negatives: int) -> list[Listed]:
    """One list a question with gold among its candidates: the best-placed gold unit and the negatives that hybrid places highest."""
    out: list[Listed] = []
    for example in examples:
        gold, others = np.flatnonzero(example.gold), np.flatnonzero(~example.gold)
        if len(gold) and len(others) >= negatives:
            out.append((example.meaning, [example.texts[int(i)] for i in (gold[0], *others[:negatives])]))
    return out


def lists_of_finqa(path: Path | None, negatives: int) -> list[Listed]:
    """The same from a FinQA file; none without one."""
    found = read_finqa(path) if path else []
    return [(question, [gold[0], *rest[:negatives]]) for question, gold, rest in found if gold and len(rest) >= negatives]


def read(encoder: CrossEncoder, examples: Sequence[Example], light: Sequence[Any], tokens: int = 3_000) -> list[Any]:
    """Cross-encoder scores of each example's candidates as a reader gives them: the best by `light` within the budget, from 0 up."""
    out = []
    for example, values in zip(examples, light, strict=True):
        order = np.argsort(-values, kind="stable")
        texts = [example.texts[int(i)] for i in order]
        count = encoder.within(example.meaning, texts, tokens)
        scores = encoder.scores(example.meaning, texts[:count])
        row = np.zeros(len(texts))
        row[order[:count]] = scores - scores.min()
        out.append(row)
    return out
