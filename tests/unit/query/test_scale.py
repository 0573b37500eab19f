"""What makes a million units fast gives the same as doing it plainly: rows of ranges, half floats, vectors over several segments, filters."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from filingforest.errors import QueryError
from filingforest.query.documents import Documents
from filingforest.query.filters import Filters, document_flags
from filingforest.query.selection import Selection
from filingforest.query.vectors import EXACT_ROWS, VectorIndex, nearest
from filingforest.signs import sign_codes
from tests.support.corpus import Doc

RANDOM = np.random.default_rng(5)


def _vectors(count: int, dimension: int = 64) -> np.ndarray:
    centres = RANDOM.standard_normal((50, dimension))
    rows = centres[RANDOM.integers(50, size=count)] + RANDOM.standard_normal((count, dimension))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float16)


@given(st.lists(st.booleans(), max_size=12), st.lists(st.integers(0, 4), min_size=12, max_size=12))
def test_rows_of_ranges_are_the_rows_of_the_wanted_documents(wanted: list[bool], sizes: list[int]) -> None:
    starts = np.cumsum([0, *sizes[: len(wanted)]])
    selection = Selection.of_documents(np.array(wanted, dtype=bool), starts)
    plain = [row for place, flag in enumerate(wanted) if flag for row in range(starts[place], starts[place + 1])]
    assert selection.rows().tolist() == plain
    assert np.flatnonzero(selection.flags()).tolist() == plain
    assert selection.count == len(plain)


def test_cosines_of_half_floats_are_those_of_a_cast() -> None:
    vectors = _vectors(3_000)
    vectors[7, 3], vectors[7, 4], vectors[8, 0] = 0.0, np.float16(6e-8), np.float16(-3e-5)  # zero and subnormal ones
    question = vectors[5].astype(np.float32)
    rows = np.array([0, 5, 7, 8, 2_999])
    expected = vectors[rows].astype(np.float32) @ question
    assert np.allclose(VectorIndex(vectors, sign_codes(vectors)).cosines(question, rows), expected, atol=1e-7)


def test_the_nearest_over_several_segments_are_those_of_exact_search() -> None:
    segments = [_vectors(EXACT_ROWS), _vectors(EXACT_ROWS // 2)]
    parts = [(VectorIndex(v, sign_codes(v)), Selection.of_documents(np.array([True]), np.array([0, len(v)]))) for v in segments]
    everything = np.concatenate(segments).astype(np.float32)
    found = 0
    for question in _vectors(20).astype(np.float32):
        owners, rows, cosines = nearest(parts, question, 10)
        exact = set(np.argsort(-(everything @ question))[:10].tolist())
        found += len(exact & set((owners * EXACT_ROWS + rows).tolist()))
        assert (np.diff(cosines) <= 0).all()
    assert found >= 196  # recall of .98


DOCUMENTS = [Doc("A", 2022), Doc("B", 2023, form="10-K/A"), Doc("C", 2023, form="10-Q", period="Q1")]
CASES = [
    ({"year": 2023}, ["B", "C"]),
    ({"form": "10-k"}, ["A", "B"]),
    ({"form": "10-K/A"}, ["B"]),
    ({"since": "2023-02-16"}, ["B", "C"]),
    ({"until": "2023-02-15"}, ["A"]),
    ({"as_of": "2023-12-31T00:00:00Z"}, ["A"]),
    ({"kind": ["filing"]}, ["A", "B", "C"]),
    ({"kind": ["article"]}, []),
    ({"kind": ["table"]}, ["A", "B", "C"]),  # a kind of units narrows no documents
    ({"language": "en"}, ["A", "B", "C"]),
    ({"doc": "c-2023"}, ["C"]),
]


@pytest.mark.parametrize(("given", "companies"), CASES)
def test_filters_on_documents(given: dict[str, object], companies: list[str]) -> None:
    from filingforest.query.documents import Document

    documents = Documents(Document.of_row(d.document()) for d in DOCUMENTS)
    flags = document_flags(Filters.of(given), documents)
    assert [d.company for d, flag in zip(documents, flags, strict=True) if flag] == companies


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "zzz"},
        {"since": "2024-02-01", "until": "2024-01-31"},
        {"as_of": "2024-13-01"},
        {"as_of": "20240101"},
        {"since": "2024-01-01T00:00:00Z"},
        {"until": "soon"},
    ],
)
def test_what_cannot_be_meant_is_said(wrong: dict[str, str]) -> None:
    with pytest.raises(QueryError):
        Filters.of(wrong)
