"""Terms found in prose, worked out by hand."""

from pathlib import Path

import pytest

from filingforest.errors import ConfigError
from filingforest.flam.count import TermCounter
from filingforest.flam.lexicon import build_lexicon, load_lexicon

LEXICON = build_lexicon(
    iter([["revenue", "net sales", "sales"], ["net income"], ["income"], ["capital ratio", "CET1"], ["research and development", "R&D"]])
)


def test_the_longest_spelling_wins_and_neighbours_both_count() -> None:
    found = TermCounter(LEXICON).find("Net sales, net income and income; R&D income rose, CET1 too. Sales sales.")
    assert found == ["revenue", "net income", "income", "research and development", "income", "capital ratio", "revenue", "revenue"]


def test_case_and_plurals_are_folded() -> None:
    assert TermCounter(LEXICON).count(["NET  SALES", "Capital ratios", "outcome"]) == {"revenue": 1, "capital ratio": 1}


def test_no_term_across_two_texts() -> None:
    assert TermCounter(LEXICON).count(["the net", "sales of the year"]) == {"revenue": 1}
    assert TermCounter(build_lexicon(iter([]))).find("net sales") == []


def test_the_shipped_lexicon_is_large_and_tells_pairs_apart() -> None:
    lexicon = load_lexicon()
    assert len(lexicon.synonyms) > 250
    same = [("sale", "net sale"), ("cet1", "common equity tier 1"), ("capex", "capital expenditure")]
    assert all(lexicon.forms[a] == lexicon.forms[b] for a, b in same)
    assert lexicon.forms["net income"] != lexicon.forms["operating income"]
    assert lexicon.forms["asset"] != lexicon.forms["liability"]
    assert lexicon.revision == load_lexicon().revision


def test_users_files(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('term,definition,source\n"Return On Equity (ROE)",x,y\n', encoding="utf-8")
    assert load_lexicon(tmp_path / "a.csv").forms == {"return on equity": "Return On Equity", "roe": "Return On Equity"}
    (tmp_path / "b.csv").write_text("word\nx\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="column"):
        load_lexicon(tmp_path / "b.csv")
    (tmp_path / "c.tsv").write_text("# nothing\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="no terms"):
        load_lexicon(tmp_path / "c.tsv")
