"""Metrics and tests on rankings small enough to work out by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from filingforest.evaluate.metrics import ndcg, scores
from filingforest.evaluate.significance import interval, paired


def test_a_ranking_worked_out_by_hand() -> None:
    got = scores([None, "a", "a", None, "b"], gold=3, ks=(2, 5))
    assert got["precision@2"] == 0.5
    assert got["recall@2"] == pytest.approx(1 / 3)
    assert got["f1@2"] == pytest.approx(0.4)
    assert got["precision@5"] == pytest.approx(0.6)  # a repeated piece counts for precision
    assert got["recall@5"] == pytest.approx(2 / 3)
    assert got["mrr"] == 0.5
    ideal = 1 + 1 / math.log2(3) + 1 / 2
    assert got["ndcg@10"] == pytest.approx((1 / math.log2(3) + 1 / math.log2(6)) / ideal)


def test_nothing_found() -> None:
    assert set(scores([None] * 15, gold=2).values()) == {0.0}
    assert set(scores([], gold=2).values()) == {0.0}


@given(st.lists(st.one_of(st.none(), st.integers(0, 4)), max_size=20), st.integers(5, 8))
def test_every_metric_is_a_share(found: list[int | None], gold: int) -> None:
    got = scores(found, gold)
    assert all(0 <= value <= 1 for value in got.values())
    assert got["recall@5"] <= got["recall@10"] <= got["recall@15"]


def test_perfect_order_is_one() -> None:
    assert ndcg(["a", "b"], 2) == pytest.approx(1.0)


def test_paired_test_by_hand() -> None:
    same = paired([0.5, 1.0], [0.5, 1.0])
    assert (same.mean, same.p) == (0.0, 1.0)
    better = paired([1.0] * 12, [0.0] * 12)  # 2 of 4,096 sign patterns are as far from zero
    assert better.mean == 1.0
    assert better.p < 0.005


def test_intervals_hold_the_mean_and_can_be_repeated() -> None:
    low, high = interval([0.0, 1.0, 1.0, 0.0, 1.0])
    assert low < 0.6 < high
    assert interval([0.0, 1.0, 1.0, 0.0, 1.0]) == (low, high)
