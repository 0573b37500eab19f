"""Tunes a question encoder on pairs of texts that mean the same: in-batch negatives, for a bounded time. Needs torch.

Loss: cross-entropy of each text's partner among all partners of the batch, scale 20 (Henderson et al. 2017; Reimers and Gurevych 2019).
Vectors of a tuned encoder are another space: units must be embedded again with it.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from filingforest.errors import ConfigError
from filingforest.models.export import model_folder

_SCALE, _BATCH, _TOKENS, _RATE, _SEED = 20.0, 16, 96, 2e-5, 17


class EmbedderTrainer:
    """Holds the encoder; `train` until the time is up, `encode` to judge, `save` a folder that `embed.model` names."""

    def __init__(self, base: str, seconds: float) -> None:
        try:
            import torch
            from transformers import AutoModel, AutoTokenizer
        except ImportError as error:
            remedy = "pip install 'filingforest[pipeline]'"
            raise ConfigError(f"{error.name} is not installed, and training needs it", stage="train", remedy=remedy) from error
        torch.manual_seed(_SEED)
        self.torch, self.seconds, self.folder = torch, seconds, model_folder(base)
        self.tokenizer: Any = AutoTokenizer.from_pretrained(str(self.folder))
        self.encoder: Any = AutoModel.from_pretrained(str(self.folder))
        self.optimiser: Any = torch.optim.AdamW(self.encoder.parameters(), lr=_RATE)

    def train(self, sets: Sequence[Sequence[tuple[str, str]]]) -> int:
        """Number of pairs seen. Sets take turns batch by batch, so that a large one does not drown a small one."""
        generator, began, seen = np.random.default_rng(_SEED), time.process_time(), 0
        self.encoder.train()
        sets = [pairs for pairs in sets if len(pairs) >= 2]
        for pairs in itertools.cycle(sets):
            if time.process_time() - began >= self.seconds:
                break
            chosen = [pairs[int(i)] for i in generator.choice(len(pairs), min(_BATCH, len(pairs)), replace=False)]
            left, right = self._embed([a for a, _ in chosen]), self._embed([b for _, b in chosen])
            target = self.torch.arange(len(chosen))
            loss = self.torch.nn.functional.cross_entropy(left @ right.T * _SCALE, target)
            self.optimiser.zero_grad()
            loss.backward()
            self.optimiser.step()
            seen += len(chosen)
        self.encoder.eval()
        return seen

    def encode(self, texts: Sequence[str]) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
        """float32 (texts, dimension), normalised."""
        self.encoder.eval()
        with self.torch.no_grad():
            parts = [self._embed(texts[i : i + _BATCH]).numpy() for i in range(0, len(texts), _BATCH)]
        return np.concatenate(parts)

    def _embed(self, texts: Sequence[str]) -> Any:
        encoded = self.tokenizer(list(texts), truncation=True, max_length=_TOKENS, padding=True, return_tensors="pt")
        hidden = self.encoder(**encoded).last_hidden_state
        mask = encoded["attention_mask"].unsqueeze(-1)
        return self.torch.nn.functional.normalize((hidden * mask).sum(1) / mask.sum(1), dim=1)

    def save(self, folder: Path) -> None:
        """safetensors, config and tokenizer: a folder like those of the catalogue."""
        self.encoder.save_pretrained(str(folder), safe_serialization=True)
        self.tokenizer.save_pretrained(str(folder))
        for name in ("tokenizer.json",):
            (folder / name).write_bytes((self.folder / name).read_bytes())
