"""Opens a segment's arrays without reading them: memory-mapped, empty ones too (which mmap refuses).

The header is read here and not by numpy, which parses it with `ast`: in CPython 3.11 that fails now and then
("AST constructor recursion depth mismatch") where several threads do it at once.
"""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from filingforest.errors import Corrupt

Array = npt.NDArray[Any]
_MAGIC = b"\x93NUMPY\x01\x00"
_HEADER = re.compile(r"\{'descr': '([<>|]?[a-z]\d+)', 'fortran_order': False, 'shape': \(((?:\d+, ?)*\d*,?)\)(?:, )?\}\s*")


def open_array(path: Path) -> Array:
    """A read-only array over the file. Errors: Corrupt when it is no `.npy` of format 1.0 or shorter than it says."""
    try:
        with path.open("rb") as stream:
            kind, shape = read_header(stream)
            start = stream.tell()
        if 0 in shape:
            return np.empty(shape, kind)
        return np.memmap(path, kind, mode="r", offset=start, shape=shape).view(np.ndarray)
    except (ValueError, OSError, TypeError) as error:
        remedy = "run `filingforest publications verify`; delete the cached file if there is one"
        raise Corrupt(f"not an array: {error}", document=str(path), stage="query", remedy=remedy) from error


def array_of(data: bytes) -> Array:
    """The array that a file's bytes hold. Errors: ValueError when they are no `.npy` of format 1.0 or fewer than they say."""
    stream = io.BytesIO(data)
    kind, shape = read_header(stream)
    return np.frombuffer(data, kind, offset=stream.tell()).reshape(shape)


def read_header(stream: IO[bytes]) -> tuple[np.dtype[Any], tuple[int, ...]]:
    """Type and shape (numpy's NEP 1); leaves the stream where the data begin."""
    if stream.read(len(_MAGIC)) != _MAGIC:
        raise ValueError("it does not begin as a .npy file of format 1.0")
    length = int.from_bytes(stream.read(2), "little")
    found = _HEADER.fullmatch(stream.read(length).decode("latin-1"))
    if found is None:
        raise ValueError("its header is not that of a plain array in C order")
    return np.dtype(found[1]), tuple(int(size) for size in found[2].split(",") if size.strip())
