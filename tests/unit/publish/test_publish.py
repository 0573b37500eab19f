"""A publication is a function of the set of receipts: in any order, any number of times, the same content."""

from __future__ import annotations

import itertools
import json

import pytest

from filingforest import current, manifest
from filingforest.config import Settings
from filingforest.current import open_manifest, read_current
from filingforest.errors import ChecksFailed, Corrupt, NoPublication, PublicationError, SchemaTooNew
from filingforest.publish import receipts
from filingforest.publish.members import live_in
from filingforest.store_folder import FolderStore
from tests.support.tiny_index import TinyEmbedder, TinyIndex


@pytest.fixture
def index(tmp_path) -> TinyIndex:
    return TinyIndex(FolderStore(tmp_path / "filings"))


def live(index: TinyIndex) -> set[str]:
    return set(live_in(index.store, open_manifest(index.store)))


def snapshot(index: TinyIndex) -> dict[str, tuple[int, float]]:
    return {key: (s.size, s.modified) for key in index.store.list("") if (s := index.store.stat(key))}


def test_nothing_to_publish(index):
    result = index.publish()
    assert (result.publication, result.changed) == (None, False)
    with pytest.raises(NoPublication):
        open_manifest(index.store)


def test_first_publication(index):
    receipt = index.add("2024-02-01", "a", "b")
    result = index.publish(run={"dag_run": "manual"})
    made = open_manifest(index.store)
    assert result.changed
    assert made.id == result.publication == f"000001-{made.content_hash()}"
    assert read_current(index.store).entry == 1
    assert made.counts == {"documents": 2, "units": 4, "facts": 0, "nodes": 8, "chunks": 2}
    assert made.receipts == (receipt,)
    assert made.segments[0].ciks == ("0000000001",)
    assert (made.segments[0].min_year, made.segments[0].max_year) == (2023, 2023)
    assert made.run["dag_run"] == "manual"
    assert all(check["ok"] for check in made.report["checks"])
    assert index.store.get("CURRENT").decode().splitlines() == [made.id, '{"entry": 1, "previous": null, "reason": "published"}']


def test_publishing_again_writes_nothing(index):
    index.add("2024-02-01", "a")
    first = index.publish()
    before = snapshot(index)
    index.add("2024-02-01", "a")
    second = index.publish()
    assert (second.publication, second.changed, second.counts) == (first.publication, False, first.counts)
    assert snapshot(index) == before


def test_a_receipt_that_brings_nothing_new_publishes_nothing(index):
    index.add("2024-02-01", "a")
    first = index.publish()
    index.add("2024-02-02", "a")
    assert not index.publish().changed
    assert read_current(index.store).id == first.publication


@pytest.mark.parametrize("order", itertools.permutations(range(3)))
def test_any_order_of_nights_ends_in_the_same_content(index, order):
    nights = [("2024-02-01", "a"), ("2024-02-02", "b"), ("2024-02-03", "c")]
    for n in order:
        index.add(*nights[n])
        index.publish()
    hashes = open_manifest(index.store).id.partition("-")[2]
    assert live(index) == {"a", "b", "c"}
    assert hashes == _content_of(nights, index)


def _content_of(nights, index) -> str:
    other = TinyIndex(FolderStore(index.store.root.parent / "other" / "filings"))
    for night in nights:
        other.add(*night)
    return other.publish().publication.partition("-")[2]


def test_the_newest_version_of_a_document_is_live(index):
    old = index.entry("a", ["first text"], known_from="2024-02-01")
    new = index.entry("a", ["second text"], known_from="2024-03-01")
    index.receipt("2024-03-01", new)
    index.receipt("2024-02-01", old)
    index.publish()
    assert live_in(index.store, open_manifest(index.store))["a"].doc_version == new["doc_version"]


def test_the_outcome_of_todays_stages_is_live(index):
    entries = [index.entry("a", ["same text"]), {**index.entry("a", ["same text"], year=2022)}]
    for n, entry in enumerate(entries):
        index.receipt(f"2024-02-0{n + 1}", entry)
    for entry in entries:
        index.publish(prefer=entry["fingerprints"])
        assert live_in(index.store, open_manifest(index.store))["a"].stages == entry["stages"]


