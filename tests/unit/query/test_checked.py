"""A file on this disk that is not what was published is found by its hash, named and refused; what was compared once is not read again."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from filingforest import file_blocks, query
from filingforest.errors import Corrupt
from filingforest.file_blocks import BLOCK, block_digests
from filingforest.manifest import FileEntry
from filingforest.query import checked
from filingforest.query import files as places
from filingforest.query import partial as partials
from filingforest.query import ranged as ranges
from filingforest.query import reader as readers
from filingforest.query.arrays import open_array
from filingforest.query.checked import Blocks
from filingforest.query.checked_array import CheckedArray
from filingforest.query.files import Files
from filingforest.store_folder import FolderStore
from tests.support.corpus import Doc, Unit, publish
from tests.unit.query.test_ranged import RemoteStore

WIDE = np.arange(24_000 * 96, dtype="<i4").reshape(-1, 96).astype("<f4")  # 9.2 MB, 36 blocks
QUESTION = "backlog cash grew"


@pytest.fixture(autouse=True)
def forgetful(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test is a process of its own."""
    monkeypatch.setattr(checked, "_whole", set())
    monkeypatch.setattr(checked, "_blocks", {})


def flip(path: Path, place: int) -> None:
    """One bit; the file stays the same one (only its time of change tells)."""
    with path.open("r+b") as stream:
        stream.seek(place)
        byte = stream.read(1)[0]
        stream.seek(place)
        stream.write(bytes([byte ^ 1]))


def rotten(path: Path, place: int) -> None:
    """One bit, and not even its time of change tells."""
    was = path.stat().st_mtime_ns
    flip(path, place)
    os.utime(path, ns=(was, was))


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("wide") / "a.npy"
    np.save(path, WIDE)
    return path


@settings(max_examples=25)
@given(data=st.data())
def test_what_it_gives_is_what_the_array_says(wide: Path, data: st.DataObject) -> None:
    array = CheckedArray.open(wide, block_digests(wide))
    rows = data.draw(st.lists(st.integers(-len(WIDE), len(WIDE) - 1), max_size=6))
    start, length = data.draw(st.integers(0, len(WIDE))), data.draw(st.sampled_from([0, 1, 700, 99_999]))
    assert np.array_equal(array[start : start + length], WIDE[start : start + length])
    assert np.array_equal(array[::5_000], WIDE[::5_000])
    assert np.array_equal(array[np.array(rows, np.int64)], WIDE[np.array(rows, np.int64)])
    assert np.array_equal(array.take(rows), WIDE.take(np.array(rows, np.int64), axis=0))
    assert np.array_equal(array[WIDE[:, 0] == 0], WIDE[:1])
    assert np.array_equal(array[7], WIDE[7])
    assert np.array_equal(np.asarray(array.view("<i4")), WIDE.view("<i4"))
    assert (len(array), array.shape, array.dtype) == (len(WIDE), WIDE.shape, WIDE.dtype)


