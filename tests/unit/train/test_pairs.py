"""Pairs for the encoder: what they are made of, and figures worked out by hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from filingforest.errors import ConfigError
from filingforest.evaluate.questions import Question, held_out
from filingforest.models.base import Vectors
from filingforest.query.features import NAMES
from filingforest.train.examples import Example
from filingforest.train.pairs import by_meaning, correlation, example_pairs, read_definitions, split_pairs


def example(gold: Sequence[bool]) -> Example:
    names = [f"p{i}" for i in range(len(gold))]
    question = Question("1", "What of Quince?", frozenset({"d u"}), "numeric", "Quince")
    pieces = ["d u" if flag else None for flag in gold]
    return Example(question, "what?", np.zeros((len(gold), len(NAMES)), np.float32), names, names, np.array(gold), pieces)


def test_a_question_goes_with_its_best_placed_gold_unit() -> None:
    assert example_pairs([example([False, True, True]), example([False, False])]) == [("what?", "p1")]


def test_the_order_by_meaning_is_by_cosine() -> None:
    vectors = {"what?": [1.0, 0.0], "p0": [0.0, 1.0], "p1": [0.6, 0.8], "p2": [1.0, 0.0]}

    def encode(texts: Sequence[str]) -> Vectors:
        return np.array([vectors[text] for text in texts], dtype=np.float32)

    assert by_meaning(encode, [example([True, False, False])])[0].tolist() == pytest.approx([0.0, 0.6, 1.0])


def test_terms_that_lie_on_their_definitions_correlate_wholly() -> None:
    eye = np.eye(40, dtype=np.float32)
    found = correlation(eye, eye)
    assert found == {"pearson": pytest.approx(1.0), "spearman": pytest.approx(1.0)}


def test_definitions_are_split_by_term(tmp_path: Path) -> None:
    file = tmp_path / "terms.csv"
    file.write_text("term,definition,source\n" + "".join(f"term{i},means {i},x\n" for i in range(50)) + "empty,,x\n")
    pairs = read_definitions(file)
    learn, held = split_pairs(pairs)
    assert len(pairs) == 50 and len(learn) + len(held) == 50
    assert all(held_out(term) for term, _ in held) and not any(held_out(term) for term, _ in learn)
    file.write_text("word,meaning\na,b\n")
    with pytest.raises(ConfigError, match="no terms with definitions"):
        read_definitions(file)
