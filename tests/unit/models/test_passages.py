"""What is embedded for a unit, and that no text is embedded twice."""

import json
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from filingforest.models.base import EmbedderInfo, Role, Vectors, normalise
from filingforest.models.passages import embed_units, known_vectors, passage_text, table_words, text_sha, unit_passages, vectors_of

TABLE = {
    "title": "STATEMENTS OF INCOME",
    "scale_note": "(In millions)",
    "columns": ["2024", "2023"],
    "rows": [
        {"label": "Net sales", "text": ["1,204", "1,101"]},
        {"label": "Other", "text": ["3", "4"]},
        {"label": "Other", "text": ["5", "6"]},
    ],
}


class CountingEmbedder:
    """A vector from each text's bytes; remembers what it was asked."""

    def __init__(self) -> None:
        self.info = EmbedderInfo("counting", "1", 4, "onnx", True, 256)
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str], role: Role = "passage") -> Vectors:
        self.asked += texts
        return normalise(np.array([[len(t), t.count("e") + 1, t.count("a") + 1, 1] for t in texts]).reshape(-1, 4))


def _nodes(*texts: str) -> pa.Table:
    rows = [
        {"clause_id": i, "kind": "text", "unit_key": f"u{i}", "header": "Co | 10-K", "text": t, "table": None} for i, t in enumerate(texts)
    ]
    table = {
        "clause_id": 99,
        "kind": "table",
        "unit_key": "t",
        "header": "Co | 10-K",
        "text": "Net sales | 1,204",
        "table": json.dumps(TABLE),
    }
    return pa.Table.from_pylist([*rows, table])


def test_a_table_is_embedded_by_its_words_not_its_digits() -> None:
    assert table_words(TABLE) == "STATEMENTS OF INCOME\n(In millions)\n2024; 2023\nNet sales; Other"
    assert passage_text("Co | 10-K", "ignored", TABLE).startswith("Co | 10-K\nSTATEMENTS OF INCOME")
    assert passage_text(None, "Plain.", None) == "Plain."


def test_equal_texts_are_embedded_once_and_known_ones_never() -> None:
    embedder = CountingEmbedder()
    first = embed_units(_nodes("Alpha.", "Beta.", "Alpha."), embedder)
    assert len(embedder.asked) == 3
    assert first.num_rows == 3
    embedder.asked.clear()
    second = embed_units(_nodes("Alpha.", "Gamma."), embedder, known_vectors(first, embedder.info))
    assert embedder.asked == ["Co | 10-K\nGamma."]
    by_sha = dict(zip(second["text_sha"].to_pylist(), vectors_of(second), strict=True))
    kept = dict(zip(first["text_sha"].to_pylist(), vectors_of(first), strict=True))
    sha = text_sha("Co | 10-K\nAlpha.")
    np.testing.assert_array_equal(by_sha[sha], kept[sha])


def test_vectors_of_another_space_are_not_reused() -> None:
    embedder = CountingEmbedder()
    rows = embed_units(_nodes("Alpha."), embedder)
    assert known_vectors(rows, EmbedderInfo("counting", "2", 4, "onnx", True, 256)) == {}
    assert known_vectors(rows, EmbedderInfo("counting", "1", 8, "onnx", True, 256)) == {}


def test_a_document_without_units_gives_no_rows() -> None:
    empty = _nodes().slice(1)
    assert unit_passages(empty) == {}
    assert embed_units(empty, CountingEmbedder()).num_rows == 0
