"""list, show, diff, verify, rollback, release, pin, prune and sweep, on publications made of tiny documents."""

from __future__ import annotations

import time

import pytest

from filingforest import current, manifest
from filingforest.current import open_manifest, read_current
from filingforest.errors import LostRace, NoPublication, NotFound, PublicationError, PublicationGone
from filingforest.publish import commands, holds, receipts, rollback
from filingforest.publish.members import live_in
from filingforest.store_folder import FolderStore
from tests.support.tiny_index import TinyIndex


@pytest.fixture
def index(tmp_path) -> TinyIndex:
    return TinyIndex(FolderStore(tmp_path / "filings"))


@pytest.fixture
def three(index: TinyIndex) -> list[str]:
    """Publications of documents a; a, b; a, b, c."""
    made = []
    for day, doc_id in enumerate("abc", 1):
        index.add(f"2024-02-0{day}", doc_id)
        made.append(index.publish().publication)
    return made


def live(index: TinyIndex) -> set[str]:
    return set(live_in(index.store, open_manifest(index.store)))


def test_list_and_show(index, three):
    commands.pin(index.store, three[0])
    listed = commands.list_publications(index.store)
    assert [(p.id, p.state, p.pinned) for p in listed] == [
        (three[0], "past", True),
        (three[1], "past", False),
        (three[2], "current", False),
    ]
    assert [p.counts["documents"] for p in listed] == [1, 2, 3]
    shown = commands.show(index.store)
    assert shown.manifest.id == three[2]
    assert shown.bytes == sum(file.bytes for file in shown.manifest.files()) > 0


def test_list_and_show_beside_a_current_that_cannot_be_read(index, three):
    index.store.local_path("CURRENT").write_bytes(b"garbage")
    assert [(p.id, p.state) for p in commands.list_publications(index.store)] == [
        (three[0], "past"),
        (three[1], "past"),
        (three[2], "probably current"),
    ]
    assert commands.show(index.store, three[2]).manifest.id == three[2]
    assert commands.rollback(index.store, three[2]).publication == three[2]
    assert [p.state for p in commands.list_publications(index.store)] == ["past", "past", "current"]


def test_list_beside_a_current_that_cannot_be_read_after_a_rollback(index, three):
    """Nothing says where the rollback went."""
    commands.rollback(index.store, three[0])
    index.store.local_path("CURRENT").write_bytes(b"garbage")
    assert [p.state for p in commands.list_publications(index.store)] == ["past", "past", "past"]


def test_diff(index, three):
    index.receipt("2024-02-04", index.entry("a", ["other text"], known_from="2024-02-04"))
    index.publish()
    found = commands.diff(index.store, three[1])
    assert (found.added, found.changed, found.removed) == (("c",), ("a",), ())
    assert commands.diff(index.store, three[2], three[0]).removed == ("b", "c")


def test_rollback_holds_and_release_brings_back(index, three):
    result = commands.rollback(index.store, three[0])
    assert (result.publication, result.previous, result.entry, result.changed) == (three[0], three[2], 4, True)
    assert len(result.held) == 2
    assert live(index) == {"a"}
    assert not index.publish().changed
    index.add("2024-02-04", "d")
    night = index.publish()
    assert night.publication.startswith("000005-")
    assert live(index) == {"a", "d"}
    assert read_current(index.store).previous == three[0]
    commands.release(index.store, [result.held[0]])
    index.publish()
    assert live(index) == {"a", "b", "d"}
    assert len(commands.release(index.store)) == 1
    index.publish()
    assert live(index) == {"a", "b", "c", "d"}
    assert commands.verify(index.store).ok


def test_a_withdrawn_document_stays_away_in_whatever_run_brings_it(index, three):
    commands.rollback(index.store, three[1])
    index.add("2024-02-03..2024-02-05", "c", "d")  # a run that looks back further lists it again
    index.publish()
    assert live(index) == {"a", "b", "d"}
    assert commands.verify(index.store).ok


