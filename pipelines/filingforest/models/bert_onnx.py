"""Writes a BERT encoder's ONNX graph straight from its safetensors, so that a model can be published without torch.

Architecture: Devlin et al. 2019 as in transformers' BertModel (MiniLM and bge-*-en are of that family). fp32, opset 17,
inputs `input_ids`, `attention_mask`, `token_type_ids` (int64, batch x sequence), output `last_hidden_state`
(float32, batch x sequence x hidden). The bytes depend on the weights alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from filingforest.errors import ConfigError

OPSET = 17
IR_VERSION = 9
_WHOLE = 1_500_000_000  # bytes of weights up to which a file holds them as float32


def bert_to_onnx(model_dir: Path) -> bytes:
    """The serialised ONNX model of the encoder in `model_dir` (`config.json`, `model.safetensors`)."""
    config = json.loads((model_dir / "config.json").read_text())
    if config.get("model_type") != "bert" or config.get("hidden_act") != "gelu":
        raise ConfigError(
            f"{model_dir.name} is a {config.get('model_type')} model; only BERT encoders are exported without torch",
            stage="export",
            remedy="install filingforest[pipeline] and set embed.method to sentence-transformers",
        )
    return _Graph(config, _weights(model_dir)).serialise()


def cross_encoder_to_onnx(config: dict[str, Any], weights: Mapping[str, np.ndarray[Any, Any]]) -> bytes:
    """A BERT encoder with a linear head over its mean token, as ONNX: output `logits` (float32, batch x 1).

    `weights` as in transformers' BertModel, and `head.weight` (1, hidden), `head.bias` (1,).
    """
    return _Graph(config, {name: np.asarray(value, dtype=np.float32) for name, value in weights.items()}).serialise(head=True)


def classifier_to_onnx(model_dir: Path) -> bytes:
    """A cross-encoder in transformers' form (BertForSequenceClassification, XLMRobertaForSequenceClassification, one label) as ONNX.

    The bge rerankers are of these families. Weights over 1.5 GB are stored as float16, since an ONNX file ends at 2 GB, and computed with
    as float32. Errors: ConfigError for another architecture.
    """
    config = json.loads((model_dir / "config.json").read_text())
    family = config.get("model_type")
    if family not in ("bert", "roberta", "xlm-roberta") or config.get("hidden_act") != "gelu":
        remedy = "give its name as rerank.model: transformers runs it where filingforest[pipeline] is installed"
        raise ConfigError(f"{model_dir.name} is a {family} model; only BERT and RoBERTa are exported", stage="export", remedy=remedy)
    weights = _weights(model_dir)
    offset = 0 if family == "bert" else int(config["pad_token_id"]) + 1  # RoBERTa counts positions from behind its padding sign
    weights["embeddings.position_embeddings.weight"] = weights["embeddings.position_embeddings.weight"][offset:]
    dense, out = ("pooler.dense", "classifier") if family == "bert" else ("classifier.dense", "classifier.out_proj")
    heads = {f"head.{new}.{part}": weights[f"{old}.{part}"] for new, old in (("dense", dense), ("out", out)) for part in ("weight", "bias")}
    return _Graph(config, weights | heads).serialise(head=True)


def _weights(model_dir: Path) -> dict[str, np.ndarray[Any, Any]]:
    from safetensors.numpy import load_file

    tensors = load_file(model_dir / "model.safetensors")
    return {
        name.removeprefix("bert.").removeprefix("roberta."): np.asarray(value, dtype=np.float32)
        for name, value in tensors.items()
        if "position_ids" not in name
    }


class _Graph:
    """Collects nodes and initialisers; each method adds one part of the encoder and returns its output's name."""

    def __init__(self, config: dict[str, Any], weights: dict[str, np.ndarray[Any, Any]]) -> None:
        self.config, self.weights = config, weights
        self.nodes: list[Any] = []
        self.initialisers: dict[str, np.ndarray[Any, Any]] = {}
        self.count = 0

    def op(self, kind: str, *inputs: str, **attributes: Any) -> str:
        from onnx import helper

        self.count += 1
        out = f"{kind.lower()}_{self.count}"
        self.nodes.append(helper.make_node(kind, list(inputs), [out], **attributes))
        return out

    def const(self, name: str, value: np.ndarray[Any, Any]) -> str:
        self.initialisers.setdefault(name, value)
        return name

    def ints(self, *values: int) -> str:
        return self.const("ints_" + "_".join(str(v).replace("-", "m") for v in values), np.array(values, dtype=np.int64))

    def scalar(self, name: str, value: float) -> str:
        return self.const(name, np.array(value, dtype=np.float32))

    def weight(self, name: str) -> str:
        return self.const(name, self.weights[name])

    def dense(self, x: str, name: str) -> str:
        transposed = self.const(f"{name}.weight_t", np.ascontiguousarray(self.weights[f"{name}.weight"].T))
        return self.op("Add", self.op("MatMul", x, transposed), self.weight(f"{name}.bias"))

    def norm(self, x: str, name: str) -> str:
        epsilon = float(self.config["layer_norm_eps"])
        return self.op("LayerNormalization", x, self.weight(f"{name}.weight"), self.weight(f"{name}.bias"), axis=-1, epsilon=epsilon)

    def gelu(self, x: str) -> str:
        half = self.op("Mul", x, self.scalar("half", 0.5))
        erf = self.op("Erf", self.op("Div", x, self.scalar("sqrt_two", 2.0**0.5)))
        return self.op("Mul", half, self.op("Add", erf, self.scalar("one", 1.0)))

    def embeddings(self) -> str:
        length = self.op("Slice", self.op("Shape", "input_ids"), self.ints(1), self.ints(2))
        table = self.weight("embeddings.position_embeddings.weight")
        positions = self.op("Slice", table, self.ints(0), length, self.ints(0))
        words = self.op("Gather", self.weight("embeddings.word_embeddings.weight"), "input_ids")
        types = self.op("Gather", self.weight("embeddings.token_type_embeddings.weight"), "token_type_ids")
        return self.norm(self.op("Add", self.op("Add", words, types), positions), "embeddings.LayerNorm")

    def mask(self) -> str:
        wide = self.op("Unsqueeze", self.op("Cast", "attention_mask", to=1), self.ints(1, 2))
        return self.op("Mul", self.op("Sub", self.scalar("one", 1.0), wide), self.scalar("minus_huge", -1e9))

    def heads(self, x: str, name: str, order: tuple[int, ...]) -> str:
        heads = int(self.config["num_attention_heads"])
        shape = self.ints(0, 0, heads, int(self.config["hidden_size"]) // heads)
        return self.op("Transpose", self.op("Reshape", self.dense(x, name), shape), perm=list(order))

    def attention(self, x: str, layer: str, mask: str) -> str:
        size = int(self.config["hidden_size"]) // int(self.config["num_attention_heads"])
        query = self.heads(x, f"{layer}.self.query", (0, 2, 1, 3))
        key = self.heads(x, f"{layer}.self.key", (0, 2, 3, 1))
        value = self.heads(x, f"{layer}.self.value", (0, 2, 1, 3))
        scores = self.op("Div", self.op("MatMul", query, key), self.scalar("sqrt_head", float(size) ** 0.5))
        weights = self.op("Softmax", self.op("Add", scores, mask), axis=-1)
        mixed = self.op("Transpose", self.op("MatMul", weights, value), perm=[0, 2, 1, 3])
        joined = self.op("Reshape", mixed, self.ints(0, 0, int(self.config["hidden_size"])))
        return self.norm(self.op("Add", self.dense(joined, f"{layer}.output.dense"), x), f"{layer}.output.LayerNorm")

    def layer(self, x: str, index: int, mask: str) -> str:
        name = f"encoder.layer.{index}"
        attended = self.attention(x, f"{name}.attention", mask)
        inner = self.gelu(self.dense(attended, f"{name}.intermediate.dense"))
        return self.norm(self.op("Add", self.dense(inner, f"{name}.output.dense"), attended), f"{name}.output.LayerNorm")

    def score(self, hidden: str) -> str:
        """The head's value of the mean of the tokens that are there; of the first token where the head has two layers."""
        if "head.dense.weight" in self.weights:
            first = self.op("Gather", hidden, self.const("zero", np.array(0, dtype=np.int64)), axis=1)
            return self.dense(self.op("Tanh", self.dense(first, "head.dense")), "head.out")
        there = self.op("Unsqueeze", self.op("Cast", "attention_mask", to=1), self.ints(2))
        total = self.op("ReduceSum", self.op("Mul", hidden, there), self.ints(1), keepdims=0)
        return self.dense(self.op("Div", total, self.op("ReduceSum", there, self.ints(1), keepdims=0)), "head")

    def _stored(self) -> dict[str, np.ndarray[Any, Any]]:
        """What goes into the file; large models in half the bytes, widened when they are opened."""
        from onnx import helper

        if sum(value.nbytes for value in self.initialisers.values()) <= _WHOLE:
            return self.initialisers
        out: dict[str, np.ndarray[Any, Any]] = {}
        for name, value in self.initialisers.items():
            half = value.dtype == np.float32 and value.ndim > 0
            out[f"{name}.half" if half else name] = value.astype(np.float16) if half else value
            if half:
                self.nodes.insert(0, helper.make_node("Cast", [f"{name}.half"], [name], to=1))
        return out

    def serialise(self, head: bool = False) -> bytes:
        from onnx import TensorProto, checker, helper, numpy_helper

        x, mask = self.embeddings(), self.mask()
        for index in range(int(self.config["num_hidden_layers"])):
            x = self.layer(x, index, mask)
        name, shape = ("logits", ["batch", 1]) if head else ("last_hidden_state", ["batch", "sequence", int(self.config["hidden_size"])])
        self.nodes.append(helper.make_node("Identity", [self.score(x) if head else x], [name]))
        axes = ["batch", "sequence"]
        inputs = [helper.make_tensor_value_info(n, TensorProto.INT64, axes) for n in ("input_ids", "attention_mask", "token_type_ids")]
        outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)]
        tensors = [numpy_helper.from_array(value, name) for name, value in sorted(self._stored().items())]
        graph = helper.make_graph(self.nodes, "bert_encoder", inputs, outputs, tensors)
        model = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION, producer_name="filingforest"
        )
        checker.check_model(model)
        data: bytes = model.SerializeToString(deterministic=True)
        return data
