"""A document that was taken down is nowhere any more, wherever the act was cut off, and stays away; only the record tells of it."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path

import pytest

from filingforest import cli, query, takedowns
from filingforest.config import Settings
from filingforest.current import CURRENT, open_manifest, read_current
from filingforest.errors import FilingForestError, NotFound, PublicationGone
from filingforest.publish import commands, ledger, receipts
from filingforest.publish.intents import PREFIX, intent, settle
from filingforest.publish.members import live_in
from filingforest.publish.targets import Change, open_targets
from filingforest.query.files import default_cache
from filingforest.query.ranged import Ranged
from filingforest.store_folder import FolderStore
from tests.support.tiny_index import Bare, TinyEmbedder, TinyIndex

SECRET = "quokka"


class Recorder:
    """A target that writes down what is asked of it; `shown` is what its readers see."""

    name = "recorder"

    def __init__(self) -> None:
        self.calls: list[tuple[str, str]] = []
        self.changes: list[Change] = []
        self.shown = ""
        self.lost = False
        self.warnings: list[str] = []

    def prepare(self, manifest, change):
        self.calls.append(("prepare", manifest.id))
        self.changes.append(change)
        return {"documents": manifest.counts["documents"]}

    def switch(self, publication):
        self.calls.append(("switch", publication))
        self.shown = publication

    def carries(self, manifest):
        return not self.lost

    def secure(self, publication):
        return self.warnings

    def back(self, publication):
        self.calls.append(("back", publication))
        self.shown = publication

    def drop(self, publication):
        self.calls.append(("drop", publication))

    def erase(self, doc_id):
        self.calls.append(("erase", doc_id))


@pytest.fixture
def index(tmp_path) -> TinyIndex:
    """Publications of x; x, a; a in another version and x. Segments of one document and up stay apart."""
    index = TinyIndex(FolderStore(tmp_path / "filings"), settings=Settings.from_dict({"publish.segment_floor": 2}))
    index.add("2024-02-01", "x")
    index.publish()
    for day, text in ((2, f"the {SECRET} clause"), (3, f"the {SECRET} clause, again")):
        index.receipt(f"2024-02-0{day}", index.entry("a", [text, "other"], known_from=f"2024-02-0{day}"))
        index.publish()
    return index


def take(index: TinyIndex, targets=()) -> commands.TakenDown:
    return commands.take_down(index.store, "a", "court order 12/34", "ann", index.settings, targets)


def holders(index: TinyIndex) -> list[str]:
    """Objects in which the text can be read, packed or not."""
    return [key for key in index.store.list("") if SECRET in _readable(key, index.store.get(key))]


def _readable(key: str, data: bytes) -> str:
    import io

    import pyarrow.parquet as pq

    from filingforest.bundle import read_bundle

    if key.endswith(".parquet"):
        return str(pq.read_table(io.BytesIO(data)).to_pylist())
    if key.endswith(".zip") and key.startswith("stages/"):
        return str([read_bundle(data).table(name).to_pylist() for name in read_bundle(data).tables()])
    return data.decode("utf-8", "replace")


def test_out_of_everything(index):
    old = [p.id for p in commands.list_publications(index.store)]
    assert holders(index)
    target = Recorder()
    done = take(index, [target])
    assert holders(index) == []
    assert set(live_in(index.store, open_manifest(index.store))) == {"x"}
    assert done.gone == tuple(old[1:])
    assert target.calls[-3:] == [("drop", old[1]), ("drop", old[2]), ("erase", "a")]
    for name in done.gone:
        with pytest.raises(PublicationGone, match="it held a, which was taken down: court order 12/34"):
            open_manifest(index.store, name)
    assert open_manifest(index.store, old[0]).id == old[0]  # never had it
    assert commands.verify(index.store).ok
    assert not any("/a/" in key for key in index.store.list("stages/"))
    record = takedowns.active(index.store)["a"]
    assert (record.reason, record.by) == ("court order 12/34", "ann")


def test_it_is_not_taken_in_again_until_it_is_lifted(index):
    take(index)
    index.add("2024-02-09", "a", "y")
    index.publish()
    assert set(live_in(index.store, open_manifest(index.store))) == {"x", "y"}
    assert commands.verify(index.store).ok
    takedowns.lift(index.store, "a", "ben")
    index.add("2024-02-10", "a", known_from="2024-02-10")
    index.publish()
    assert set(live_in(index.store, open_manifest(index.store))) == {"a", "x", "y"}
    with pytest.raises(NotFound, match="not taken down"):
        takedowns.lift(index.store, "a", "ben")
    index.receipt("2024-02-11", index.entry("a", [f"the {SECRET}"], known_from="2024-02-11"))
    assert take(index).record.number == 2
    assert holders(index) == []


@pytest.mark.parametrize("place", [0, 7, 40])
def test_cut_off_and_repeated(index, monkeypatch, place):
    """The act dies at a deletion; the same call again ends where an undisturbed one does."""
    delete, count = index.store.delete, iter(range(10_000))

    def dies(key):
        if next(count) == place:
            raise KeyboardInterrupt
        delete(key)

    with monkeypatch.context() as patch:
        patch.setattr(index.store, "delete", dies)
        with contextlib.suppress(KeyboardInterrupt):
            take(index)
    take(index)
    assert holders(index) == []
    assert commands.verify(index.store).ok


def test_stage_outputs_that_no_receipt_names_are_pruned(index):
    left = index.entry("b", ["of a run that never ended"])
    named = set(index.store.list("stages/")) - set(left["stages"].values())
    now = index.store.stat(left["stages"]["parsed"]).modified
    assert commands.prune(index.store, keep_last=9, keep_days=1, now=now + 80_000).objects == ()
    assert set(commands.prune(index.store, keep_last=9, keep_days=1, now=now + 90_000).objects) == set(left["stages"].values())
    assert set(index.store.list("stages/")) == named


def test_targets_are_prepared_before_and_switched_after_current(index):
    target = Recorder()
    index.add("2024-02-04", "b")
    made = index.publish(targets=[target]).publication
    assert target.calls == [("prepare", made), ("switch", made)]
    assert list(target.changes[0].added.values()) == [("b",)]
    assert target.changes[0].removed == ()
    assert open_manifest(index.store).targets == {"recorder": {"documents": 3}}
    assert list(index.store.list(PREFIX)) == []
    before = open_manifest(index.store).parent
    commands.rollback(index.store, before, [target])
    assert target.calls[-1] == ("back", before)


def test_a_target_that_lost_the_publication_gets_it_again_though_nothing_changed(index):
    target = Recorder()
    first = index.publish(targets=[target]).publication
    target.lost = True
    made = index.publish(targets=[target])
    assert (made.changed, target.shown) == (True, made.publication)
    assert open_manifest(index.store).content_hash() == open_manifest(index.store, first).content_hash()
    target.lost = False
    assert index.publish(targets=[target]).changed is False


def test_what_a_target_could_not_secure_is_a_warning_of_what_is_published(index):
    target = Recorder()
    target.warnings = ["no snapshot"]
    index.add("2024-02-04", "b")
    made = index.publish(targets=[target])
    assert (made.changed, made.warnings) == (True, ("recorder: no snapshot",))
    assert list(index.store.list(PREFIX)) == []
    assert index.publish(targets=[target]).warnings == ("recorder: no snapshot",)


def test_a_target_that_is_configured_later_gets_what_is_published_already(index):
    """Nothing changed but the place: it is published once more for it, and then never again."""
    before, target = open_manifest(index.store), Recorder()
    made = index.publish(targets=[target])
    assert (made.changed, made.targets) == (True, {"recorder": {"documents": 2}})
    now = open_manifest(index.store)
    assert now.parent == before.id
    assert now.content_hash() == before.content_hash()
    assert target.calls == [("prepare", now.id), ("switch", now.id)]
    again = index.publish(targets=[target])
    assert (again.publication, again.changed, again.targets) == (now.id, False, made.targets)
    assert index.publish(targets=[]).publication == now.id  # and a run that does not know the place leaves it at that


def test_a_place_that_is_not_configured_is_never_passed_over(index, capsys):
    """Typed where nothing says how to reach it: publishing and going back warn, and going back is finished by whoever can; a takedown refuses."""
    target = Recorder()
    index.add("2024-02-04", "b")
    with_it = index.publish(targets=[target]).publication
    index.add("2024-02-05", "c")
    assert index.publish(targets=[]).warnings[-1] == "recorder had the publication before and is not configured here: it lacks this one"
    assert cli.main(["publications", "rollback", with_it, "--index", str(index.store.root)]) == 0
    assert "recorder has publications of this index and is not configured here: it goes on showing" in capsys.readouterr().err
    assert cli.main(["publications", "prune", "--dry-run", "--index", str(index.store.root)]) == 0
    assert "recorder has publications of this index and is not configured here: what is pruned here stays" in capsys.readouterr().err
    assert settle(index.store, []) == []
    assert settle(index.store, [target]) == [with_it]
    assert (target.calls[-1], list(index.store.list(PREFIX))) == (("switch", with_it), [])
    assert cli.main(["publications", "takedown", "a", "--reason", "x", "--index", str(index.store.root)]) == cli.USAGE
    assert "recorder has publications of this index and is not configured here -> " in capsys.readouterr().err
    assert takedowns.active(index.store) == {}
    commands.take_down(index.store, "a", "x", "ann", index.settings, here_only=True)
    assert holders(index) == []


@pytest.mark.parametrize("entry", [3, 4])
def test_an_intent_that_was_left_is_settled(index, entry):
    """Of entry 3, which came through, and of entry 4, which did not: in both cases the target follows CURRENT."""
    target, now = Recorder(), read_current(index.store)
    index.store.put_new(f"{PREFIX}{entry:06d}.dead.json", json.dumps({"publication": "p", "reason": "published"}).encode())
    assert settle(index.store, [target], grace_hours=24) == (["p"] if entry == 3 else [])
    commands.sweep(index.store, grace_hours=-1, targets=[target])
    assert target.shown == now.id
    assert list(index.store.list(PREFIX)) == []


def test_a_damaged_current_is_mended_though_an_intent_was_left(index):
    target, now = Recorder(), read_current(index.store)
    index.store.put_new(f"{PREFIX}000003.dead.json", json.dumps({"publication": "p", "reason": "published"}).encode())
    index.store.delete(CURRENT)
    index.store.put_new(CURRENT, b"?")
    commands.rollback(index.store, now.id, [target])
    assert (read_current(index.store).id, target.shown) == (now.id, now.id)
    assert settle(index.store, [target]) == ["p"]


def test_a_failed_switch_leaves_no_intent_and_a_failed_target_does(index):
    with pytest.raises(ZeroDivisionError), intent(index.store, [Recorder()], 9, "p", "published"):
        raise ZeroDivisionError  # before CURRENT came to its ninth entry
    assert list(index.store.list(PREFIX)) == []
    with pytest.raises(ZeroDivisionError), intent(index.store, [Recorder()], 3, "p", "published"):
        raise ZeroDivisionError
    assert len(list(index.store.list(PREFIX))) == 1


def test_nothing_configured_is_no_target(index):
    assert open_targets(index.store, Settings(), ["no.such:thing", "filingforest.config:nothing"][:1]) == []


def test_receipts_and_ledger_keep_ids_alone(index):
    take(index)
    found = ledger.load(index.store, open_manifest(index.store))
    assert set(found.receipts) == set(receipts.names(index.store))
    assert "a" not in {p.entry.doc_id for placed in found.placed.values() for p in placed}


def test_a_mistyped_document_is_not_gone(index: TinyIndex, tmp_path, capsys: pytest.CaptureFixture[str]) -> None:
    before = read_current(index.store)
    command = ["publications", "takedown", "doc-a", "--reason", "court order 12/34", "--index", str(tmp_path / "filings")]
    index.add("2024-02-09", "folder:doc-a")
    assert cli.main(command) == cli.STOPPED
    assert "documents like it: folder:doc-a; --ahead keeps out" in capsys.readouterr().err
    assert takedowns.records(index.store) == []
    assert read_current(index.store) == before


def test_it_waits_for_nothing_that_waits(index: TinyIndex) -> None:
    """A receipt that fails a check, one whose vectors are of another encoder: they stay where they are, and the document goes."""
    index.receipt("2024-02-04", index.entry("c", ["an orphan"], orphan=True))
    index.embedder = TinyEmbedder("r2")
    index.add("2024-02-05", "d")
    take(index)
    assert (set(live_in(index.store, open_manifest(index.store))), holders(index)) == ({"x"}, [])
    assert commands.verify(index.store).ok
    with pytest.raises(FilingForestError, match=r"orphan_nodes: 1 rows|r1.*model is tiny r2"):
        index.publish()


def test_what_waits_comes_with_the_next_night(index: TinyIndex) -> None:
    index.add("2024-02-04", "c")
    made = open_manifest(index.store, take(index).publication)
    assert (made.counts["documents"], made.receipts) == (1, open_manifest(index.store, made.id).receipts)
    index.publish()
    assert set(live_in(index.store, open_manifest(index.store))) == {"c", "x"}


def test_the_night_after_it_finds_nothing_to_do(index: TinyIndex) -> None:
    take(index)
    assert not index.publish().changed
    assert not take(index).gone


def test_checks_that_compare_with_yesterday_do_not_see_it(index: TinyIndex) -> None:
    """All of a form and year goes, and half of the corpus: that is what was asked for."""
    index.receipt("2024-02-04", *(index.entry(f"y{n}", [f"text {n}"], year=2019) for n in range(1)))
    index.publish()
    commands.take_down(index.store, "y0", "law", "ann", index.settings)
    assert [check for check in open_manifest(index.store).report["checks"] if not check["ok"]] == []


def test_the_last_document_of_all(tmp_path: Path) -> None:
    """The publication after it is empty, says so to whoever asks, and the nights go on."""
    index = Bare(FolderStore(tmp_path / "filings"))
    index.receipt("2024-02-01", index.entry("a", [f"the {SECRET} clause"]))
    index.publish()
    reader = query.open(index.store.url)
    assert reader.query(f"the {SECRET} clause").hits
    target = Recorder()
    done = commands.take_down(index.store, "a", "law", "ann", index.settings, [target])
    made = open_manifest(index.store)
    assert (made.id, made.counts["documents"], made.segments, holders(index)) == (done.publication, 0, (), [])
    assert target.calls == [("prepare", made.id), ("switch", made.id), ("drop", done.gone[0]), ("erase", "a")]
    assert commands.verify(index.store).ok
    assert reader.refresh()
    for question in (f"the {SECRET} clause", "What did Company 0000000001 say about revenue?"):
        answer = reader.query(question)
        assert (answer.hits, answer.facts) == ([], [])
        assert [note.code for note in answer.notes] == ["nothing_in_scope"]
    assert reader.documents() == []
    assert not index.publish().changed
    index.add("2024-02-02", "b")
    assert index.publish().changed
    assert reader.refresh()
    assert reader.query("revenue").hits


def test_a_night_between_the_record_and_the_act_publishes_nothing_of_the_last_document(tmp_path: Path) -> None:
    index = Bare(FolderStore(tmp_path / "filings"))
    index.add("2024-02-01", "a")
    index.publish()
    takedowns.record(index.store, "a", "law", "ann")
    assert index.publish().counts["documents"] == 0
    [first, _] = [p.id for p in commands.list_publications(index.store)]
    assert take(index).gone == (first,)


def test_a_manifest_that_cannot_be_read_stops_no_takedown(index: TinyIndex) -> None:
    now = read_current(index.store).id
    index.store.local_path(f"publications/{now}/manifest.json").write_bytes(b"{")
    take(index)
    assert holders(index) == []
    assert index.publish().changed
    assert set(live_in(index.store, open_manifest(index.store))) == {"x"}


def test_files_and_blocks_that_readers_on_this_machine_keep_go_too(
    index: TinyIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FILINGFOREST_CACHE", str(tmp_path / "cache"))
    for segment in open_manifest(index.store).segments:
        for entry in segment.files:
            Ranged(index.store, default_cache(), entry).read_at(0, entry.bytes)
            (default_cache() / entry.sha256[:2] / entry.sha256).write_bytes(b"all of it")
    left = next((tmp_path / "cache").glob("??")) / ".part-left"
    left.write_bytes(b"of a download that was killed")
    os.utime(left, (1, 1))
    kept = {entry.sha256[:2] for segment in open_manifest(index.store, take(index).publication).segments for entry in segment.files}
    assert {path.name for path in (tmp_path / "cache").glob("??") if any(path.iterdir())} <= kept
