"""A publication's whole life on a real S3 server: publish, verify, diff, roll back, release, prune, and a reader that may only read."""

from __future__ import annotations

import pytest

from filingforest.current import open_manifest
from filingforest.errors import PermissionDenied, PublicationGone
from filingforest.publish import commands
from filingforest.publish.members import live_in
from filingforest.store import open_store
from infra.servers.seaweedfs import READER
from tests.support.tiny_index import TinyIndex

pytestmark = pytest.mark.service


@pytest.fixture
def index(s3_url: str) -> TinyIndex:
    return TinyIndex(open_store(f"{s3_url}/filings"))


@pytest.fixture
def two(index: TinyIndex) -> list[str]:
    """Publications of documents a; a, b."""
    made = []
    for day, doc_id in enumerate("ab", 1):
        index.add(f"2024-02-0{day}", doc_id)
        made.append(index.publish().publication)
    return made


def test_a_second_run_writes_nothing(index, two):
    before = {key: index.store.stat(key) for key in index.store.list("")}
    assert not index.publish().changed
    assert {key: index.store.stat(key) for key in index.store.list("")} == before


def test_old_files_are_never_touched(index, two):
    before = {entry.path: index.store.stat(entry.path) for entry in open_manifest(index.store, two[0]).files()}
    index.add("2024-02-03", "c")
    index.publish()
    assert {path: index.store.stat(path) for path in before} == before


def test_the_same_content_as_in_a_folder(index, two, tmp_path):
    other = TinyIndex(open_store(str(tmp_path / "filings")))
    other.add("2024-02-02", "b")
    other.add("2024-02-01", "a")
    assert other.publish().publication.partition("-")[2] == two[1].partition("-")[2]
    assert {key: other.store.get(key) for key in other.store.list("segments/")}.items() <= {
        key: index.store.get(key) for key in index.store.list("segments/")
    }.items()


def test_roll_back_release_prune(index, two):
    assert commands.verify(index.store).ok
    assert commands.diff(index.store, two[0]).added == ("b",)
    commands.rollback(index.store, two[0])
    assert not index.publish().changed
    commands.release(index.store)
    assert index.publish().publication == f"000004-{two[1].partition('-')[2]}"
    assert set(commands.prune(index.store, keep_last=1, keep_days=-1).publications) == set(two)
    with pytest.raises(PublicationGone):
        open_manifest(index.store, two[0])
    assert commands.verify(index.store).ok


def test_verify_names_the_bad_object(index, two):
    entry = open_manifest(index.store).segments[0].files[0]
    data = index.store.get(entry.path)
    index.store.delete(entry.path)
    index.store.put_new(entry.path, data[:-1] + b"?")
    assert [problem.path for problem in commands.verify(index.store).problems] == [entry.path]


def test_a_reader_may_only_read(index, two, seaweedfs, monkeypatch):
    for name, value in seaweedfs.environment(READER).items():
        monkeypatch.setenv(name, value)
    reader = TinyIndex(open_store(index.store.url))
    assert set(live_in(reader.store, open_manifest(reader.store))) == {"a", "b"}
    assert commands.verify(reader.store).ok
    for act in (
        lambda: commands.pin(reader.store, two[0]),
        lambda: commands.rollback(reader.store, two[0]),
        lambda: reader.add("2024-02-03", "c"),
    ):
        with pytest.raises(PermissionDenied, match="policy"):
            act()
