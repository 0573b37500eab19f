"""Large tables of a remote store are read in parts: the right bytes, each fetched once; cut, garbled and pruned ones are named."""

from __future__ import annotations

import hashlib
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from filingforest import query
from filingforest.errors import Corrupt, NoPublication, NotFound, PermissionDenied, PublicationGone
from filingforest.manifest import FileEntry
from filingforest.query import files as places
from filingforest.query import ranged as ranges
from filingforest.query import reader as readers
from filingforest.query.cache import evict
from filingforest.query.ranged import BLOCK, Ranged
from filingforest.store_folder import FolderStore
from tests.support.corpus import Doc, Unit, publish


class RemoteStore(FolderStore):
    """A folder that gives bytes only, counts what is fetched, and may change them on the way."""

    fetched: list[tuple[str, int, int]]
    cut, garbled = 0, False

    def local_path(self, key: str) -> Path | None:
        return None

    def get_range(self, key: str, start: int, length: int) -> bytes:
        self.fetched = [*getattr(self, "fetched", []), (key, start, length)]
        data = super().get_range(key, start, length)
        if self.garbled and key.endswith("units.parquet") and start < 2_000:
            data = data[:200] + bytes(255 - byte for byte in data[200:260]) + data[260:]
        return data[: len(data) - self.cut]


DATA = bytes(range(256)) * 5_000
ENTRY = FileEntry("a/b.bin", len(DATA), hashlib.sha256(DATA).hexdigest())


def remote(folder: Path) -> tuple[RemoteStore, Ranged]:
    store = RemoteStore(folder / "store")
    store.put_new("a/b.bin", DATA)
    return store, Ranged(store, folder / "cache", ENTRY)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(st.integers(0, len(DATA)), st.integers(0, 3 * BLOCK)), max_size=5))