def test_segments_and_model_are_shared(index):
    index.add("2024-02-01", "a")
    one = open_manifest(index.store, index.publish().publication)
    index.add("2024-02-02", "b")
    two = open_manifest(index.store, index.publish().publication)
    assert one.model == two.model
    assert two.parent == one.id
    assert two.id.startswith("000002-")


def test_orphans_keep_yesterdays_publication(index):
    index.add("2024-02-01", "a")
    first = index.publish()
    index.add("2024-02-02", "b", orphan=True)
    with pytest.raises(ChecksFailed, match=r"orphan_nodes: 2 rows.*b#1\.1 b#gone") as caught:
        index.publish()
    assert {f["name"] for f in caught.value.report if not f["ok"]} == {"orphan_nodes"}
    assert read_current(index.store).id == first.publication


def test_missing_documents_are_a_warning(index):
    index.receipt("2024-02-01", index.entry("a", ["text"]), expected=3)
    result = index.publish()
    assert result.changed
    [warning] = result.warnings
    assert warning.startswith("expected_documents: 1 rows")
    assert warning.endswith("(edgar 2024-02-01 3 1)")


def test_a_damaged_stage_output_is_named(index):
    receipt = index.entry("a", ["text"])
    key = receipt["stages"]["parsed"]
    data = index.store.get(key)
    index.store.delete(key)
    index.store.put_new(key, data[: len(data) // 2])
    index.receipt("2024-02-01", receipt)
    with pytest.raises(Corrupt, match=r"a \(stages/parsed/a/"):
        index.publish()
    assert read_current(index.store) is None


def test_vectors_of_another_model_are_refused(index):
    index.add("2024-02-01", "a")
    index.embedder = TinyEmbedder(revision="r2")
    with pytest.raises(PublicationError, match=r"r1.*r2"):
        index.publish()


def test_a_missing_file_of_the_current_publication_is_written_again(index):
    index.add("2024-02-01", "a")
    first = index.publish()
    entry = open_manifest(index.store).segments[0].files[0]
    data = index.store.get(entry.path)
    index.store.delete(entry.path)
    assert not index.publish().changed
    assert index.store.get(entry.path) == data
    assert read_current(index.store).id == first.publication


def test_a_cut_file_is_replaced(index):
    index.add("2024-02-01", "a")
    index.publish()
    entry = open_manifest(index.store).segments[0].files[0]
    data = index.store.get(entry.path)
    index.store.local_path(entry.path).write_bytes(data[:10])
    index.publish()
    assert index.store.get(entry.path) == data


def test_a_newer_manifest_is_not_published_over(index):
    index.add("2024-02-01", "a")
    made = open_manifest(index.store, index.publish().publication)
    document = json.loads(made.to_bytes())
    document["schema"]["min_reader"] = 99
    key = manifest.key("000002-newer")
    index.store.put_new(key, json.dumps(document).encode())
    current.switch(index.store, read_current(index.store), "000002-newer", "published")
    index.add("2024-02-02", "b")
    with pytest.raises(SchemaTooNew, match="pip install --upgrade"):
        index.publish()


def test_past_entries_are_kept(index):
    for day, doc in (("2024-02-01", "a"), ("2024-02-02", "b")):
        index.add(day, doc)
        index.publish()
    first = current.parse(index.store.get(current.history_key(1)))
    assert first.id.startswith("000001-")
    assert read_current(index.store).previous == first.id


def test_a_receipt_deleted_by_hand_cannot_empty_a_year_unseen(index):
    index.add("2024-02-01", "a")
    name = index.add("2020-02-01", "b", year=2019)
    first = index.publish().publication
    index.store.delete(receipts.key(name))
    with pytest.raises(ChecksFailed, match=r"forms_lost: 1 rows, of a form and year .*max_lost_share = 1 allows it\) \(10-K 2019 1 0\)"):
        index.publish()
    assert read_current(index.store).id == first
    index.settings = Settings.from_dict({"publish.max_lost_share": 1.0})
    index.publish()
    assert live(index) == {"a"}
