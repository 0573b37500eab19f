"""Chunks of whole units: sizes worked out by hand, and nothing lost for any input."""

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from filingforest.trees.chunks import Unit, build_chunks, cut


def _units(*tokens: int) -> list[Unit]:
    return [Unit(f"u{i}", "10-K:I.1", f"text {i}", n) for i, n in enumerate(tokens)]


def _keys(runs: list[list[Unit]]) -> list[list[str]]:
    return [[u.unit_key for u in run] for run in runs]


def test_chunks_share_the_tail_that_fits_into_the_overlap() -> None:
    # 900 + 900 + 80 = 1,880; the next 300 do not fit; the tail of at most 100 tokens is u2 (80)
    assert _keys(list(cut(_units(900, 900, 80, 300), 2000, 100))) == [["u0", "u1", "u2"], ["u2", "u3"]]


def test_a_giant_unit_is_a_chunk_of_its_own() -> None:
    assert _keys(list(cut(_units(100, 5000, 100), 2000, 100))) == [["u0"], ["u1"], ["u2"]]


def test_one_unit_and_none() -> None:
    assert _keys(list(cut(_units(10), 2000, 100))) == [["u0"]]
    assert list(cut([], 2000, 100)) == []


@given(st.lists(st.integers(0, 3000), max_size=40), st.integers(1, 2000), st.integers(0, 300))
def test_every_unit_is_covered_in_order_and_no_chunk_is_only_overlap(tokens: list[int], target: int, overlap: int) -> None:
    runs = list(cut(_units(*tokens), target, overlap))
    seen: list[int] = []
    for run in runs:
        places = [int(u.unit_key[1:]) for u in run]
        assert places == list(range(places[0], places[-1] + 1))
        assert sum(u.tokens for u in run) <= target or len(run) == 1
        new = [p for p in places if not seen or p > seen[-1]]
        assert new
        assert not seen or new[0] == seen[-1] + 1
        seen += new
    assert seen == list(range(len(tokens)))


def test_chunks_never_cross_an_item() -> None:
    rows = [
        {"clause_id": 0, "kind": "item", "unit_key": None, "item_key": "10-K:I.1", "text": None, "token_count": 0},
        {"clause_id": 1, "kind": "text", "unit_key": "a", "item_key": "10-K:I.1", "text": "Alpha.", "token_count": 1},
        {"clause_id": 3, "kind": "text", "unit_key": "c", "item_key": "10-K:I.2", "text": "Gamma.", "token_count": 1},
        {"clause_id": 2, "kind": "table", "unit_key": "b", "item_key": "10-K:I.1", "text": "Beta.", "token_count": 1},
    ]
    chunks = build_chunks("doc", pa.Table.from_pylist(rows)).to_pylist()
    assert [(c["chunk_id"], c["unit_keys"], c["text"]) for c in chunks] == [
        ("doc~10-K:I.1~0000", ["a", "b"], "Alpha.\n\nBeta."),
        ("doc~10-K:I.2~0000", ["c"], "Gamma."),
    ]