def test_a_block_is_refused_when_it_is_touched_and_no_sooner(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    np.save(path, WIDE)
    digests = block_digests(path)
    flip(path, 5 * BLOCK + 9)
    array = CheckedArray.open(path, digests)
    assert np.array_equal(array[10:20], WIDE[10:20])
    row = 5 * BLOCK // (96 * 4)
    for touch in (lambda: array[row : row + 2], lambda: array[np.array([3, row])], lambda: array.take([row]), lambda: np.asarray(array)):
        with pytest.raises(Corrupt, match=rf"a\.npy: its bytes from {5 * BLOCK} on are not those that were published -> run .*verify"):
            touch()


def test_once_much_was_touched_all_is_compared_and_written_down_for_other_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three of 36 blocks are less than an eighth, five are more."""
    path, compared = tmp_path / "a.npy", list[int]()
    np.save(path, WIDE)
    digests, whole = block_digests(path), file_blocks.block_digest
    monkeypatch.setattr(file_blocks, "block_digest", lambda data: compared.append(len(data)) or whole(data))
    rows = BLOCK // (96 * 4) + 1
    array = CheckedArray.open(path, digests, tmp_path / "cache")
    array[: 2 * rows]
    assert len(compared) == 3
    array[: 2 * rows]
    assert len(compared) == 3
    array[2 * rows : 4 * rows]
    assert len(compared) == len(digests) == 36
    monkeypatch.setattr(checked, "_blocks", {})  # another process
    CheckedArray.open(path, digests, tmp_path / "cache")[:]
    assert len(compared) == 36
    monkeypatch.setattr(checked, "_blocks", {})
    flip(path, 30 * BLOCK)
    with pytest.raises(Corrupt):
        CheckedArray.open(path, digests, tmp_path / "cache")[:]


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, RemoteStore]:
    """A publication whose every file counts as large; at s3:// the same from a store without a file system."""
    for module in (file_blocks, ranges, partials):
        monkeypatch.setattr(module, "BLOCK", 512)
    for module in (file_blocks, places):
        monkeypatch.setattr(module, "WHOLE", 0)
    docs = [Doc("Quince Inc.", 2023, [Unit(f"backlog {n} grew {n % 5} cash") for n in range(50)])]
    url = publish(tmp_path / "index", [docs], vectors=True)
    store = RemoteStore(Path(url))
    monkeypatch.setattr(readers, "open_store", lambda address: store if address.startswith("s3:") else FolderStore(Path(address)))
    return url, store


def ask(url: str, cache: Path) -> list[str]:
    """What it answers; the vectors too are read, though there is no encoder to ask them by."""
    reader = query.open(url, cache=cache)
    assert len(np.asarray(reader.opened[0].segments[0].array("vectors.f16"))) == 50
    return [hit.node_id for hit in reader.query(QUESTION).hits]


@pytest.mark.parametrize("large", [True, False], ids=["large", "small"])
@pytest.mark.parametrize(
    "name",
    ["postings.unit", "postings.body", "vectors.f16", "lines.word", "units.length", "terms.hash", "units.parquet", "documents.parquet", "segment.json"],
)  # fmt: skip
def test_a_reader_over_a_folder_refuses_changed_bytes_and_names_the_file(
    index: tuple[str, RemoteStore], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, large: bool
) -> None:
    if not large:
        monkeypatch.setattr(places, "WHOLE", 4 << 20)
    url, _ = index
    assert len(ask(url, tmp_path / "cache")) == 10
    [path] = Path(url).rglob(name if "." in name and name.endswith(("parquet", "json")) else f"{name}.npy")
    rotten(path, path.stat().st_size // 2)
    for known in (checked._whole, checked._blocks):
        known.clear()
    if (tmp_path / "cache").exists():
        for note in (tmp_path / "cache").rglob("*"):
            note.unlink() if note.is_file() else None
    with pytest.raises(Corrupt, match=path.name.replace(".", r"\.")):
        ask(url, tmp_path / "cache")


def test_a_changed_copy_in_the_cache_is_not_answered_from(index: tuple[str, RemoteStore], tmp_path: Path) -> None:
    """Small ones and blocks are fetched again; a large one is dropped with an error that says so, and fetched by the next reader."""
    cache = tmp_path / "cache"
    right, answers, told = ask("s3://bucket/index", cache), list[str](), set[str | None]()
    for path in [path for path in cache.glob("??/*") if path.stat().st_size > 128]:
        flip(path, path.stat().st_size - 20)
    for _ in range(60):  # one error a large file at most
        for known in (checked._whole, checked._blocks):
            known.clear()
        try:
            answers = ask("s3://bucket/index", cache)
            break
        except Corrupt as error:
            told.add(error.remedy)
    assert answers == right
    assert told <= {"the copy in the cache was dropped: open the index again"}


def test_a_small_copy_that_changed_is_fetched_again(tmp_path: Path) -> None:
    store, data = RemoteStore(tmp_path / "store"), b"some bytes"
    store.put_new("a/b.bin", data)
    entry = FileEntry("a/b.bin", len(data), hashlib.sha256(data).hexdigest())
    flip(Files(store, tmp_path / "cache").path(entry), 3)
    assert Files(store, tmp_path / "cache").path(entry).read_bytes() == data
    assert [key for key, _, _ in store.fetched] == ["a/b.bin"] * 2


def test_a_note_that_cannot_be_written_is_no_matter(tmp_path: Path, wide: Path) -> None:
    (tmp_path / "cache").touch()
    Blocks(wide, block_digests(wide), tmp_path / "cache").check_rest()
    array = CheckedArray.open(wide, block_digests(wide), tmp_path / "cache")
    assert np.array_equal(array[:], open_array(wide))