def test_a_withdrawn_update_leaves_the_version_before(index, three):
    old = live_in(index.store, open_manifest(index.store))["a"].doc_version
    index.receipt("2024-02-04", index.entry("a", ["other text"], known_from="2024-02-04"))
    index.publish()
    commands.rollback(index.store, three[2])
    index.add("2024-02-05", "d")
    index.publish()
    assert live(index) == {"a", "b", "c", "d"}
    assert live_in(index.store, open_manifest(index.store))["a"].doc_version == old


def test_a_withdrawn_parse_leaves_the_parse_before(index, three):
    texts = [f"a {text}" for text in ("revenue grew by 1.2 percent", "liquidity is enough")]
    old = live_in(index.store, open_manifest(index.store))["a"]
    again = index.entry("a", texts, year=2022)
    assert again["doc_version"] == old.doc_version
    index.receipt("2024-02-04", again)
    index.publish(prefer=again["fingerprints"])
    assert live_in(index.store, open_manifest(index.store))["a"].stages == again["stages"]
    commands.rollback(index.store, three[2])
    index.receipt("2024-02-05", again)
    index.publish(prefer=again["fingerprints"])
    assert live_in(index.store, open_manifest(index.store))["a"].stages == old.stages


def test_rolling_forward_lifts_the_holds_of_what_comes_back(index, three):
    commands.rollback(index.store, three[0])
    result = commands.rollback(index.store, three[1])
    assert len(result.released) == 1
    assert not index.publish().changed
    assert live(index) == {"a", "b"}


def test_rollback_by_default_goes_to_the_parent(index, three):
    assert commands.rollback(index.store).publication == three[1]
    assert commands.rollback(index.store).publication == three[0]
    with pytest.raises(NoPublication, match="first"):
        commands.rollback(index.store)


def test_receipts_that_were_never_published_are_not_held(index, three):
    index.add("2024-02-04", "d")
    commands.rollback(index.store, three[1])
    index.publish()
    assert live(index) == {"a", "b", "d"}


def test_rollback_beaten_by_a_night_starts_again(index, three, monkeypatch):
    switch = rollback.switch

    def beaten(*call):
        monkeypatch.setattr(rollback, "switch", switch)
        index.add("2024-02-04", "d")
        index.publish()
        return switch(*call)

    monkeypatch.setattr(rollback, "switch", beaten)
    result = commands.rollback(index.store, three[0])
    assert result.previous.startswith("000004-")
    assert live(index) == {"a"}
    assert not index.publish().changed
    assert {hold.receipt for hold in holds.active(index.store)} == set(receipts.names(index.store)) - set(
        open_manifest(index.store).receipts
    )


