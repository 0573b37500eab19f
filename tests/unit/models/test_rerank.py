"""Cross-encoders: a pair is written as its tokenizer writes it, long passages are read whole, and both routes read the same batches."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokenizers import processors

from filingforest.errors import ConfigError
from filingforest.models.pair_template import PairTemplate
from filingforest.models.rerank import Batch, CrossEncoder, Scores
from filingforest.models.rerank_open import onnx_folder, open_reranker
from tests.support.tiny_reranker import BERT, ROBERTA, SIZES, WORDS, tokenizer, write_reranker


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_reranker(tmp_path)


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
