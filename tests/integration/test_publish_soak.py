"""Several readers and a publisher at once: every answer is one of the two frozen ones, never a mixture, and nothing fails."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from filingforest import query
from filingforest.config import Settings
from filingforest.current import read_current
from filingforest.publish import commands
from filingforest.store_folder import FolderStore
from tests.support.soak import QUESTIONS, ReaderThread, seen
from tests.support.tiny_index import Bare

READERS = 3


def frozen(url: str, at: str | None = None) -> str:
    """What a publication answers, its own id left out."""
    reader = query.open(url, at=at) if at else query.open(url)
    return seen(reader)


def soak(folder: Path, seconds: float) -> None:
    """The publisher goes back and forth between two contents: a night, a rollback, its release."""
    index = Bare(FolderStore(folder / "filings"), settings=Settings.from_dict({"publish.segment_floor": 4}))
    index.add("2024-02-01", "a", "b")
    first = str(index.publish().publication)
    index.receipt(
        "2024-02-02", index.entry("a", ["revenue fell", "nothing is enough"], known_from="2024-02-02"), index.entry("c", ["revenue"])
    )
    second = str(index.publish().publication)
    url = index.store.url
    allowed = {first.partition("-")[2]: frozen(url, first), second.partition("-")[2]: frozen(url, second)}
    done = threading.Event()
    readers = [ReaderThread(lambda: query.open(url), done) for _ in range(READERS)]
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


def test_readers_and_a_publisher(tmp_path):
    soak(tmp_path, 20)


@pytest.mark.slow
def test_readers_and_a_publisher_for_ten_minutes(tmp_path):
    soak(tmp_path, 600)


def test_a_reader_of_an_old_publication_while_newer_ones_come_and_it_is_pruned(tmp_path):
    """It answers as it did until its files go; then a typed error says what to do, and after `refresh` it answers again."""
    index = Bare(FolderStore(tmp_path / "filings"))
    index.add("2024-02-01", "a")
    first = str(index.publish().publication)
    reader = query.open(index.store.url)
    before = seen(reader)
    for day, doc_id in ((2, "b"), (3, "c")):
        index.add(f"2024-02-0{day}", doc_id)
        index.publish()
        assert seen(reader) == before
    assert first in commands.prune(index.store, keep_last=1, keep_days=-1).publications
    assert reader.refresh()
    assert seen(reader) == frozen(index.store.url) != before