def test_any_part_is_what_the_file_says_and_no_byte_is_fetched_twice(parts: list[tuple[int, int]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        store, part = remote(Path(name))
        for start, length in parts:
            assert part.read_at(start, length) == DATA[start : start + length]
        got = [place for _, start, length in getattr(store, "fetched", []) for place in range(start, start + length, BLOCK)]
        assert len(got) == len(set(got))


def test_neighbouring_blocks_are_one_request(tmp_path: Path) -> None:
    store, part = remote(tmp_path)
    part.fetch([(10, 20), (BLOCK - 1, BLOCK + 1), (4 * BLOCK, len(DATA))])
    assert sorted(store.fetched) == [("a/b.bin", 0, 2 * BLOCK), ("a/b.bin", 4 * BLOCK, len(DATA) - 4 * BLOCK)]
    part.fetch([(0, 5)])
    assert len(store.fetched) == 2


def test_a_cut_file_is_corrupt_and_a_missing_one_is_a_publication_that_is_gone(tmp_path: Path) -> None:
    store, part = remote(tmp_path)
    store.cut = 1
    with pytest.raises(Corrupt, match=r"a/b\.bin.*bytes from 0"):
        part.read_at(0, 10)
    store.cut = 0
    assert part.read_at(0, 10) == DATA[:10]
    store.delete("a/b.bin")
    with pytest.raises(PublicationGone):
        part.read_at(4 * BLOCK, 10)


def test_a_cut_block_in_the_cache_is_fetched_again(tmp_path: Path) -> None:
    store, part = remote(tmp_path)
    part.read_at(0, 10)
    (block,) = (tmp_path / "cache" / ENTRY.sha256[:2]).iterdir()
    block.write_bytes(b"cut")
    assert part.read_at(0, 10) == DATA[:10]
    assert len(store.fetched) == 2


def test_blocks_are_kept_within_the_caches_bounds(tmp_path: Path) -> None:
    _, part = remote(tmp_path)
    part.read_at(0, 2 * BLOCK)
    assert len(evict(tmp_path / "cache", BLOCK, now=4e9)) == 1
    assert part.read_at(0, 2 * BLOCK) == DATA[: 2 * BLOCK]


NOISE = [hashlib.sha512(str(n).encode()).hexdigest() * 4 for n in range(900)]  # texts that do not shrink to nothing
DOCS = [Doc("Skyward Aircraft Co", 2023, [Unit(f"Our backlog number {n} grew. {NOISE[n]}{NOISE[-n]}") for n in range(900)])]


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[RemoteStore, str]:
    """A publication whose every table is "large", of blocks that hold less than a row group."""
    monkeypatch.setattr(places, "WHOLE", 0)
    monkeypatch.setattr(ranges, "BLOCK", 1_024)
    url = publish(tmp_path / "index", [DOCS], vectors=True)
    store = RemoteStore(Path(url))
    monkeypatch.setattr(readers, "open_store", lambda address: store if address.startswith("s3:") else FolderStore(Path(address)))
    return store, url


def answers(reader: query.Reader) -> list[tuple[str, str]]:
    return [(hit.node_id, hit.text) for hit in reader.query("What did Skyward say of backlog number 600?", k=1).hits]


def test_hits_read_in_parts_are_those_of_a_folder(index: tuple[RemoteStore, str], tmp_path: Path) -> None:
    store, url = index
    reader = query.open("s3://bucket/index", cache=tmp_path / "cache")
    assert answers(reader) == answers(query.open(url))
    assert "number 600 " in answers(reader)[0][1]
    fetched = sum(length for key, _, length in store.fetched if key.endswith("units.parquet"))
    assert fetched < 0.75 * Path(f"{url}/segments/s0/units.parquet").stat().st_size  # one row group of four, and the footer
    assert answers(query.open("s3://bucket/index", cache=tmp_path / "cache")) == answers(reader)


def test_a_garbled_page_is_refused_by_its_checksum_and_fetched_again(index: tuple[RemoteStore, str], tmp_path: Path) -> None:
    store, _ = index
    reader = query.open("s3://bucket/index", cache=tmp_path / "cache")
    store.garbled = True
    with pytest.raises(Corrupt, match=r"units\.parquet"):
        reader.query("What did Skyward say of backlog number 5?")
    store.garbled = False
    assert reader.query("What did Skyward say of backlog number 5?").hits


def test_a_table_that_is_pruned_meanwhile_is_a_publication_that_is_gone(index: tuple[RemoteStore, str], tmp_path: Path) -> None:
    store, url = index
    reader = query.open("s3://bucket/index", cache=tmp_path / "cache")
    Path(f"{url}/segments/s0/units.parquet").unlink()
    with pytest.raises(PublicationGone):
        answers(reader)
    assert store.fetched


class Unlisted(RemoteStore):
    """S3 as those see it who may get but not list: what is not there is forbidden."""

    def get(self, key: str) -> bytes:
        try:
            return super().get(key)
        except NotFound as error:
            raise PermissionDenied("AccessDenied", document=key, stage="store", remedy="check the policy") from error

    def get_range(self, key: str, start: int, length: int) -> bytes:
        self.get(key)
        return super().get_range(key, start, length)


def test_forbidden_means_pruned_where_current_can_be_read(index: tuple[RemoteStore, str], tmp_path: Path, monkeypatch) -> None:
    _, url = index
    store = Unlisted(Path(url))
    monkeypatch.setattr(readers, "open_store", lambda address: store)
    reader = query.open("s3://bucket/index", cache=tmp_path / "cache")
    Path(f"{url}/segments/s0/units.parquet").unlink()
    with pytest.raises(PublicationGone):
        answers(reader)
    with pytest.raises(NoPublication):
        query.open("s3://bucket/index", at="000009-0123456789ab")
    Path(f"{url}/CURRENT").unlink()
    with pytest.raises(PermissionDenied):
        answers(reader)


def test_a_block_that_the_cache_lets_go_meanwhile_is_fetched_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, part = remote(tmp_path)
    fetch = part.fetch

    def and_forget(wanted):
        blocks = fetch(wanted)
        part.forget()
        return blocks

    monkeypatch.setattr(part, "fetch", and_forget)
    assert part.read_at(5, 2 * BLOCK) == DATA[5 : 5 + 2 * BLOCK]
    assert len(store.fetched) == 1 + 3
