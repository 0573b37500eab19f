"""A reader that may get what lies below one prefix, and neither list nor write (`infra/iam/reader.json`), on a real S3 server."""

from __future__ import annotations

import json
import uuid
from pathlib import Path

import pytest

from filingforest import query
from filingforest.errors import NoPublication, PermissionDenied, PublicationGone
from filingforest.publish import commands
from filingforest.store import open_store
from infra.servers.seaweedfs import BUCKET, GETTER, OPEN_PREFIX, SeaweedFS
from tests.support.tiny_index import Bare

pytestmark = pytest.mark.service
QUESTION = "What did Company 0000000001 say about revenue?"


@pytest.fixture
def index(seaweedfs: SeaweedFS, monkeypatch: pytest.MonkeyPatch) -> Bare:
    """Written by the administrator, below the prefix that the reader may see."""
    for name, value in seaweedfs.environment().items():
        monkeypatch.setenv(name, value)
    made = Bare(open_store(f"s3://{BUCKET}/{OPEN_PREFIX}/{uuid.uuid4().hex}/filings"))
    made.add("2024-02-01", "a")
    made.publish()
    for name, value in seaweedfs.environment(GETTER).items():
        monkeypatch.setenv(name, value)
    return made


def test_it_opens_asks_shows_and_follows(index: Bare, tmp_path: Path) -> None:
    reader = query.open(index.store.url, cache=tmp_path)
    (hit, *_) = reader.query(QUESTION).hits
    assert hit.text in str(reader.show(hit.unit_key))
    assert not reader.refresh()
    index.add("2024-02-02", "b")
    second = index.publish().publication
    assert reader.refresh()
    assert reader.publications == (second,)
    assert reader.query(QUESTION).hits


def test_a_pruned_publication_is_gone_and_not_forbidden(index: Bare, tmp_path: Path) -> None:
    reader = query.open(index.store.url, cache=tmp_path)
    (first,) = reader.publications
    for day, doc_id in ((2, "b"), (3, "c")):
        index.add(f"2024-02-0{day}", doc_id)
        index.publish()
    assert first in commands.prune(index.store, keep_last=1, keep_days=-1).publications
    with pytest.raises(PublicationGone):
        query.open(index.store.url, at=first, cache=tmp_path)
    with pytest.raises(NoPublication):
        query.open(index.store.url, at="000009-0123456789ab", cache=tmp_path)
    assert reader.refresh()
    assert reader.query(QUESTION).hits


def test_it_can_neither_write_nor_list_nor_read_elsewhere(index: Bare) -> None:
    store = open_store(index.store.url)
    for act in (
        lambda: store.put_new("publications/x", b"1"),
        lambda: store.swap("CURRENT", b"1", store.stat("CURRENT").etag),
        lambda: store.delete("CURRENT"),
        lambda: list(store.list("publications/")),
        lambda: open_store(f"s3://{BUCKET}/elsewhere").get("CURRENT"),
    ):
        with pytest.raises(PermissionDenied):
            act()
    assert index.store.get("CURRENT")


def test_the_example_policy_gives_the_same() -> None:
    policy = json.loads((Path(__file__).parents[2] / "infra" / "iam" / "reader.json").read_text(encoding="utf-8"))
    (statement,) = policy["Statement"]
    assert statement["Action"] == ["s3:GetObject"]
    assert statement["Resource"] == ["arn:aws:s3:::filingforest/filings/*"]
