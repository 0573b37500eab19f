"""Windows and means by hand: nothing of a long text may be lost."""

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from filingforest.models.base import normalise, weighted_mean, windows


def test_windows_of_600_tokens_at_254_are_three_of_200() -> None:
    assert windows(600, 254) == [(0, 200), (200, 400), (400, 600)]
    assert windows(254, 254) == [(0, 254)]
    assert windows(0, 254) == [(0, 0)]


@given(st.integers(0, 5000), st.integers(1, 600))
def test_windows_cover_everything_once(length: int, limit: int) -> None:
    spans = windows(length, limit)
    assert spans[0][0] == 0
    assert spans[-1][1] == length
    assert all(a[1] == b[0] for a, b in itertools.pairwise(spans))
    assert all(end - start <= limit for start, end in spans)


def test_weighted_mean_of_three_to_one() -> None:
    vectors = np.array([[1, 0], [0, 1], [0, 1]], dtype=np.float32)
    out = weighted_mean(vectors, [3, 1, 5], [0, 0, 1], 2)
    np.testing.assert_allclose(out, [[3 / 10**0.5, 1 / 10**0.5], [0, 1]], rtol=1e-6)


def test_a_zero_row_stays_zero() -> None:
    np.testing.assert_array_equal(normalise(np.zeros((1, 3))), np.zeros((1, 3), dtype=np.float32))
