"""Reading parts of large files from a real S3 server: the answers of a folder for a part of its bytes; what is cut or changed is named."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from filingforest import file_blocks, query
from filingforest.errors import Corrupt, StoreUnavailable
from filingforest.query import files as places
from filingforest.query import partial as partials
from filingforest.query import ranged as ranges
from filingforest.query import reader as readers
from filingforest.store import open_store
from filingforest.store_folder import FolderStore
from filingforest.store_s3 import S3Store, s3_client
from infra.servers.seaweedfs import BUCKET, SeaweedFS
from tests.support.bad_proxy import BUSY, CUT, ERROR, SLOW, BadProxy
from tests.support.corpus import Doc, Unit, publish
from tests.support.counting import CountedClient

pytestmark = pytest.mark.service
NAMES = ("Quince Inc.", "Skyward Co", "Third Gears", "Fourth Mills")
QUESTIONS = ("What did Skyward say of backlog 77?", "What did Third Gears say of cash?")


def _noise(n: int) -> str:
    return hashlib.sha512(str(n).encode()).hexdigest()


DOCS = [Doc(name, 2023, [Unit(f"Backlog {n} of {name} grew; cash {n % 5}. {_noise(1_000 * i + n)}") for n in range(400)], cik=f"{i:010d}")
        for i, name in enumerate(NAMES, 1)]  # fmt: skip


@pytest.fixture
def index(seaweedfs: SeaweedFS, s3_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, S3Store, CountedClient]:
    """A publication in a folder and on the server; every file counts as large, blocks are small."""
    for module in (file_blocks, ranges, partials):
        monkeypatch.setattr(module, "BLOCK", 4_096)
    for module in (file_blocks, places):
        monkeypatch.setattr(module, "WHOLE", 0)
    url = publish(tmp_path / "index", [DOCS], vectors=True)
    client = CountedClient(s3_client(seaweedfs.endpoint))
    store = S3Store(client, BUCKET, s3_url.rpartition("/")[2])
    for path in sorted(Path(url).rglob("*"), key=lambda path: path.name == "CURRENT"):
        if path.is_file():
            store.put_new(path.relative_to(url).as_posix(), path)
    client.reset()
    monkeypatch.setattr(readers, "open_store", lambda given: store if given.startswith("s3:") else FolderStore(Path(given)))
    return url, store, client


def _answers(reader: query.Reader) -> list[list[tuple[str, float, str]]]:
    return [[(hit.node_id, hit.score, hit.text) for hit in reader.query(question, k=2).hits] for question in QUESTIONS]


def test_answers_are_those_of_a_folder_for_a_part_of_its_bytes(index: tuple[str, S3Store, CountedClient], tmp_path: Path) -> None:
    url, store, client = index
    near = _answers(query.open(url))
    assert all(near)
    assert _answers(query.open(store.url, cache=tmp_path / "cache")) == near
    kept = sum(path.stat().st_size for path in (tmp_path / "cache").rglob("*") if path.is_file())
    assert 0 < kept < 0.8 * sum(path.stat().st_size for path in Path(url).rglob("*") if path.is_file())
    client.reset()
    assert _answers(query.open(store.url, cache=tmp_path / "cache")) == near
    assert {key.rpartition("/")[2] for _, key in client.keys} == {"CURRENT", "manifest.json"}


@pytest.mark.parametrize(
    "harm", [lambda data: data[: len(data) // 2], lambda data: bytes(255 - byte for byte in data)], ids=["cut", "changed"]
)
@pytest.mark.parametrize("name", ["units.parquet", "postings.unit.npy", "lines.word.npy"])
def test_what_is_not_what_was_published_is_named(
    index: tuple[str, S3Store, CountedClient], tmp_path: Path, name: str, harm: Callable[[bytes], bytes]
) -> None:
    _, store, _ = index
    key = next(key for key in open_store(store.url).list("segments/") if key.endswith(f"/{name}"))
    data = store.get(key)
    store.delete(key)
    store.put_new(key, harm(data))
    with pytest.raises(Corrupt, match=name.replace(".", r"\.")):
        _answers(query.open(store.url, cache=tmp_path / "cache"))


def _through(proxy: BadProxy, store: S3Store, monkeypatch: pytest.MonkeyPatch) -> None:
    far = S3Store(s3_client(proxy.url), store.bucket, store.prefix)
    monkeypatch.setattr(readers, "open_store", lambda given: far if given.startswith("s3:") else FolderStore(Path(given)))


@pytest.mark.parametrize("fault", [ERROR, BUSY, SLOW, CUT])
def test_over_a_bad_line_the_answers_are_those_of_a_good_one(
    index: tuple[str, S3Store, CountedClient], seaweedfs: SeaweedFS, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    """Opening, questions about one company, read in parts, and one without a filter: every fifth request fails, from an empty cache."""
    url, store, _ = index
    near = query.open(url)
    cache = tmp_path / "cache"
    with BadProxy(seaweedfs.endpoint, lambda verb, path, n: fault if n % 5 == 0 else "") as proxy:
        _through(proxy, store, monkeypatch)
        far = query.open(store.url, cache=cache)
        assert _answers(far) == _answers(near)
        assert any(path.name[64:65] == "." for path in cache.rglob("*"))  # some of it came in parts
        assert _unfiltered(far) == _unfiltered(near)
        assert proxy.seen[fault] >= 3
    assert not list(cache.rglob(".part-*"))


def test_a_server_that_is_down_is_told_and_the_same_reader_goes_on_when_it_is_up(
    index: tuple[str, S3Store, CountedClient], seaweedfs: SeaweedFS, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, store, _ = index
    down = True
    with BadProxy(seaweedfs.endpoint, lambda verb, path, n: BUSY if down and path.endswith((".npy", "units.parquet")) else "") as proxy:
        _through(proxy, store, monkeypatch)
        with pytest.raises(StoreUnavailable, match="run again later"):  # the places of its documents lie in an array
            query.open(store.url, cache=tmp_path / "cache")
        down = False
        reader = query.open(store.url, cache=tmp_path / "cache")
        down = True
        with pytest.raises(StoreUnavailable, match="run again later"):
            reader.query(QUESTIONS[0])
        down = False
        assert _answers(reader) == _answers(query.open(url))


def _unfiltered(reader: query.Reader) -> list[tuple[str, float, str]]:
    return [(hit.node_id, hit.score, hit.text) for hit in reader.query("backlog 77 grew, cash 3", k=5).hits]
