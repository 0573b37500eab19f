"""How documents are cut into segments: few segments, few copies, the same for the same past and the same documents."""

from __future__ import annotations

import math
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from filingforest.manifest import SegmentEntry
from filingforest.publish.layout import Held, Layout, Limits, claim, plan
from filingforest.publish.ledger import Placed
from filingforest.publish.receipts import ReceiptEntry
from filingforest.publish.summary import Summary

LIMITS = Limits(floor=100, ratio=4, dead_share=0.2, ceiling=10_000)


def placed(name: str, units: int, version: str = "1") -> Placed:
    return Placed(ReceiptEntry(name, version, stages={"parsed": f"stages/parsed/{name}/{version}.x.zip"}), Summary(units=units))


def held(name: str, *units: int, dead: int = 0) -> Held:
    """A segment of documents of so many units, the first `dead` of which are not live any more."""
    documents = [placed(f"{name}{n}", count) for n, count in enumerate(units)]
    entry = SegmentEntry(name, len(units), sum(units), ())
    return Held(entry, documents, frozenset(p.entry.doc_id for p in documents[dead:]))


def names(layout: Layout) -> tuple[list[str], list[list[str]], int | None]:
    return [h.entry.id for h in layout.kept], [[h.entry.id for h in group] for group in layout.merged], layout.new


def test_the_first_night():
    assert names(plan([], 30, LIMITS)) == ([], [[]], 0)
    assert names(plan([], None, LIMITS)) == ([], [], None)


def test_small_segments_are_merged_with_what_is_new():
    assert names(plan([held("a", 60)], 30, LIMITS)) == ([], [["a"]], 0)
    assert names(plan([held("a", 60), held("b", 10)], None, LIMITS)) == ([], [["a", "b"]], None)


def test_a_large_segment_stays_and_what_is_new_stands_beside_it():
    assert names(plan([held("a", 100)], 30, LIMITS)) == (["a"], [[]], 0)
    assert names(plan([held("a", 100), held("b", 40)], 30, LIMITS)) == (["a"], [["b"]], 0)


def test_a_full_tier_is_merged_and_may_fill_the_next():
    three = [held(name, 120) for name in "abc"]
    assert names(plan(three, None, LIMITS)) == (["c", "b", "a"], [], None)
    assert names(plan([*three, held("d", 70)], 50, LIMITS)) == ([], [["a", "b", "c", "d"]], 0)
    above = [held(name, 420) for name in "uvw"]
    assert names(plan([*three, *above], 150, LIMITS)) == ([], [["a", "b", "c", "u", "v", "w"]], 0)


def test_nothing_is_merged_beyond_the_ceiling():
    assert names(plan([held(name, 9_000) for name in "abcd"], None, LIMITS))[0] == ["d", "c", "b", "a"]


def test_a_worn_segment_is_written_again_and_a_dead_one_goes():
    assert names(plan([held("a", 50, 450, dead=1)], None, LIMITS)) == (["a"], [], None)
    assert names(plan([held("a", 150, 450, dead=1)], None, LIMITS)) == ([], [["a"]], None)
    assert names(plan([held("a", 150, dead=1)], None, LIMITS)) == ([], [], None)
    assert names(plan([held("a", 10, 50, dead=1)], None, LIMITS)) == ([], [["a"]], None)  # small ones never keep a mask


def test_what_is_live_stays_where_it_is():
    old, new = placed("a", 5), placed("a", 5, "2")
    segments = [(SegmentEntry("s", 2, 10, (), dead=("a",)), [old, placed("b", 5)]), (SegmentEntry("t", 1, 5, ()), [new])]
    found, fresh = claim(segments, [new.entry, placed("b", 5).entry, placed("c", 1).entry])
    assert [sorted(h.live) for h in found] == [["b"], ["a"]]
    assert [h.dead for h in found] == [("a",), ()]
    assert [entry.doc_id for entry in fresh] == ["c"]


def test_a_document_that_comes_back_is_unmasked_not_built_again():
    segments = [(SegmentEntry("s", 2, 10, (), dead=("a",)), [placed("a", 5), placed("b", 5)])]
    found, fresh = claim(segments, [placed("a", 5).entry, placed("b", 5).entry])
    assert found[0].dead == ()
    assert fresh == []


def test_of_two_copies_the_live_one_is_taken():
    twin = placed("a", 5)
    segments = [(SegmentEntry("s", 1, 5, (), dead=("a",)), [twin]), (SegmentEntry("t", 1, 5, ()), [twin])]
    assert [sorted(h.live) for h in claim(segments, [twin.entry])[0]] == [[], ["a"]]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 90), st.floats(0, 0.3)), min_size=1, max_size=60), st.randoms(use_true_random=False))
def test_nights(nights, random):
    """Whatever nights bring and replace: each live document in one segment, few segments, and the plan is a function of its inputs."""
    segments: list[Held] = []
    copied = total = 0
    for number, (units, share) in enumerate(nights):
        entries = [p.entry for h in segments for p in h.placed if p.entry.doc_id in h.live]
        entries = [entry for entry in entries if random.random() > share] or entries
        found, _ = claim([(replace(h.entry, dead=h.dead), h.placed) for h in segments], entries)
        layout = plan(found, units, LIMITS)
        assert layout == plan(list(reversed(found)), units, LIMITS)
        fresh = [placed(f"n{number}", units)]
        segments = list(layout.kept)
        for i, group in enumerate(layout.merged):
            documents = [p for h in group for p in h.placed if p.entry.doc_id in h.live] + (fresh if i == layout.new else [])
            size = sum(p.summary.units for p in documents)
            copied += size
            segments.append(Held(SegmentEntry(f"{number}.{i}", 1, size, ()), documents, frozenset(p.entry.doc_id for p in documents)))
        live = [doc_id for h in segments for doc_id in h.live]
        assert sorted(live) == sorted([*(entry.doc_id for entry in entries), f"n{number}"])
        total += units
        tiers = 1 + max(0, math.ceil(math.log(max(1, total / LIMITS.floor), LIMITS.ratio)))
        assert len(segments) <= 1 + (LIMITS.ratio - 1) * tiers
        assert all(
            sum(p.summary.units for p in h.placed) * LIMITS.dead_share >= sum(p.summary.units for p in h.placed) - h.units for h in segments
        )
