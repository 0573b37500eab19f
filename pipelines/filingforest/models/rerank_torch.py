"""Runs a cross-encoder of the Hugging Face hub (FinGEAR's is BAAI/bge-reranker-large) by transformers: fp16 on a GPU, fp32 on a CPU.

Windows, batches and budgets are those of the ONNX route (`rerank.py`); only what runs a batch differs. Needs the pipeline extra, and is
imported only where a model is asked for that no ONNX folder holds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from filingforest.errors import ConfigError
from filingforest.models.rerank import Batch, RerankerInfo, Scores, Windowed, positions

_ON_GPU, _ON_CPU = 64, 8  # pairs in a batch


class TorchCrossEncoder(Windowed):
    """`model`: a name of the hub or a transformers folder of a sequence classifier with one label. Errors: ConfigError."""

    def __init__(self, model: str, *, device: str | None = None, batch_size: int | None = None) -> None:
        try:
            import torch
            from transformers import AutoModelForSequenceClassification, AutoTokenizer
        except ImportError as error:
            remedy = "pip install 'filingforest[pipeline]', or give rerank.model an ONNX folder"
            raise ConfigError(f"{error.name} is not installed, and {model} needs it", stage="rerank", remedy=remedy) from error
        self._torch: Any = torch
        self.device = device or ("cuda" if torch.cuda.is_available() else "cpu")
        on_gpu = self.device.startswith("cuda")
        self.batch_size = batch_size or (_ON_GPU if on_gpu else _ON_CPU)
        kind = torch.float16 if on_gpu else torch.float32
        try:
            loaded: Any = AutoModelForSequenceClassification.from_pretrained(model, dtype=kind)
            tokenizer: Any = AutoTokenizer.from_pretrained(model)
        except (OSError, ValueError) as error:
            remedy = "check the name; a model that is not in the hub's cache needs a network, and HF_HUB_OFFLINE unset"
            raise ConfigError(f"{model} cannot be loaded: {str(error).splitlines()[0]}", stage="rerank", remedy=remedy) from error
        if loaded.config.num_labels != 1:
            remedy = "use a reranker: a sequence classifier with one label"
            raise ConfigError(f"{model} gives {loaded.config.num_labels} scores a pair", stage="rerank", remedy=remedy)
        self._model = loaded.eval().to(self.device)
        self._typed = int(getattr(loaded.config, "type_vocab_size", 1) or 1) > 1
        self._tokenizer: Any = tokenizer.backend_tokenizer
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self.info = RerankerInfo(model, str(getattr(loaded.config, "_commit_hash", None) or "local"), positions(loaded.config.to_dict()))

    @property
    def tokenizer(self) -> Any:
        return self._tokenizer

    def logits(self, ids: Batch, mask: Batch, types: Batch) -> Scores:
        given = {"input_ids": ids, "attention_mask": mask} | ({"token_type_ids": types} if self._typed else {})
        with self._torch.inference_mode():
            tensors = {name: self._torch.as_tensor(values, device=self.device) for name, values in given.items()}
            out = self._model(**tensors).logits[:, 0].float().cpu().numpy()
        return np.asarray(out, dtype=np.float64)
