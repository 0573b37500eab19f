"""Publishers, rollbacks and readers at once, on a folder and on a real S3 server: nothing is lost, nothing half visible."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from filingforest import current
from filingforest.current import open_manifest, read_current
from filingforest.publish import commands
from filingforest.publish.members import live_in
from filingforest.store import open_store
from tests.integration.test_publish_kills import Watch
from tests.support.tiny_index import TinyIndex

PLACES = ["folder", pytest.param("s3", marks=pytest.mark.service)]


@pytest.fixture
def url(request, tmp_path) -> str:
    return str(tmp_path / "filings") if request.param == "folder" else f"{request.getfixturevalue('s3_url')}/filings"


def at_once(calls: list[Callable[[], object]]) -> list[object]:
    barrier = threading.Barrier(len(calls))

    def after_all_are_there(call: Callable[[], object]) -> object:
        barrier.wait()
        return call()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(after_all_are_there, calls))


def entries(url: str) -> list[current.Current]:
    store = open_store(url)
    now = read_current(store)
    return [*(current.parse(store.get(key)) for key in store.list("history/")), now]


@pytest.mark.parametrize("url", PLACES, indirect=True)
def test_publishers_at_once(url):
    """Three backfills publish when their own night is done. One content at the end, the one that a single publisher makes."""
    nights = {"2024-02-01": "a", "2024-02-02": "b", "2024-02-03": "c"}
    index = TinyIndex(open_store(url))
    index.add("2024-01-31", "z")
    first = index.publish().publication
    for night, doc_id in nights.items():
        index.add(night, doc_id)
    with Watch(open_store(url)) as watch:
        at_once([TinyIndex(open_store(url)).publish for _ in nights])
    made = open_manifest(index.store)
    assert set(live_in(index.store, made)) == {"a", "b", "c", "z"}
    assert watch.errors == []
    assert watch.seen <= {first, made.id}
    assert [(entry.entry, entry.id) for entry in entries(url)] == [(1, first), (2, made.id)]
    assert not index.publish().changed
    assert commands.verify(index.store).ok


@pytest.mark.parametrize("url", PLACES, indirect=True)
def test_nights_end_while_others_publish(url):
    """Each writes its receipt and publishes at once; whoever comes last has all of them, and the entries form one chain."""

    def night(number: int) -> None:
        mine = TinyIndex(open_store(url))
        mine.add(f"2024-02-0{number}", f"doc{number}")
        mine.publish()

    with Watch(open_store(url)) as watch:
        at_once([lambda n=n: night(n) for n in (1, 2, 3)])
    store = open_store(url)
    assert set(live_in(store, open_manifest(store))) == {"doc1", "doc2", "doc3"}
    chain = entries(url)
    assert [entry.entry for entry in chain] == list(range(1, len(chain) + 1))
    assert all(after.previous == before.id for before, after in itertools.pairwise(chain))
    assert [error for error in watch.errors if "no_publication" not in error] == []
    sizes = [open_manifest(store, entry.id).counts["documents"] for entry in chain]
    assert sizes == sorted(sizes)


@pytest.mark.parametrize("url", PLACES, indirect=True)
def test_a_rollback_among_publishers(url):
    """Whoever wins: what was withdrawn is away, what is new is there."""
    index = TinyIndex(open_store(url))
    index.add("2024-02-01", "a")
    first = index.publish().publication
    index.add("2024-02-02", "b")
    index.publish()
    index.add("2024-02-03", "b", "c")
    at_once([lambda: commands.rollback(open_store(url), first), lambda: TinyIndex(open_store(url)).publish()])
    index.publish()
    live = set(live_in(index.store, open_manifest(index.store)))
    assert live in ({"a", "c"}, {"a"})  # c was published before the rollback came, or not yet
    commands.release(index.store)
    index.publish()
    assert set(live_in(index.store, open_manifest(index.store))) == {"a", "b", "c"}
    assert commands.verify(index.store).ok
