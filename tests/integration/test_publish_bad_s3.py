"""Publishing over a bad line to a real S3 server: what the server has at the end is what a good line leaves."""

from __future__ import annotations

import json
import os

import pytest

from filingforest.current import open_manifest, read_current
from filingforest.errors import StoreUnavailable
from filingforest.publish import commands
from filingforest.publish.members import live_in
from filingforest.store import Store, open_store
from tests.support.bad_proxy import BUSY, CUT, ERROR, LOST, SLOW, BadProxy
from tests.support.tiny_index import TinyIndex

pytestmark = pytest.mark.service


@pytest.fixture
def index(s3_url: str) -> TinyIndex:
    """One publication, and a night that waits."""
    index = TinyIndex(open_store(f"{s3_url}/filings"))
    index.add("2024-02-01", "a")
    index.publish()
    index.add("2024-02-02", "b")
    return index


def through(proxy: BadProxy, index: TinyIndex, monkeypatch) -> TinyIndex:
    monkeypatch.setenv("FILINGFOREST_S3_ENDPOINT", proxy.url)
    return TinyIndex(open_store(index.store.url))


def is_as_on_a_good_line(store: Store) -> None:
    assert set(live_in(store, open_manifest(store))) == {"a", "b"}
    assert read_current(store).entry == 2
    assert commands.verify(store).ok


@pytest.mark.parametrize("fault", [ERROR, BUSY, SLOW, CUT])
def test_every_fifteenth_request_fails(index, monkeypatch, fault):
    with BadProxy(os.environ["FILINGFOREST_S3_ENDPOINT"], lambda verb, path, n: fault if n % 15 == 0 else "") as proxy:
        assert through(proxy, index, monkeypatch).publish().changed
        assert proxy.seen[fault] >= 5
    is_as_on_a_good_line(index.store)


def test_the_answer_to_the_switch_is_lost_after_it_took_effect(index, monkeypatch):
    lost = iter([LOST])

    def fault(verb: str, path: str, n: int) -> str:
        return next(lost, "") if verb == "PUT" and path.endswith("/CURRENT") else ""

    with BadProxy(os.environ["FILINGFOREST_S3_ENDPOINT"], fault) as proxy:
        assert through(proxy, index, monkeypatch).publish().changed
        assert proxy.seen[LOST] == 1
    is_as_on_a_good_line(index.store)


def test_a_server_that_is_down_keeps_yesterday_and_the_next_run_goes_on(index, monkeypatch):
    first = read_current(index.store).id
    with (
        BadProxy(
            os.environ["FILINGFOREST_S3_ENDPOINT"], lambda verb, path, n: BUSY if verb == "PUT" and "/segments/" in path else ""
        ) as proxy,
        pytest.raises(StoreUnavailable),
    ):
        through(proxy, index, monkeypatch).publish()
    assert read_current(index.store).id == first
    assert commands.verify(index.store).ok
    index.publish()
    is_as_on_a_good_line(index.store)


def test_clocks_decide_nothing(index):
    """A publication that says it was made in the far future, or in the past, is followed, rolled back and pruned by its number."""
    made = open_manifest(index.store)
    assert read_current(index.store).id == made.id
    later = index.publish(run={"published_at": "2001-01-01T00:00:00+00:00", "host_clock": "1970-01-01"}).publication
    assert read_current(index.store).id == later > made.id
    manifest = json.loads(index.store.get(f"publications/{later}/manifest.json"))
    assert manifest["run"]["published_at"] > "2001-01-01T00:00:00+00:00"
    assert [p.id for p in commands.list_publications(index.store)] == [made.id, later]
    assert commands.prune(index.store, keep_last=9, keep_days=0, now=0.0).publications == ()
    assert commands.rollback(index.store).publication == made.id
