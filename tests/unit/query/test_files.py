"""Files from a store without a file system: fetched once, verified, shared by hash; encoders that cannot be run say so."""

from __future__ import annotations

import errno
import hashlib
import sys
from pathlib import Path

import pytest

from filingforest import query
from filingforest.errors import Corrupt, NotFound, PermissionDenied, PublicationGone, StoreFull
from filingforest.manifest import FileEntry, ModelEntry
from filingforest.query import reader as readers
from filingforest.query.encoder import QuestionEncoder
from filingforest.query.files import Files
from filingforest.store import Stat
from filingforest.store_folder import FolderStore
from tests.support.corpus import Doc, Unit, publish


class RemoteStore(FolderStore):
    """A folder that gives bytes only, and counts what is fetched."""

    fetched: list[str]

    def local_path(self, key: str) -> Path | None:
        return None

    def get_range(self, key: str, start: int, length: int) -> bytes:
        self.fetched = [*getattr(self, "fetched", []), key]
        return super().get_range(key, start, length)


DATA = b"some bytes"
SHA = hashlib.sha256(DATA).hexdigest()


def remote(tmp_path: Path) -> RemoteStore:
    store = RemoteStore(tmp_path / "store")
    store.put_new("a/b.bin", DATA)
    return store


def test_a_file_is_fetched_once_and_found_by_its_hash(tmp_path: Path) -> None:
    store = remote(tmp_path)
    entry = FileEntry("a/b.bin", len(DATA), SHA)
    assert Files(store, tmp_path / "cache").path(entry).read_bytes() == DATA
    assert Files(store, tmp_path / "cache").path(entry).name == SHA
    assert store.fetched == ["a/b.bin"]


def test_wrong_bytes_are_refused_and_not_kept(tmp_path: Path) -> None:
    entry = FileEntry("a/b.bin", len(DATA), "0" * 64)
    with pytest.raises(Corrupt, match="sha256"):
        Files(remote(tmp_path), tmp_path / "cache").path(entry)
    assert [path for path in (tmp_path / "cache").rglob("*") if path.is_file()] == []


def test_a_cut_file_in_the_cache_is_fetched_again(tmp_path: Path) -> None:
    files = Files(remote(tmp_path), tmp_path / "cache")
    entry = FileEntry("a/b.bin", len(DATA), SHA)
    files.path(entry).write_bytes(b"some")
    assert files.path(entry).read_bytes() == DATA


def test_a_cache_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "cache").touch()  # a file where the folder should be: also root may not write below it
    with pytest.raises(PermissionDenied, match=r"cache: the reader's cache cannot be written: .* -> .*FILINGFOREST_CACHE"):
        Files(remote(tmp_path), tmp_path / "cache").path(FileEntry("a/b.bin", len(DATA), SHA))


def test_a_full_cache_is_told_as_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(StoreFull, match="FILINGFOREST_CACHE"):
        Files(remote(tmp_path), tmp_path / "cache").path(FileEntry("a/b.bin", len(DATA), SHA))


def test_a_pruned_file_is_a_publication_that_is_gone(tmp_path: Path) -> None:
    with pytest.raises(PublicationGone):
        Files(remote(tmp_path), tmp_path / "cache").path(FileEntry("a/gone.bin", 1, SHA))
    with pytest.raises(PublicationGone):
        Files(FolderStore(tmp_path / "store")).path(FileEntry("a/gone.bin", 1, SHA))


def test_a_reader_over_a_remote_store_fetches_only_what_a_question_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = publish(tmp_path / "index", [[Doc("Skyward Aircraft Co", 2023, [Unit("Our backlog grew.")])]])
    store = RemoteStore(Path(url))
    monkeypatch.setattr(readers, "open_store", lambda address: store)
    reader = query.open("s3://bucket/index", cache=tmp_path / "cache")
    question = "What did Skyward say about its backlog?"
    assert [hit.text for hit in reader.query(question).hits] == ["Our backlog grew."]
    names = {key.rpartition("/")[2] for key in store.fetched}
    assert not names & {"texts.parquet", "nodes.parquet", "fact_mentions.parquet", "chunks.parquet"}
    before = len(store.fetched)
    assert query.open("s3://bucket/index", cache=tmp_path / "cache").query(question).hits
    assert len(store.fetched) == before


def model(tmp_path: Path) -> tuple[ModelEntry, Files]:
    store = FolderStore(tmp_path / "store")
    entries = []
    for name, data in {"model.onnx": b"no model", "tokenizer.json": b"{}", "config.json": CONFIG}.items():
        store.put_new(f"models/m/{name}", data)
        entries.append(FileEntry(f"models/m/{name}", len(data), hashlib.sha256(data).hexdigest()))
    return ModelEntry("m", {}, tuple(entries)), Files(store)


CONFIG = b'{"model": "m", "revision": "r", "dimension": 8, "method": "onnx", "normalised": true, "max_tokens": 64}'


def test_a_broken_encoder_is_named(tmp_path: Path) -> None:
    with pytest.raises(Corrupt, match="models/m"):
        QuestionEncoder(*model(tmp_path)).embed("a question")


def test_without_onnxruntime_words_alone_answer_and_a_note_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    encoder = QuestionEncoder(*model(tmp_path))
    assert encoder.embed("another question") is None
    assert "onnxruntime is not installed" in str(encoder.missing)


def test_the_fake_store_is_a_store(tmp_path: Path) -> None:
    assert isinstance(remote(tmp_path).stat("a/b.bin"), Stat)
    with pytest.raises(NotFound):
        remote(tmp_path / "other").get("nothing")
