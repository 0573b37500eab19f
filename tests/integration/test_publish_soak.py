"""Several readers and a publisher at once: every answer is one of the two frozen ones, never a mixture, and nothing fails."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from filingforest import query
from filingforest.config import Settings
from filingforest.current import read_current
from filingforest.errors import PublicationGone
from filingforest.publish import commands
from filingforest.store import Store, open_store
from filingforest.store_folder import FolderStore
from tests.support.soak import QUESTIONS, ReaderThread, seen
from tests.support.tiny_index import Bare

READERS = 3


def frozen(url: str, cache: Path, at: str | None = None) -> str:
    """What a publication answers, its own id left out."""
    return seen(query.open(url, at=at, cache=cache))


def soak(store: Store, cache: Path, seconds: float) -> None:
    """The publisher goes back and forth between two contents: a night, a rollback, its release. The readers share a cache."""
    index = Bare(store, settings=Settings.from_dict({"publish.segment_floor": 4}))
    index.add("2024-02-01", "a", "b")
    first = str(index.publish().publication)
    index.receipt(
        "2024-02-02", index.entry("a", ["revenue fell", "nothing is enough"], known_from="2024-02-02"), index.entry("c", ["revenue"])
    )
    second = str(index.publish().publication)
    url = index.store.url
    allowed = {at.partition("-")[2]: frozen(url, cache / "frozen", at) for at in (first, second)}
    done = threading.Event()
    readers = [ReaderThread(lambda: query.open(url, cache=cache / "shared"), done) for _ in range(READERS)]
    for reader in readers:
        reader.start()
    end, switches = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        commands.rollback(index.store, first)
        commands.release(index.store)
        switches += 1 + index.publish().changed
    done.set()
    for reader in readers:
        reader.join()
    print(f"{sum(reader.count for reader in readers)} rounds of {len(QUESTIONS)} questions by {READERS} readers, {switches} switches")
    assert [error for reader in readers for error in reader.errors] == []
    assert {(of.partition("-")[2], answer) for reader in readers for of, answer in reader.answers} <= set(allowed.items())
    assert switches >= 2
    assert all(reader.count for reader in readers)
    assert read_current(index.store).entry == 2 + switches
    assert commands.verify(index.store).ok


# with the twenty seconds of test_opensearch_soak.py a good minute in all
def test_readers_and_a_publisher(tmp_path):
    soak(FolderStore(tmp_path / "filings"), tmp_path / "cache", 10)


@pytest.mark.service
def test_readers_and_a_publisher_over_s3(s3_url, tmp_path):
    soak(open_store(f"{s3_url}/filings"), tmp_path / "cache", 40)


@pytest.mark.slow
@pytest.mark.service
@pytest.mark.parametrize("place", ["folder", "s3"])
def test_readers_and_a_publisher_for_ten_minutes(s3_url, tmp_path, place):
    soak(FolderStore(tmp_path / "filings") if place == "folder" else open_store(f"{s3_url}/filings"), tmp_path / "cache", 300)


def newer_ones_come_and_it_is_pruned(store: Store, cache: Path) -> None:
    """Two readers of the first publication: one has asked, the other has opened it and no more."""
    index = Bare(store)
    index.add("2024-02-01", "a")
    first = str(index.publish().publication)
    asked, idle = (query.open(index.store.url, cache=cache / name) for name in ("asked", "idle"))
    before = seen(asked)
    for day, doc_id in ((2, "b"), (3, "c")):
        index.add(f"2024-02-0{day}", doc_id)
        index.publish()
        assert seen(asked) == before
    assert first in commands.prune(index.store, keep_last=1, keep_days=-1).publications
    assert seen(asked) == before  # what it has mapped, or in its cache, stays
    with pytest.raises(PublicationGone, match=r"is not there any more -> call refresh\(\)"):
        seen(idle)
    for reader in (asked, idle):
        assert reader.refresh()
        assert seen(reader) == frozen(index.store.url, cache / "new") != before


def test_a_reader_of_an_old_publication_while_newer_ones_come_and_it_is_pruned(tmp_path):
    """It answers as it did from what it holds; where that is not all, a typed error says what to do, and after `refresh` it answers again."""
    newer_ones_come_and_it_is_pruned(FolderStore(tmp_path / "filings"), tmp_path / "cache")


@pytest.mark.service
def test_the_same_over_s3(s3_url, tmp_path):
    newer_ones_come_and_it_is_pruned(open_store(f"{s3_url}/filings"), tmp_path / "cache")
