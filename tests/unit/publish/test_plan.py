"""Which documents are live depends on the set of receipts and holds alone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from filingforest.publish.holds import Hold, Withdrawn
from filingforest.publish.plan import digest_of, live_documents
from filingforest.publish.receipts import Receipt, ReceiptEntry

entries = st.builds(
    ReceiptEntry,
    doc_id=st.sampled_from("abc"),
    doc_version=st.sampled_from(["1", "2"]),
    known_from=st.sampled_from(["2024-01-01", "2024-01-02"]),
    stages=st.sampled_from([{"parsed": "x"}, {"parsed": "y"}]),
    fingerprints=st.sampled_from([{"parsed": "old"}, {"parsed": "new"}]),
)
receipt_sets = st.lists(
    st.builds(Receipt, st.just("edgar"), st.sampled_from(["d1", "d2", "d3"]), st.just(1), st.lists(entries, max_size=3).map(tuple)),
    max_size=4,
)


@given(receipt_sets, st.randoms())
def test_order_does_not_matter(found, random):
    named = [(receipt.name, receipt) for receipt in found]
    shuffled = random.sample(named, len(named))
    live = live_documents(dict(named), [], {"parsed": "new"})
    assert live == live_documents(dict(shuffled), [], {"parsed": "new"})
    assert digest_of(live, "s") == digest_of(random.sample(live, len(live)), "s")
    assert [entry.doc_id for entry in live] == sorted({entry.doc_id for receipt in found for entry in receipt.documents})


@given(receipt_sets, st.data())
def test_what_is_held_is_not_live(found, data):
    named = {receipt.name: receipt for receipt in found}
    held = data.draw(st.lists(st.sampled_from(sorted(named)), unique=True) if named else st.just([]))
    holds = [Hold(name, 1, "x", tuple(Withdrawn(e.doc_id, e.doc_version) for e in named[name].documents)) for name in held]
    withdrawn = {(e.doc_id, e.doc_version) for name in held for e in named[name].documents}
    assert not withdrawn & {(e.doc_id, e.doc_version) for e in live_documents(named, holds)}


def test_the_newest_wins():
    old, new = ReceiptEntry("a", "9", "2024-01-01"), ReceiptEntry("a", "1", "2024-01-02")
    assert live_documents({"r": Receipt("edgar", "d", 2, (new, old))}, []) == [new]
    twin = ReceiptEntry("a", "2", "2024-01-02")
    assert live_documents({"r": Receipt("edgar", "d", 2, (twin, new))}, []) == [twin]


def test_of_one_version_the_outcome_of_todays_stages_wins():
    old = ReceiptEntry("a", "1", "d", {"parsed": "z"}, {"parsed": "old"})
    new = ReceiptEntry("a", "1", "d", {"parsed": "a"}, {"parsed": "new"})
    found = {"r": Receipt("edgar", "d", 2, (new, old))}
    assert live_documents(found, [], {"parsed": "new"}) == [new]
    assert live_documents(found, [], {"parsed": "old"}) == [old]


def test_a_hold_on_an_outcome_leaves_the_other():
    kept, bad = ReceiptEntry("a", "1", "d", {"parsed": "good"}), ReceiptEntry("a", "1", "d", {"parsed": "zzz"})
    found = {
        "one": Receipt("edgar", "d1", 1, (kept,)),
        "two": Receipt("edgar", "d2", 1, (bad,)),
        "three": Receipt("edgar", "d3", 1, (bad,)),
    }
    hold = Hold("two", 1, "x", (Withdrawn("a", "1", {"parsed": "zzz"}),))
    assert live_documents(found, [hold]) == [kept]


def test_digest_covers_outcomes_and_settings():
    entry = ReceiptEntry("a", "1", "d", {"parsed": "x"})
    assert digest_of([entry], "s") != digest_of([entry], "t")
    assert digest_of([entry], "s") != digest_of([ReceiptEntry("a", "1", "d", {"parsed": "y"})], "s")
