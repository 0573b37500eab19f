"""Kills the process group before and after every numbered step of a publication, runs it again, and compares every byte.

A reader alongside sees the old publication or the new one, whole, at every moment.
"""

from __future__ import annotations

import json
import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from filingforest.current import Current, open_manifest, read_current
from filingforest.errors import FilingForestError
from filingforest.publish import filesets
from filingforest.store import Store, open_store
from filingforest.store_folder import FolderStore
from tests.support.kill_driver import KillDriver
from tests.support.tiny_index import TinyIndex

PARTS = 4  # pytest-xdist spreads them over the CPUs
PUBLISH = "tests.support.kill_targets:publish_tiny"


def contents(store: Store) -> dict[str, bytes]:
    """Every object; of manifests all but the time at which they were written."""
    return {key: _timeless(key, store.get(key)) for key in store.list("")}


def _timeless(key: str, data: bytes) -> bytes:
    if not key.endswith("/manifest.json"):
        return data
    document = json.loads(data)
    document["run"].pop("published_at")
    return json.dumps(document).encode()


class Watch(threading.Thread):
    """Reads the index over and over; `seen` are the publications it was shown, `errors` what it could not read."""

    def __init__(self, store: Store) -> None:
        super().__init__()
        self.store, self.seen, self.errors = store, set[str](), list[str]()
        self._done = threading.Event()

    def run(self) -> None:
        while not self._done.is_set():
            try:
                made = open_manifest(self.store)
                if made.id not in self.seen and not filesets.is_whole(self.store, tuple(made.files())):
                    self.errors.append(f"{made.id} is not whole")
                self.seen.add(made.id)
            except FilingForestError as error:
                self.errors.append(str(error))
            time.sleep(0.02)

    def __enter__(self) -> Watch:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self.join()


def prepare(store: Store) -> str:
    """An index with one publication, and a receipt that is not published yet."""
    index = TinyIndex(store)
    index.add("2024-02-01", "a")
    first = index.publish().publication
    index.add("2024-02-02", "b")
    return str(first)


def steps_of(driver: KillDriver, url: str, log: Path) -> list[str]:
    assert driver.run(url, log=log) == 0
    return log.read_text().splitlines()


def places(steps: list[str]) -> Iterator[str]:
    """Before and after every step; of a segment's fifty files, which are written alike, those of the first and of every tenth."""
    files: dict[str, int] = {}
    for number, step in enumerate(steps, 1):
        key = step.split()[-1]
        if key.startswith("segments/") and not key.endswith("contents.json") and files.setdefault(key, len(files)) % 10:
            continue
        yield from (f"before:{number}", f"after:{number}")


def test_the_whole_process_group_dies(tmp_path):
    with KillDriver("tests.support.kill_targets:with_a_child") as driver:
        assert driver.run(str(tmp_path / "pid"), kill_at="before:1") == -9
    child = int((tmp_path / "pid").read_text())
    deadline = time.monotonic() + 5
    while _alive(child):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize("part", range(PARTS))
def test_every_step_of_a_publication_on_a_folder(tmp_path, part):
    base = FolderStore(tmp_path / "base" / "filings")
    first = prepare(base)
    whole = FolderStore(tmp_path / "whole" / "filings")
    shutil.copytree(base.root, whole.root)
    with KillDriver(PUBLISH) as driver:
        steps = steps_of(driver, whole.url, tmp_path / "log")
        second, expected = read_current(whole), contents(whole)
        assert steps[-2].endswith("rename CURRENT")
        assert len(steps) > 50
        switched = {f"after:{len(steps) - 1}", f"before:{len(steps)}", f"after:{len(steps)}"}
        for place in list(places(steps))[part::PARTS]:
            store = FolderStore(tmp_path / place / "filings")
            shutil.copytree(base.root, store.root)
            with Watch(store) as watch:
                assert driver.run(store.url, kill_at=place) == -9, place
                assert read_current(store).id == (second.id if place in switched else first), place
                assert driver.run(store.url) == 0, place
            check(store, second, expected, watch, {first, second.id}, place)
            shutil.rmtree(store.root.parent)


@pytest.mark.service
@pytest.mark.parametrize("part", range(2))
def test_steps_of_a_publication_on_s3(s3_url, tmp_path, part):
    """On S3 a step is one PUT. Places are spread over the steps; the last two steps are tried at every place."""
    base = open_store(f"{s3_url}/base/filings")
    first = prepare(base)
    everything = {key: base.get(key) for key in base.list("")}

    def copy(name: str) -> Store:
        store = open_store(f"{s3_url}/{name}/filings")
        for key, data in everything.items():
            store.put_new(key, data)
        return store

    with KillDriver(PUBLISH) as driver:
        whole = copy("whole")
        steps = steps_of(driver, whole.url, tmp_path / "log")
        second, expected = read_current(whole), contents(whole)
        chosen = [place for n, place in enumerate(places(steps)) if n % 16 == 0 or n >= 2 * (len(steps) - 2)]
        for place in chosen[part::2]:
            store = copy(place.replace(":", "-"))
            with Watch(store) as watch:
                assert driver.run(store.url, kill_at=place) == -9, place
                assert driver.run(store.url) == 0, place
            check(store, second, expected, watch, {first, second.id}, place)


def check(store: Store, second: Current, expected: dict[str, bytes], watch: Watch, allowed: set[str], place: str) -> None:
    """The second run ended where an undisturbed one does, and a reader saw nothing but the old and the new."""
    now = read_current(store)
    assert (now.id, now.entry) == (second.id, 2), place
    assert contents(store) == expected, place
    assert watch.errors == [], place
    assert watch.seen <= allowed, place


def test_every_step_of_a_rollback(tmp_path):
    base = FolderStore(tmp_path / "base" / "filings")
    first = prepare(base)
    TinyIndex(base).publish()
    whole = FolderStore(tmp_path / "whole" / "filings")
    shutil.copytree(base.root, whole.root)
    with KillDriver("tests.support.kill_targets:roll_back") as driver:
        assert driver.run(whole.url, first, log=tmp_path / "log") == 0
        steps = (tmp_path / "log").read_text().splitlines()
        expected = contents(whole)
        for place in places(steps):
            store = FolderStore(tmp_path / place.replace(":", "-") / "filings")
            shutil.copytree(base.root, store.root)
            assert driver.run(store.url, first, kill_at=place) == -9
            assert driver.run(store.url, first) == 0
            assert contents(store) == expected, place
            assert not TinyIndex(store).publish().changed
            assert read_current(store).id == first
