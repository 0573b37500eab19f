"""The four weightings on counts 3, 1 and 0, worked out by hand."""

import math

import pytest

from filingforest.query.arms.weights import WEIGHTINGS, item_weights

COUNTS = {"7": 3.0, "8": 1.0, "1": 0.0}


def test_relative() -> None:
    assert item_weights(COUNTS) == {"7": 0.75, "8": 0.25, "1": 0.0}


def test_logarithmic_is_flatter() -> None:
    # ln 4 : ln 2 = 2 : 1
    assert item_weights(COUNTS, "logarithmic")["7"] == pytest.approx(2 / 3)


def test_softmax_at_a_temperature_of_one_half() -> None:
    assert item_weights(COUNTS, "softmax", 0.5)["7"] == pytest.approx(1 / (1 + math.exp(-1)))


def test_exponential_is_sharper() -> None:
    high, low = math.exp(3) - 1, math.exp(1) - 1
    assert item_weights(COUNTS, "exponential", 4.0)["7"] == pytest.approx(high / (high + low))


def test_per_thousand_tokens_a_short_item_wins() -> None:
    # 3 in 30,000 tokens is 0.1; 1 in 1,000 is 1
    assert item_weights(COUNTS, tokens={"7": 30_000, "8": 1_000, "1": 10})["8"] == pytest.approx(10 / 11)


@pytest.mark.parametrize("how", WEIGHTINGS)
def test_no_counts_no_weights(how: str) -> None:
    assert item_weights({"7": 0.0, "8": 0.0}, how) == {"7": 0.0, "8": 0.0}
    assert sum(item_weights(COUNTS, how).values()) == pytest.approx(1)
