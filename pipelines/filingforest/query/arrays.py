"""Opens a segment's arrays without reading them: memory-mapped, empty ones too (which mmap refuses)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from filingforest.errors import Corrupt

Array = npt.NDArray[Any]


def open_array(path: Path) -> Array:
    """A read-only array over the file. Errors: Corrupt when it is no `.npy` or shorter than it says."""
    try:
        with path.open("rb") as stream:
            np.lib.format.read_magic(stream)
            shape, _, kind = np.lib.format.read_array_header_1_0(stream)
        if 0 in shape:
            return np.empty(shape, kind)
        array: Array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, OSError, EOFError) as error:
        remedy = "run `filingforest publications verify`; delete the cached file if there is one"
        raise Corrupt(f"not an array: {error}", document=str(path), stage="query", remedy=remedy) from error
    return array.view(np.ndarray)
