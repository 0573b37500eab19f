"""Cosine search: exact after filters, and near enough to exact where codes are looked at first."""

from __future__ import annotations

import numpy as np
import pytest

from filingforest.query import vectors as module
from filingforest.query.selection import Selection
from filingforest.query.vectors import VectorIndex
from filingforest.signs import sign_codes


def clustered(count: int, dimension: int = 64, seed: int = 0) -> np.ndarray:
    """Vectors in clusters, as texts lie; uniform noise would have no neighbours worth finding."""
    random = np.random.default_rng(seed)
    centres = np.random.default_rng(9).standard_normal((100, dimension))
    rows = centres[random.integers(100, size=count)] + 0.6 * random.standard_normal((count, dimension))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def index(rows: np.ndarray) -> VectorIndex:
    return VectorIndex(rows.astype(np.float16), sign_codes(rows))


def test_codes_have_one_bit_a_dimension() -> None:
    codes = sign_codes(np.array([[1.0, -1.0, 0.0, 2.0]], np.float32))
    assert codes.tolist() == [[0b1001]]
    assert sign_codes(np.ones((2, 65), np.float32)).shape == (2, 2)


def test_a_filtered_search_is_exact() -> None:
    rows = clustered(500)
    question = clustered(1, seed=1)[0]
    wanted = np.zeros(500, dtype=bool)
    wanted[100:180] = wanted[300:320] = True
    found, cosines = index(rows).nearest(question, Selection.of_documents(wanted, np.arange(501)), 10)
    exact = rows.astype(np.float16).astype(np.float32) @ question
    expected = sorted(np.flatnonzero(wanted), key=lambda row: (-exact[row], row))[:10]
    assert found.tolist() == expected
    assert cosines == pytest.approx(exact[expected])


def test_codes_first_find_what_an_exact_search_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = clustered(20_000)
    everything = Selection(np.array([[0, 20_000]]), 20_000)
    questions = clustered(20, seed=2)
    exact = [set(index(rows).nearest(q, everything, 10)[0].tolist()) for q in questions]
    monkeypatch.setattr(module, "EXACT_ROWS", 1_000)
    monkeypatch.setattr(module, "RESCORED", 2_000)
    coded = [set(index(rows).nearest(q, everything, 10)[0].tolist()) for q in questions]
    recall = sum(len(a & b) for a, b in zip(exact, coded, strict=True)) / 200
    assert recall >= 0.98


def test_a_search_over_codes_respects_the_filter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "EXACT_ROWS", 10)
    rows = clustered(1_000)
    mask = np.arange(1_000) % 3 == 0
    found, _ = index(rows).nearest(rows[0], Selection(np.array([[0, 600]]), 1_000, mask), 20)
    assert len(found) == 20
    assert found[0] == 0
    assert all(row % 3 == 0 and row < 600 for row in found)


def test_nothing_selected_finds_nothing() -> None:
    found, cosines = index(clustered(10)).nearest(clustered(1)[0], Selection(np.empty((0, 2), np.int64), 10), 5)
    assert len(found) == len(cosines) == 0
