"""Sign codes of vectors: one bit a dimension, so that a search over everything looks at 48 bytes a unit before it looks at vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def sign_codes(vectors: npt.NDArray[Any]) -> npt.NDArray[np.uint64]:
    """(n, d) vectors to (n, ceil(d / 64)) words; a bit is 1 where the number is positive, missing dimensions are 0."""
    width = -(-vectors.shape[1] // 64) * 64
    bits = np.zeros((len(vectors), width), dtype=np.uint8)
    bits[:, : vectors.shape[1]] = vectors > 0
    return np.packbits(bits, axis=1, bitorder="little").view("<u8")
