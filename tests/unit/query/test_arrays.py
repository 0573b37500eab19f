"""Arrays as ours and as numpy write them; what is no array is named; several threads open at once."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from filingforest.errors import Corrupt
from filingforest.publish.npy import NpyWriter
from filingforest.query.arrays import open_array


@pytest.mark.parametrize("array", [np.arange(5, dtype="<u4"), np.ones((3, 4), "<f2"), np.zeros((0, 4), "<f2"), np.array([], "|u1")])
def test_read_as_written(tmp_path, array):
    np.save(tmp_path / "numpy.npy", array)
    with NpyWriter(tmp_path / "ours.npy", array.dtype.str, array.shape[1:]) as writer:
        writer.append(array)
    for name in ("numpy", "ours"):
        read = open_array(tmp_path / f"{name}.npy")
        assert read.dtype == array.dtype and read.shape == array.shape and (read == array).all()


@pytest.mark.parametrize("content", [b"", b"no array at all", b"\x93NUMPY\x01\x00\x10\x00{'descr': object}", b"\x93NUMPY\x03\x00"])
def test_what_is_no_array_is_named(tmp_path, content):
    (tmp_path / "a.npy").write_bytes(content)
    with pytest.raises(Corrupt, match=r"a\.npy"):
        open_array(tmp_path / "a.npy")


def test_a_file_cut_short_is_named(tmp_path):
    np.save(tmp_path / "a.npy", np.arange(1000))
    (tmp_path / "a.npy").write_bytes((tmp_path / "a.npy").read_bytes()[:500])
    with pytest.raises(Corrupt):
        open_array(tmp_path / "a.npy")


def test_many_threads(tmp_path):
    np.save(tmp_path / "a.npy", np.arange(10))
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda _: int(open_array(tmp_path / "a.npy").sum()), range(500))) == [45] * 500
