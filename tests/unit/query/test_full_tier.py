"""The full tier: which cross-encoder is used, what it says in `why`, and what happens where none can be had."""

from __future__ import annotations

from pathlib import Path

import pytest

from filingforest.config.retrieval import RerankSettings, RetrievalSettings
from filingforest.errors import ConfigError
from filingforest.query import cross_encoder
from filingforest.query.reader import Reader
from filingforest.query.retrieve import Retriever
from tests.support.corpus import Doc, Unit, publish
from tests.support.tiny_reranker import WORDS, write_reranker

DOCS = [Doc("Quince Inc.", 2023, [Unit(" ".join(WORDS[i : i + 9])) for i in range(0, 36, 4)])]
FULL = RetrievalSettings(rerank="full")


@pytest.fixture
def index(tmp_path: Path) -> str:
    return publish(tmp_path / "index", [DOCS])


def reader(index: str, model: str, tokens: int = 3_000) -> Reader:
    return Reader([index], retriever=Retriever(FULL, RerankSettings(model, tokens)))


def test_a_folder_that_settings_name_ranks(index: str, tmp_path: Path) -> None:
    model = str(write_reranker(tmp_path / "model"))
    hits = reader(index, model).query("w5 w6 w9", 9).hits
    scores = [(hit.why["rerank"]["light"], hit.why["rerank"]["cross_encoder"]) for hit in hits]
    low = min(read for _, read in scores)
    blended = [light + 0.5 * (read - low) for light, read in scores]
    assert blended == sorted(blended, reverse=True)
    assert [hit.score for hit in hits] == pytest.approx(blended, abs=1e-3)


def test_a_budget_leaves_the_rest_to_the_light_tier(index: str, tmp_path: Path) -> None:
    model = str(write_reranker(tmp_path / "model"))
    hits = reader(index, model, 40).query("w5 w6 w9", 9).hits  # 9 words, 3 of the question, 3 signs: 15 tokens each
    assert sum("cross_encoder" in hit.why["rerank"] for hit in hits) == 2


def test_a_folder_without_a_model_is_named(index: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no model\.onnx"):
        reader(index, str(tmp_path / "nothing")).query("w5", 3)


def test_where_none_can_be_had_the_light_tier_answers_and_says_why(index: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(model: str) -> None:
        raise ConfigError(f"{model} cannot be loaded", stage="rerank", remedy="set rerank.model")

    monkeypatch.setattr("filingforest.models.rerank_open.open_reranker", none)
    monkeypatch.setattr(cross_encoder, "_loaded", {})
    answer = reader(index, "").query("w5", 3)
    (note,) = [note for note in answer.notes if note.code == "no_reranker"]
    assert answer.hits and "BAAI/bge-reranker-large cannot be loaded" in note.message and "set rerank.model" in note.message
