"""Receipts are named by their content; holds are written once and lifted by a mark."""

from __future__ import annotations

import pytest

from filingforest.errors import Corrupt, NotFound
from filingforest.publish import holds, receipts
from filingforest.publish.holds import Hold, Withdrawn
from filingforest.store_folder import FolderStore

ENTRIES = [
    {
        "doc_id": "b",
        "doc_version": "2",
        "known_from": "2024-02-01",
        "stages": {"parsed": "k2"},
        "fingerprints": {"parsed": "f"},
        "ref": {"url": "u"},
    },
    {
        "doc_id": "a",
        "doc_version": "1",
        "known_from": "2024-02-01",
        "stages": {"parsed": "k1"},
        "fingerprints": {"parsed": "f"},
        "ref": {"url": "u"},
    },
]


@pytest.fixture
def store(tmp_path):
    return FolderStore(tmp_path)


def test_the_same_run_leaves_the_same_receipt(store):
    one = receipts.write_receipt(store, "edgar", "2024-02-01", ENTRIES, 2)
    assert receipts.write_receipt(store, "edgar", "2024-02-01", ENTRIES[::-1], 2) == one
    more = receipts.write_receipt(store, "edgar", "2024-02-01", ENTRIES[:1], 2)
    assert receipts.names(store) == sorted([one, more])
    assert one.startswith("edgar.2024-02-01.")
    assert [entry.doc_id for entry in receipts.load(store, one).documents] == ["a", "b"]


def test_any_interval_makes_a_safe_name(store):
    name = receipts.write_receipt(store, "folder", "../../etc/passwd année 2024" + "x" * 300, [], 0)
    assert receipts.load(store, name).interval.startswith("../../etc")
    assert "/" not in name


def test_a_changed_receipt_is_found(store):
    name = receipts.write_receipt(store, "edgar", "2024-02-01", ENTRIES, 2)
    path = store.local_path(receipts.key(name))
    path.write_bytes(path.read_bytes().replace(b'"k1"', b'"k9"'))
    with pytest.raises(Corrupt, match=name):
        receipts.load(store, name)
    path.write_bytes(b"[]")
    with pytest.raises(Corrupt, match="run its interval again"):
        receipts.load_many(store, [name])


def test_holds_are_lifted_by_receipt_or_name(store):
    one, two = Hold("r1", 3, "p", (Withdrawn("a", "1"),)), Hold("r2", 3, "p", (Withdrawn("b", "1", {"parsed": "k"}),))
    for hold in (one, two):
        assert holds.place(store, hold) == hold
        assert holds.place(store, hold) == hold
    assert holds.active(store) == [one, two]
    assert holds.release(store, ["r1"]) == [one]
    assert holds.release(store, ["r2.000003"]) == [two]
    assert holds.active(store) == []
    assert holds.release(store) == []
    with pytest.raises(NotFound, match="r1"):
        holds.release(store, ["r1"])
    assert holds.load(store, "r1.000003") == one


def test_a_hold_after_a_release_has_a_name_of_its_own(store):
    hold = Hold("r1", 3, "p")
    holds.place(store, hold)
    holds.release(store)
    again = holds.place(store, hold)
    assert again.name == "r1.000003.1"
    assert holds.active(store) == [again]
