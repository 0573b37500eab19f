"""A publisher whose clock is days fast or slow takes nothing away that is current, pinned, among the last or being written."""

from __future__ import annotations

import datetime
import json
import time

import pytest

from filingforest import manifest
from filingforest.current import open_manifest, read_current
from filingforest.errors import PermissionDenied
from filingforest.publish import commands
from filingforest.publish import publish as publishing
from filingforest.publish.clock import store_time
from filingforest.publish.filesets import write
from filingforest.publish.intents import PREFIX, settle
from filingforest.store_folder import FolderStore
from tests.support.tiny_index import Bare
from tests.unit.publish.test_takedown import Recorder

DAYS = 3 * 86_400.0


@pytest.fixture(params=[DAYS, -DAYS], ids=["fast", "slow"])
def skew(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> float:
    """This machine's clock, beside that of the file system."""
    right = time.time
    monkeypatch.setattr(time, "time", lambda: right() + request.param)

    class Skewed(datetime.datetime):
        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> datetime.datetime:  # type: ignore[override]
            return datetime.datetime.now(tz) + datetime.timedelta(seconds=request.param)

    monkeypatch.setattr(publishing, "datetime", Skewed)
    return float(request.param)


def snapshot(store: FolderStore) -> set[str]:
    return {path.relative_to(store.root).as_posix() for path in store.root.rglob("*") if path.is_file() and ".locks" not in path.parts}


def test_what_others_are_writing_and_what_is_young_stays(tmp_path, skew):
    """Two publications and a third under way: its segment, manifest and intent are there, stage outputs of a run too, CURRENT is not switched."""
    index = Bare(FolderStore(tmp_path / "filings"))
    for day in (1, 2):
        index.add(f"2024-02-0{day}", f"d{day}")
        index.publish()
    said = datetime.datetime.fromisoformat(open_manifest(index.store).run["published_at"]).timestamp()
    assert abs(said - store_time(index.store) - skew) < 600
    write(index.store, "segments", "0" * 16, {"units.parquet": b"being written"}, {}, {})
    third = open_manifest(index.store).numbered(3, None)
    index.store.put_new(manifest.key(third.id), third.to_bytes())
    index.store.put_new(f"{PREFIX}000003.living.json", json.dumps({"publication": third.id}).encode())
    index.store.put_new("stages/parsed/d9/0.zip", b"of a run at work")
    (index.store.root / ".tmp" / "half").write_bytes(b"half an object")
    there, target = snapshot(index.store), Recorder()
    assert commands.prune(index.store, keep_last=1, keep_days=1).objects == ()
    assert commands.sweep(index.store, grace_hours=24, targets=[target]).objects == ()
    assert settle(index.store, [target]) == []
    assert (snapshot(index.store), target.calls) == (there, [])


def test_the_current_the_pinned_and_the_last_stay_however_old_they_seem(tmp_path, skew):
    index = Bare(FolderStore(tmp_path / "filings"))
    ids = []
    for day in (1, 2, 3, 4):
        index.add(f"2024-02-0{day}", f"d{day}")
        ids.append(index.publish().publication)
    commands.pin(index.store, ids[0])
    much_later = store_time(index.store) + 40 * 86_400
    assert commands.prune(index.store, keep_last=2, keep_days=30, now=much_later).publications == (ids[1],)
    assert [p.id for p in commands.list_publications(index.store)] == [ids[0], ids[2], ids[3]]
    assert read_current(index.store).id == ids[3]
    assert commands.verify(index.store).ok


def test_what_asking_the_time_left_behind_is_swept(tmp_path):
    index = Bare(FolderStore(tmp_path / "filings"))
    index.add("2024-02-01", "a")
    index.publish()
    index.store.put_new("clock/left", b"of a crash")
    assert commands.sweep(index.store, grace_hours=1).objects == ()
    assert commands.sweep(index.store, grace_hours=1, now=store_time(index.store) + 7_200).objects == ("clock/left",)


def test_who_may_not_write_tells_ages_by_his_own_clock(tmp_path, monkeypatch, skew):
    store = FolderStore(tmp_path / "filings")

    def refused(*_: object) -> bool:
        raise PermissionDenied("read only", document="x", stage="store", remedy="none")

    monkeypatch.setattr(store, "put_new", refused)
    assert abs(store_time(store) - time.time()) < 5
