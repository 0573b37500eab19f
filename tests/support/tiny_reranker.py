"""A random cross-encoder of 16 dimensions over forty words, in the form that `filingforest train reranker` writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from filingforest.models.bert_onnx import cross_encoder_to_onnx

WORDS = [f"w{i}" for i in range(40)]
BERT, ROBERTA = ("[PAD]", "[CLS]", "[SEP]", "[UNK]"), ("<pad>", "<s>", "</s>", "<unk>")
SIZES = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32, "layer_norm_eps": 1e-12}


def tokenizer(signs: tuple[str, str, str, str] = BERT) -> Tokenizer:
    """Splits at spaces; writes pairs as the family does that the signs are of."""
    _, first, last, unknown = signs
    made = Tokenizer(models.WordLevel({word: i for i, word in enumerate([*signs, *WORDS])}, unk_token=unknown))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    pair = f"{first}:0 $A:0 {last}:0 $B:1 {last}:1" if signs == BERT else f"{first} $A {last} {last} $B {last}"
    made.post_processor = processors.TemplateProcessing(f"{first} $A {last}", pair, special_tokens=[(first, 1), (last, 2)])
    return made


def weights() -> dict[str, np.ndarray[Any, Any]]:
    """A random BERT encoder of 16 dimensions with a head."""
    rng = np.random.default_rng(3)
    shapes = {"embeddings.word_embeddings.weight": (44, 16), "embeddings.position_embeddings.weight": (24, 16),
              "embeddings.token_type_embeddings.weight": (2, 16), "head.weight": (1, 16), "head.bias": (1,)}  # fmt: skip
    norms = ["embeddings.LayerNorm"]
    for layer in (f"encoder.layer.{i}" for i in range(2)):
        dense = {f"attention.self.{n}": (16, 16) for n in ("query", "key", "value")}
        dense |= {"attention.output.dense": (16, 16), "intermediate.dense": (32, 16), "output.dense": (16, 32)}
        shapes |= {f"{layer}.{n}.weight": shape for n, shape in dense.items()} | {
            f"{layer}.{n}.bias": shape[:1] for n, shape in dense.items()
        }
        norms += [f"{layer}.attention.output.LayerNorm", f"{layer}.output.LayerNorm"]
    out = {name: rng.normal(0, 0.3, shape).astype(np.float32) for name, shape in shapes.items()}
    return out | {f"{n}.weight": np.ones(16, np.float32) for n in norms} | {f"{n}.bias": np.zeros(16, np.float32) for n in norms}


def write_reranker(folder: Path) -> Path:
    """model.onnx, tokenizer.json, config.json; reads 16 tokens at once."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(cross_encoder_to_onnx(SIZES, weights()))
    tokenizer().save(str(folder / "tokenizer.json"))
    (folder / "config.json").write_text(json.dumps({"model": "tiny", "revision": "r", "max_tokens": 16, "blend": 0.5}))
    return folder
