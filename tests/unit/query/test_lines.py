"""What is stored of a unit's lines, and what a question's words make of them: by hand, and against a reading word by word."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from filingforest import query
from filingforest.lines import LONGEST, lines_of, short_hash
from filingforest.publish.segment import build_segment
from filingforest.query import files
from filingforest.query.lines import UnitLines
from filingforest.query.segment import Segment
from filingforest.terms import term_hash
from filingforest.tokens import is_number, tokenize
from tests.support.corpus import Doc, Unit, publish, table_unit

TABLE = "Net sales 2023 | $12 million | 15\nTotal costs | $3"
PROSE = "Sales grew. Costs of 3 plants fell in no way."


def weighed(**words: float) -> tuple[np.ndarray, np.ndarray]:
    return np.array([short_hash(word) for word in words], "<u4"), np.array(list(words.values()))


def test_a_line_is_a_row_or_a_sentence_with_its_label_first() -> None:
    lines = lines_of(TABLE)
    # "net", "sale" | 2023, 12, million, 15; "total", "cost" | 3
    assert lines.about.tolist() == [[6, 2, 1], [3, 2, 1]]
    wanted = ["net", "sale", "2023", "12", "million", "15", "total", "cost", "3"]
    assert lines.words.tolist() == [term_hash(word) % 2**32 for word in wanted]
    assert lines_of(PROSE).about.tolist() == [[2, 0, 0], [8, 0, 1]]


def test_empty_and_endless_texts_have_lines_too() -> None:
    assert [lines_of(text).about.tolist() for text in ("", " \n\n", "-- | --")] == [[], [], [[0, 0, 0]]]
    assert len(lines_of("cash\n" * (LONGEST + 50)).about) == LONGEST


def test_the_best_line_counts() -> None:
    found = UnitLines.of_texts([TABLE, "", PROSE]).best(*weighed(sale=3.0, cost=1.0))
    # Table: "sale" of 4 covers 3/4, with a number. Its label holds 3/4 of the question; of the label, "sale" weighs 3 and "net", which
    # the question does not say, the mean 2: 3/5. Harmonic mean 2/3. "total cost": 1/4 and 1/3, less.
    assert found[0].tolist() == pytest.approx([0.75, 2 / 3, 0.75])
    assert found[1].tolist() == [0, 0, 0]
    assert found[2].tolist() == pytest.approx([0.75, 0, 0.25])  # the sentence with a number has "cost" only
    assert UnitLines.of_texts([TABLE]).best(*weighed()).tolist() == [[0, 0, 0]]
    assert UnitLines.of_texts([]).best(*weighed(sale=1.0)).shape == (0, 3)


def word_by_word(text: str, weights: dict[str, float]) -> list[float]:
    """The same, from sets of words."""
    total, best = sum(weights.values()), [0.0, 0.0, 0.0]
    for line in text.split("\n"):
        words = set(tokenize(line))
        cover = sum(weights.get(word, 0) for word in words) / total
        label = {w for w in tokenize(line.split(" | ")[0]) if not is_number(w)} if " | " in line else set()
        said = sum(weights.get(word, 0) for word in label)
        match = 0.0
        if said:
            recall, precision = said / total, said / (said + total / len(weights) * len(label - weights.keys()))
            match = 2 * recall * precision / (recall + precision)
        numbered = cover if any(is_number(w) for w in words) else 0.0
        best = [max(a, b) for a, b in zip(best, (cover, match, numbered), strict=True)]
    return best


WORDS = st.sampled_from(["net", "sales", "cost", "2023", "1.2", "(3)", "in", "10-K", "Q3", "公司", "fiscal 2018", "-", "U.S."])
CELLS = st.lists(WORDS, max_size=5).map(" ".join)
TEXTS = st.lists(st.lists(CELLS, min_size=1, max_size=3).map(" | ".join), max_size=5).map("\n".join)
ASKED = st.dictionaries(st.sampled_from(["net", "sale", "cost", "2023", "公司", "10-k", "elsewhere"]), st.floats(0.1, 9), min_size=1)


@settings(max_examples=200, deadline=None)
@given(st.lists(TEXTS, max_size=4), ASKED)
def test_arrays_say_what_words_say(texts: list[str], asked: dict[str, float]) -> None:
    found = UnitLines.of_texts(texts).best(np.array([short_hash(w) for w in asked], "<u4"), np.array(list(asked.values())))
    np.testing.assert_allclose(found, np.array([word_by_word(text, asked) for text in texts]).reshape(-1, 3), rtol=1e-12)


def documents() -> list[Doc]:
    sales = table_unit("Statements of income", ["2023"], {"Net sales": ["12"], "Net income": ["3"]}, "income")
    texts = ["Our backlog grew. Cash of $3 million fell.", "", "-- | --", "Net sales | 2023: 12 | 2022: 11"]
    return [
        Doc("Quince Inc.", 2023, [*(Unit(text) for text in texts), sales], cik="0000000001"),
        Doc("Skyward Co", 2023, [Unit("Net sales of 2023 fell."), sales], cik="0000000002"),
    ]


def test_a_segment_stores_what_its_texts_say(tmp_path: Path) -> None:
    build_segment([doc.input() for doc in documents()], tmp_path)
    segment = Segment(lambda name: tmp_path / name)
    rows = [6, 0, 3, 1, 2, 4, 5, 0]
    texts = [row["text"] for row in segment.read("units", ("text",), rows)]
    stored, made = segment.lines(rows), UnitLines.of_texts(texts)
    assert "Cash" in texts[1]
    for name in ("counts", "about", "words"):
        assert np.array_equal(getattr(stored, name), getattr(made, name))
    assert segment.lines([]).best(*weighed(sale=1.0)).shape == (0, 3)


def test_a_segment_of_before_lines_were_stored_answers_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "is_whole", lambda *_: True)  # such a segment is made here by hand, and its manifest is not
    reader = query.open(publish(tmp_path / "new", [documents()], vectors=True))
    old = Path(publish(tmp_path / "old", [documents()], vectors=True))
    for path in old.rglob("segment.json"):
        about = json.loads(path.read_text())
        del about["lines"]
        path.write_text(json.dumps({**about, "format": 2}).ljust(path.stat().st_size))
    for path in old.rglob("lines.*.npy"):
        path.unlink()
    for question in ("What were Quince's net sales in 2023?", "backlog and cash", "net income"):
        mine, theirs = ([(h.node_id, h.score, h.why) for h in r.query(question).hits] for r in (reader, query.open(str(old))))
        assert mine == theirs
        assert mine
