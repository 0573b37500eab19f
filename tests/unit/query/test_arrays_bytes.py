"""Arrays out of bytes: as numpy wrote them, and refused where they are cut short or no plain arrays."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

from filingforest.query.arrays import array_of


def saved(array: Any) -> bytes:
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


@pytest.mark.parametrize("array", [np.arange(5, dtype="<i8"), np.zeros((0,), "<u4"), np.eye(3, dtype="<f4"), np.array([7], dtype="<u8")])
def test_what_numpy_wrote_is_read(array: Any) -> None:
    found = array_of(saved(array))
    assert found.dtype == array.dtype
    np.testing.assert_array_equal(found, array)


@pytest.mark.parametrize("data", [b"", b"no array", saved(np.arange(5))[:-3], saved(np.array([{}], dtype=object))])
def test_what_is_no_plain_array_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - from three places
        array_of(data)
