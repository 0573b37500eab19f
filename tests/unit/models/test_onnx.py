"""The encoder that readers run: exported without torch, same bytes twice, long texts read whole."""

import hashlib
from pathlib import Path

import numpy as np
import pytest

from filingforest.errors import ConfigError
from filingforest.models.export import export_folder, exported_files, model_folder
from filingforest.models.onnx import OnnxEmbedder
from filingforest.models.open import open_embedder

MODEL = "all-MiniLM-L6-v2"


@pytest.fixture(scope="session")
def embedder(tmp_path_factory: pytest.TempPathFactory) -> OnnxEmbedder:
    return OnnxEmbedder(export_folder(MODEL, tmp_path_factory.mktemp("models")))


def test_related_sentences_lie_closer_than_unrelated(embedder: OnnxEmbedder) -> None:
    a, b, c = embedder.embed(["The company's revenue grew.", "Net sales increased.", "The cat sat on the mat."])
    assert a @ b > 0.5 > a @ c


def test_shape_norm_and_order_do_not_depend_on_neighbours_length(embedder: OnnxEmbedder) -> None:
    texts = ["short", "a much longer text about the liquidity of the company " * 8, "short"]
    out = embedder.embed(texts)
    assert out.shape == (3, 384)
    assert out.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(out, axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(out[0], out[2], atol=1e-5)


def test_the_end_of_a_long_text_counts(embedder: OnnxEmbedder) -> None:
    filler = "General remarks on the weather of the season. " * 60
    plain, with_end = embedder.embed([filler, filler + "Goodwill was impaired by the closure of the plant. " * 20])
    assert plain @ with_end < 0.99


def test_the_same_texts_give_the_same_bytes(embedder: OnnxEmbedder) -> None:
    texts = [f"item {i} " * (i % 7 + 1) for i in range(20)]
    assert embedder.embed(texts).tobytes() == embedder.embed(texts).tobytes()


def test_export_is_reproducible() -> None:
    source = model_folder(MODEL)
    digests = {hashlib.sha256(exported_files(MODEL, source)["model.onnx"]).hexdigest() for _ in range(2)}
    assert len(digests) == 1


def test_no_texts_give_no_rows(embedder: OnnxEmbedder) -> None:
    assert embedder.embed([]).shape == (0, 384)


def test_an_unknown_model_says_what_to_do() -> None:
    with pytest.raises(ConfigError, match="sentence-transformers"):
        export_folder("no/such-model")


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"model\.onnx"):
        OnnxEmbedder(tmp_path)


SUBJECTS = (
    "net sales",
    "the revolving credit facility",
    "goodwill",
    "the tax rate",
    "legal proceedings",
    "inventories",
    "backlog",
    "our supply chain",
)
CLAIMS = (
    "{0} increased by 12.5 percent in fiscal 2023, driven by volume and price.",
    "{0} was affected by foreign exchange and by the closure of a plant; see Note 7.",
    "We cannot be sure that {0} will not be adversely affected by competition, regulation or cyber attacks.",
    "| {0} | $ 1,234.5 | (56.7) | 8 % |",
    "{0} is reviewed each quarter by the audit committee under the policy that the board has adopted. " * 30,
)


@pytest.mark.torch
def test_vectors_and_first_ten_are_those_of_torch(embedder: OnnxEmbedder) -> None:
    passages = [claim.format(subject) for claim in CLAIMS for subject in SUBJECTS]
    questions = [f"What is said of {subject}?" for subject in SUBJECTS]
    torch = open_embedder("sentence-transformers", MODEL)
    ours, theirs = (e.embed(passages) for e in (embedder, torch))
    asked, expected = (e.embed(questions, "question") for e in (embedder, torch))
    assert min(np.einsum("ij,ij->i", ours, theirs).min(), np.einsum("ij,ij->i", asked, expected).min()) >= 0.9999
    np.testing.assert_array_equal(
        *(np.argsort(-np.round(q @ p.T, 4), axis=1, kind="stable")[:, :10] for q, p in ((asked, ours), (expected, theirs)))
    )
