"""Cross-encoders: a pair is written as its tokenizer writes it, long passages are read whole, and both routes read the same batches."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from filingforest.errors import ConfigError
from filingforest.models.bert_onnx import cross_encoder_to_onnx
from filingforest.models.pair_template import PairTemplate
from filingforest.models.rerank import Batch, CrossEncoder, Scores
from filingforest.models.rerank_open import onnx_folder, open_reranker

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


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "model.onnx").write_bytes(cross_encoder_to_onnx(SIZES, weights()))
    tokenizer().save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "config.json").write_text(json.dumps({"model": "tiny", "revision": "r", "max_tokens": 16, "blend": 0.5}))
    return tmp_path


def test_templates_worked_out_by_hand() -> None:
    bert = PairTemplate.of(tokenizer())
    assert bert.join([4, 5], [6]) == ([1, 4, 5, 2, 6, 2], [0, 0, 0, 0, 1, 1])
    assert (bert.extra, bert.pad) == (3, 0)
    roberta = PairTemplate.of(tokenizer(ROBERTA))
    assert roberta.join([4, 5], [6]) == ([1, 4, 5, 2, 2, 6, 2], [0] * 7)
    assert (roberta.extra, roberta.pad) == (4, 0)


def test_a_tokenizer_that_joins_nothing_is_refused() -> None:
    plain = tokenizer()
    plain.post_processor = processors.TemplateProcessing("$A", "$A $B", special_tokens=[])
    with pytest.raises(ConfigError, match="does not join"):
        PairTemplate.of(plain)


def test_a_long_passage_is_worth_its_best_window(folder: Path) -> None:
    encoder = CrossEncoder(folder)
    words = " ".join(WORDS[:33])  # 16 tokens less 3 signs and 2 of the question: windows of 11
    parts = [" ".join(WORDS[start : start + 11]) for start in (0, 11, 22)]
    whole, *pieces = encoder.scores("w1 w2", [words, *parts]).tolist()
    assert whole == pytest.approx(max(pieces), abs=1e-6)


def test_a_budget_counts_the_question_each_time(folder: Path) -> None:
    encoder = CrossEncoder(folder)
    passages = ["w1 w2 w3 w4 w5"] * 4  # 5 tokens, 2 of the question, 3 signs: 10 each
    assert [encoder.within("w1 w2", passages, budget) for budget in (5, 10, 20, 29, 30, 100)] == [1, 1, 2, 2, 3, 4]


def test_other_passages_change_no_score(folder: Path) -> None:
    encoder = CrossEncoder(folder, batch_size=2)
    passages = ["w1", "w2 w3 w4 w5 w6", "w7 w8"]
    alone = [float(encoder.scores("w1", [p])[0]) for p in passages]
    assert encoder.scores("w1", passages).tolist() == pytest.approx(alone, abs=1e-5)


def test_what_a_name_stands_for(folder: Path, tmp_path: Path) -> None:
    assert onnx_folder(str(folder)) == folder
    assert onnx_folder("someone/some-reranker") is None
    with pytest.raises(ConfigError, match=r"no model\.onnx"):
        open_reranker(str(tmp_path / "not" / "there"))
    assert isinstance(open_reranker(str(folder)), CrossEncoder)


@pytest.mark.torch
@pytest.mark.parametrize("family", ["bert", "xlm-roberta"])
def test_a_model_of_the_hubs_form_scores_as_transformers_does(tmp_path: Path, family: str) -> None:
    torch, model, scorer = _hub_model(tmp_path, family)
    question, passages = "w1 w2 w3", ["w4", "w5 w6 w7 w8", "w9 w10"]
    assert scorer.info.max_tokens == 20
    expected = []
    for passage in passages:
        encoded = scorer.tokenizer.encode(question, passage)
        given = {"input_ids": torch.tensor([encoded.ids])} | (
            {"token_type_ids": torch.tensor([encoded.type_ids])} if family == "bert" else {}
        )
        with torch.inference_mode():
            expected.append(float(model(**given).logits[0, 0]))
    assert scorer.scores(question, passages).tolist() == pytest.approx(expected, abs=1e-5)


@pytest.mark.torch
@pytest.mark.parametrize("family", ["bert", "xlm-roberta"])
@pytest.mark.parametrize("whole", [True, False])
def test_a_model_of_the_hubs_form_is_exported(tmp_path: Path, family: str, whole: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FILINGFOREST_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("filingforest.models.bert_onnx._WHOLE", 10**9 if whole else 0)
    _, _, hub = _hub_model(tmp_path / "hub", family)
    onnx = CrossEncoder(onnx_folder(str(tmp_path / "hub")) or Path())
    assert onnx.info.max_tokens == hub.info.max_tokens == 20
    passages = [" ".join(WORDS[i : i + 3 * i]) for i in range(1, 12)]
    expected = hub.scores("w1 w2", passages).tolist()
    assert onnx.scores("w1 w2", passages).tolist() == pytest.approx(expected, abs=1e-4 if whole else 1e-2)
    assert len({round(value, 3) for value in expected}) > 5  # they do differ


@pytest.mark.torch
def test_both_routes_read_the_same_batches(tmp_path: Path, folder: Path) -> None:
    _, _, hub = _hub_model(tmp_path / "hub", "bert")
    onnx = CrossEncoder(folder)
    onnx.info = hub.info
    seen: dict[str, list[tuple[Any, ...]]] = {"hub": [], "onnx": []}
    for name, scorer in (("hub", hub), ("onnx", onnx)):

        def record(ids: Batch, mask: Batch, types: Batch, name: str = name) -> Scores:
            seen[name].append((ids.tolist(), mask.tolist(), types.tolist()))
            return np.zeros(len(ids))

        scorer.logits = record  # type: ignore[method-assign]
        passages = [" ".join(WORDS[i : i + 3 * i]) for i in range(1, 12)]
        scorer.scores("w1 w2", passages)
        seen[name].append((scorer.within("w1 w2", passages, 60),))
    assert seen["hub"] == seen["onnx"] and len(seen["hub"]) > 2


@pytest.mark.torch
def test_a_classifier_of_several_labels_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="gives 3 scores"):
        _hub_model(tmp_path, "bert", labels=3)


def _hub_model(folder: Path, family: str, labels: int = 1) -> tuple[Any, Any, Any]:
    """torch, a random classifier in transformers' form, and the scorer of its folder."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast, XLMRobertaConfig
    from transformers import XLMRobertaForSequenceClassification as Roberta

    torch.manual_seed(5)
    signs = BERT if family == "bert" else ROBERTA
    kind, model = (BertConfig, BertForSequenceClassification) if family == "bert" else (XLMRobertaConfig, Roberta)
    spare = {} if family == "bert" else {"max_position_embeddings": 21, "type_vocab_size": 1, "pad_token_id": 0}
    made = model(kind(vocab_size=44, num_labels=labels, initializer_range=0.5, **({"max_position_embeddings": 20} | SIZES | spare)))
    made.save_pretrained(folder)
    names = dict(zip(("pad_token", "cls_token", "sep_token", "unk_token"), signs, strict=True))
    PreTrainedTokenizerFast(tokenizer_object=tokenizer(signs), **names).save_pretrained(folder)
    from filingforest.models.rerank_torch import TorchCrossEncoder

    return torch, made.eval(), TorchCrossEncoder(str(folder), device="cpu")
