"""The tokenizer decides what can be found: each case here is a spelling that off-the-shelf analysers lose."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from filingforest.tokens import count_tokens, is_number, tokenize

CASES = [
    ("Net sales were $391,035 million", ["net", "sale", "were", "391035", "million"]),
    ("$1.2 and 2.5%", ["1.2", "and", "2.5"]),
    ("Form 10-K, 10K, 10-Q/A, 20-F, S-1", ["form", "10-k", "10-k", "10-q/a", "20-f", "s-1"]),
    ("Item 1A, Section 7.3(b)", ["item", "1a", "section", "7.3", "b"]),
    ("FY2018 FY18 fiscal 2024", ["2018", "2018", "2024"]),
    ("Q3 3Q Q3'24 3Q2024", ["q3", "q3", "q3", "2024", "q3", "2024"]),
    ("Acme's 3M's companies\u2019 taxes", ["acme", "3m", "company", "tax"]),
    ("R&D, PP&E and the U.S.", ["r&d", "pp&e", "and", "the", "us"]),
    ("operating operations", ["operating", "operation"]),
    ("第十条 投资者", ["第十", "十条", "投资", "资者"]),
    ("债", ["债"]),
    ("chứng khoán", ["chứng", "khoán"]),
    ("year-over-year non\u2011GAAP", ["year", "over", "year", "non", "gaap"]),
    ("", []),
]


@pytest.mark.parametrize(("text", "tokens"), CASES)
def test_tokens(text: str, tokens: list[str]) -> None:
    assert tokenize(text) == tokens


def test_decomposed_text_gives_the_same_tokens() -> None:
    assert tokenize("chu\u031b\u0301ng") == tokenize("ch\u1ee9ng")


def test_counter_counts_words_signs_and_cjk_characters() -> None:
    assert count_tokens("Net sales: $12.") == 6  # Net, sales, ":", "$", 12, "."
    assert count_tokens("第十条") == 3


def test_bare_numbers() -> None:
    assert is_number("391035")
    assert is_number("1.2")
    assert not is_number("10-k")
    assert not is_number("q3")


@given(st.text(max_size=200))
def test_any_text_gives_lower_case_tokens_without_spaces(text: str) -> None:
    tokens = tokenize(text)
    assert all(token and not any(c.isspace() for c in token) for token in tokens)


@given(st.lists(st.sampled_from(["net", "sale", "2024", "10-k", "revenue"]), max_size=20))
def test_plain_tokens_survive_a_second_pass(words: list[str]) -> None:
    assert tokenize(" ".join(words)) == words


@given(st.from_regex(r"[a-z]{1,12}", fullmatch=True))
def test_what_follows_a_word_does_not_change_it(word: str) -> None:
    if word not in ("fy", "fiscal"):
        assert tokenize(f"{word} sale") == tokenize(f"{word}! sale") == tokenize(f"{word}\u2014sale")
