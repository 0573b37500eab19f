"""Budgets worked out by hand, and what must hold for all of them."""

from hypothesis import given
from hypothesis import strategies as st

from filingforest.query.arms.budget import split_budget

MANY = {"1": 100, "1A": 100, "7": 100, "8": 100}


def test_largest_remainders_get_the_rest() -> None:
    # quotas of 10: 4.7, 2.3, 1.6, 1.4 -> 4 + 2 + 1 + 1 = 8; remainders .7 and .6 take the last two
    assert split_budget(10, {"7": 0.47, "8": 0.23, "1": 0.16, "1A": 0.14}, MANY) == {"7": 5, "8": 2, "1": 2, "1A": 1}


def test_an_item_without_weight_is_not_walked() -> None:
    assert split_budget(5, {"7": 1.0, "8": 0.0}, MANY) == {"7": 5}


def test_what_an_item_cannot_take_passes_on() -> None:
    # 7 has two leaves only; its other four of six pass to 8 and 1 by 3 : 1
    assert split_budget(10, {"7": 0.6, "8": 0.3, "1": 0.1}, {"7": 2, "8": 50, "1": 50}) == {"7": 2, "8": 6, "1": 2}


def test_nothing_to_split() -> None:
    assert split_budget(0, {"7": 1.0}, MANY) == {}
    assert split_budget(5, {}, MANY) == {}
    assert split_budget(5, {"7": 1.0}, {}) == {}


items = st.dictionaries(st.sampled_from([f"i{n}" for n in range(12)]), st.floats(0, 1e6, allow_subnormal=False), max_size=12)


@given(st.integers(0, 60), items, st.data())
def test_sums_caps_and_order(k: int, weights: dict[str, float], data: st.DataObject) -> None:
    leaves = {item: data.draw(st.integers(0, 30)) for item in weights}
    out = split_budget(k, weights, leaves)
    weighted = [item for item in weights if weights[item] > 0 and leaves[item] > 0]
    assert sum(out.values()) == min(k, sum(leaves[item] for item in weighted))
    assert set(out) <= set(weighted)
    assert all(0 < out[item] <= leaves[item] for item in out)
    for a in weighted:
        for b in weighted:
            if weights[a] > weights[b] and leaves[a] > out.get(a, 0):
                assert out.get(a, 0) >= out.get(b, 0)
