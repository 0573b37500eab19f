"""Reciprocal rank fusion: a worked value, and what must hold for any rankings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from filingforest.query.fuse import Ranking, fuse

order = st.lists(st.integers(0, 20), unique=True, max_size=12)


def test_a_worked_value() -> None:
    fused = fuse([Ranking("a", ["x", "y"]), Ranking("b", ["y"], weight=2.0)])
    assert fused == [("y", pytest.approx(1 / 62 + 2 / 61)), ("x", pytest.approx(1 / 61))]


@given(st.lists(order, max_size=4))
def test_every_key_once_and_scores_fall(orders: list[list[int]]) -> None:
    fused = fuse([Ranking(str(i), keys) for i, keys in enumerate(orders)])
    assert sorted(key for key, _ in fused) == sorted({key for keys in orders for key in keys})
    assert [score for _, score in fused] == sorted((score for _, score in fused), reverse=True)


@given(order)
def test_one_ranking_keeps_its_order(keys: list[int]) -> None:
    assert [key for key, _ in fuse([Ranking("a", keys)])] == keys


@given(order, order)
def test_a_key_first_in_both_is_first(one: list[int], two: list[int]) -> None:
    rankings = [Ranking(str(n), [99, *keys]) for n, keys in enumerate((one, two))]
    assert fuse(rankings)[0][0] == 99


@given(order, order)
def test_the_order_of_rankings_does_not_change_scores(one: list[int], two: list[int]) -> None:
    forth, back = fuse([Ranking("a", one), Ranking("b", two)]), fuse([Ranking("b", two), Ranking("a", one)])
    assert dict(forth) == pytest.approx(dict(back))


@given(order.filter(bool), order)
def test_moving_up_never_lowers_a_score(one: list[int], two: list[int]) -> None:
    key = one[-1]
    before = dict(fuse([Ranking("a", one), Ranking("b", two)]))[key]
    after = dict(fuse([Ranking("a", [key, *one[:-1]]), Ranking("b", two)]))[key]
    assert after >= before
