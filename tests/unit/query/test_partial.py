"""Arrays of a remote store that are read in parts say what the whole array says, and fetch little where little is asked."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from filingforest import file_blocks, query
from filingforest.errors import Corrupt
from filingforest.file_blocks import BLOCK, block_digests
from filingforest.manifest import FileEntry
from filingforest.publish.npy import NpyWriter
from filingforest.query import files as places
from filingforest.query import partial as partials
from filingforest.query import ranged as ranges
from filingforest.query import reader as readers
from filingforest.query.partial import PartialArray
from filingforest.query.ranged import Ranged
from filingforest.store_folder import FolderStore
from tests.support.corpus import Doc, Unit, publish
from tests.unit.query.test_ranged import RemoteStore

WIDE = np.arange(30_000 * 96, dtype="<i4").reshape(-1, 96).astype("<f4")  # 11.5 MB, 44 blocks
FLAT = np.arange(2_000_000, dtype="<u4")  # 8 MB


class Remote:
    """One array in a store that gives bytes only. `whole` counts how often all of it was asked for."""

    def __init__(self, folder: Path, array: np.ndarray) -> None:
        path = folder / "store" / "a.npy"
        path.parent.mkdir()
        with NpyWriter(path, array.dtype.str, array.shape[1:]) as writer:
            writer.append(array)
        self.store, self.whole = RemoteStore(folder / "store"), 0
        entry = FileEntry("a.npy", path.stat().st_size, "0" * 64)
        self.part = Ranged(self.store, folder / "cache", entry, block_digests(path))

        def fetch() -> np.ndarray:
            self.whole += 1
            return array

        self.array = PartialArray.open(self.part, fetch)

    @property
    def bytes(self) -> int:
        return sum(length for _, _, length in self.store.fetched)


@pytest.mark.parametrize("array", [WIDE, FLAT], ids=["rows", "flat"])
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_parts_say_what_the_whole_says(array: np.ndarray, data) -> None:
    places = st.integers(0, len(array) - 1)
    with tempfile.TemporaryDirectory() as name:
        remote = Remote(Path(name), array).array
        for start, length in data.draw(st.lists(st.tuples(places, st.sampled_from([0, 1, 5, 700, 9_999_999])), max_size=3)):
            assert np.array_equal(remote[start : start + length], array[start : start + length])
        near = data.draw(places)
        rows = data.draw(st.lists(st.one_of(places, st.integers(near, min(near + 50, len(array) - 1))), max_size=6))
        assert np.array_equal(remote[np.array(rows, np.int64)], array[np.array(rows, np.int64)])
        assert np.array_equal(remote.take(rows, axis=0), array.take(rows, axis=0)) if rows else True
        assert np.array_equal(remote[near], array[near])
        assert remote.view("<i4")[near : near + 2].dtype == np.dtype("<i4")
        assert (len(remote), remote.shape, remote.dtype) == (len(array), array.shape, array.dtype)


def test_little_is_fetched_where_little_is_asked_and_all_of_it_once(tmp_path: Path) -> None:
    remote = Remote(tmp_path, WIDE)
    assert remote.array[10_000:10_100].shape == (100, 96)
    assert remote.bytes <= 3 * BLOCK
    assert remote.whole == 0
    assert np.array_equal(remote.array.take(np.arange(0, 30_000, 7)), WIDE[::7])
    assert np.array_equal(np.asarray(remote.array), WIDE)
    assert remote.array.view("<u4")[5].shape == (96,)
    assert remote.whole == 1
    assert remote.bytes <= 3 * BLOCK


def test_a_block_that_is_not_what_was_published_is_refused(tmp_path: Path) -> None:
    remote = Remote(tmp_path, FLAT)
    path = tmp_path / "store" / "a.npy"
    data = bytearray(path.read_bytes())
    data[5 * BLOCK + 9] ^= 1
    path.write_bytes(data)
    assert remote.array[10:20].tolist() == list(range(10, 20))
    place = 5 * BLOCK // 4
    with pytest.raises(Corrupt, match=f"from {5 * BLOCK} on"):
        remote.array[place : place + 3]


def test_a_reader_whose_arrays_come_in_parts_answers_as_one_over_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (file_blocks, ranges, partials):
        monkeypatch.setattr(module, "BLOCK", 512)
    for module in (file_blocks, places):
        monkeypatch.setattr(module, "WHOLE", 0)
    monkeypatch.setattr(partials, "MUCH", 2)
    companies = ["Quince Inc.", "Skyward Co", "Third Gears"]
    docs = [Doc(name, 2023, [Unit(f"Backlog {n} of {name} grew; cash {n % 5}.") for n in range(150)], cik=f"{i:010d}")
            for i, name in enumerate(companies, 1)]  # fmt: skip
    url = publish(tmp_path / "index", [docs], vectors=True)
    store = RemoteStore(Path(url))
    monkeypatch.setattr(readers, "open_store", lambda address: store if address.startswith("s3:") else FolderStore(Path(address)))
    far, near = query.open("s3://bucket/index", cache=tmp_path / "cache"), query.open(url)
    assert isinstance(far.opened[0].segments[0].array("lines.word"), PartialArray)
    for question in ("What did Skyward say of backlog 77?", "What of cash 3 and backlog 12?", "Third Gears cash"):
        mine, theirs = ([(h.node_id, h.score, h.why) for h in reader.query(question).hits] for reader in (far, near))
        assert mine == theirs
        assert mine
