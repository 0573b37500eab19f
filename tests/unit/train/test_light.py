"""The light tier learns what tells gold apart, keeps hybrid's order when it learns nothing, and is the same each time."""

from __future__ import annotations

import numpy as np

from filingforest.evaluate.questions import Question
from filingforest.query.features import NAMES
from filingforest.query.rerank import light_weights
from filingforest.train.examples import Example
from filingforest.train.light import TRUST, judge, learn, start


def example(gold: int, seed: int) -> Example:
    """Gold is the candidate whose best line is best, wherever hybrid puts it."""
    columns = np.random.default_rng(seed).random((10, len(NAMES))).astype(np.float32)
    columns[:, 0] = np.linspace(1, 0.1, 10)
    columns[:, -1] = 0.0
    columns[gold, NAMES.index("best_line")] = 3.0
    flags = np.arange(10) == gold
    question = Question(str(seed), "?", frozenset({"d u"}), "numeric", "Quince")
    return Example(question, "?", columns, ["text"] * 10, ["text"] * 10, flags, ["d u" if flag else None for flag in flags])


def test_it_finds_the_column_that_matters() -> None:
    examples = [example(seed % 10, seed) for seed in range(30)]
    weights = learn(examples)
    assert 1 + int(np.argmax(np.abs(weights[1:-1]))) == NAMES.index("best_line")
    assert np.array_equal(weights, learn(examples))
    before = np.mean([row["mrr"] for row in judge(examples, [e.columns @ start() for e in examples])])
    after = np.mean([row["mrr"] for row in judge(examples, [e.columns @ weights for e in examples])])
    assert after > 0.95 > before


def test_without_examples_the_order_is_hybrids() -> None:
    weights = learn([])
    assert weights[0] == start()[0] and weights[-1] == TRUST


def test_what_ships_weighs_every_column() -> None:
    assert light_weights().shape == (len(NAMES),)
    assert light_weights()[NAMES.index("fused_known")] == TRUST