def test_rollback_cut_off_before_the_switch_can_be_undone_and_repeated(index, three, monkeypatch):
    def dies(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(rollback, "switch", dies)
        with pytest.raises(KeyboardInterrupt):
            commands.rollback(index.store, three[1])
    assert live(index) == {"a", "b", "c"}
    assert len(commands.release(index.store)) == 1
    result = commands.rollback(index.store, three[1])
    assert len(result.held) == 1
    assert not index.publish().changed
    assert live(index) == {"a", "b"}


def test_rollback_from_a_damaged_publication(index, three):
    index.store.local_path(manifest.key(three[2])).write_bytes(b"{")
    assert not commands.verify(index.store).ok
    assert commands.rollback(index.store).publication == three[1]
    assert not index.publish().changed


def test_rollback_to_damage_is_refused(index, three):
    old = open_manifest(index.store, three[0])
    index.store.delete(old.segments[0].files[0].path)
    with pytest.raises(PublicationError, match="missing"):
        commands.rollback(index.store, three[0])


def test_rollback_to_nothing(index, three):
    with pytest.raises(NoPublication, match="list"):
        commands.rollback(index.store, "000009-nothing")


def test_release_of_what_is_not_held(index, three):
    with pytest.raises(NotFound, match="not held"):
        commands.release(index.store, ["nothing"])


def test_current_cannot_be_switched_back_unnoticed(index, three):
    """The same publication stands in CURRENT twice, but never the same bytes: a publisher from before notices."""
    before = read_current(index.store)
    commands.rollback(index.store, three[1])
    commands.rollback(index.store, three[2])
    assert read_current(index.store).id == before.id
    with pytest.raises(LostRace):
        current.switch(index.store, before, three[0], "published")


def test_verify_is_clean(index, three):
    found = commands.verify(index.store, three[1])
    assert found.ok
    assert found.files == len(open_manifest(index.store, three[1]).files())
    assert found.documents == 2


def test_verify_names_the_bad_file(index, three):
    good = open_manifest(index.store)
    flipped, cut, gone = (index.store.local_path(file.path) for file in good.segments[0].files[:3])
    data = flipped.read_bytes()
    flipped.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    cut.write_bytes(cut.read_bytes()[:-1])
    gone.unlink()
    problems = commands.verify(index.store).problems
    assert [(p.path, p.what.partition(",")[0]) for p in problems[:3]] == [
        (good.segments[0].files[0].path, "its sha256 is not what the manifest says"),
        (good.segments[0].files[1].path, f"{good.segments[0].files[1].bytes - 1} bytes"),
        (good.segments[0].files[2].path, "it is missing"),
    ]


def test_verify_compares_documents_with_receipts(index, three):
    name = open_manifest(index.store).receipts[1]
    index.store.delete(receipts.key(name))
    assert [p.path for p in commands.verify(index.store).problems] == [receipts.key(name)]


def test_prune(index, three):
    later = time.time() + 100 * 86400
    assert commands.prune(index.store, keep_last=1, keep_days=1000, now=later).publications == ()
    commands.pin(index.store, three[0])
    tried = commands.prune(index.store, keep_last=1, keep_days=30, dry_run=True, now=later)
    done = commands.prune(index.store, keep_last=1, keep_days=30, now=later)
    assert tried.publications == done.publications == (three[1],)
    assert tried.objects == done.objects
    assert tried.bytes == done.bytes > 0
    with pytest.raises(PublicationGone, match="refresh"):
        open_manifest(index.store, three[1])
    assert commands.verify(index.store).ok
    assert commands.verify(index.store, three[0]).ok
    commands.unpin(index.store, three[0])
    commands.prune(index.store, keep_last=1, keep_days=30, now=later)
    assert [p.id for p in commands.list_publications(index.store)] == [three[2]]
    assert commands.verify(index.store).ok
    assert len({key.split("/")[1] for key in index.store.list("segments/")}) == 1


def test_prune_keeps_what_readers_follow(index, three):
    commands.rollback(index.store, three[0])
    commands.prune(index.store, keep_last=0, keep_days=0, now=time.time() + 86400)
    assert [p.id for p in commands.list_publications(index.store)] == [three[0]]
    assert commands.verify(index.store).ok


def test_sweep_removes_what_nobody_names(index, three):
    index.store.put_new("segments/0123456789abcdef-000000000000/units.parquet", b"left by a crash")
    index.store.put_new("publications/000004-000000000000/stats.zip", b"left too")
    made = open_manifest(index.store, three[2])
    lost = manifest.Manifest(**{**vars(made), "stats": None}).numbered(4, three[2])
    index.store.put_new(manifest.key(lost.id), lost.to_bytes())
    assert commands.sweep(index.store, grace_hours=24).objects == ()
    swept = commands.sweep(index.store, grace_hours=1, now=time.time() + 7200)
    assert swept.publications == (lost.id,)
    assert swept.objects == ("segments/0123456789abcdef-000000000000/units.parquet", "publications/000004-000000000000/stats.zip")
    for publication in three:
        assert commands.verify(index.store, publication).ok
