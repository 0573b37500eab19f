"""Questions: forms that users bring, what a hit touches, a split that holds for every spelling of a company."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from filingforest.errors import ConfigError
from filingforest.evaluate.fact_questions import spoken_name, templates
from filingforest.evaluate.ngrams import ngrams, shared
from filingforest.evaluate.questions import company_key, held_out, read_questions
from filingforest.flam.count import TermCounter
from filingforest.flam.lexicon import load_lexicon
from filingforest.trees.extractive import Extractive, Passage


def test_pages_and_units(tmp_path: Path) -> None:
    file = tmp_path / "q.jsonl"
    pages = {
        "id": "a",
        "question": "How much?",
        "doc": "ACME_2020",
        "company": "Acme",
        "gold_pages": [3, 5],
        "question_type": "metrics-generated",
    }
    units = {"id": "b", "question": "Why?", "doc": "ACME_2020", "gold_units": ["k1", "other k2"]}
    file.write_text(json.dumps(pages) + "\n\n" + json.dumps(units) + "\n")
    first, second = read_questions(file, own_document=True)
    assert (first.kind, second.kind) == ("numeric", "narrative")
    assert first.filters == {"doc": "ACME_2020"}
    assert first.found_in("folder:ACME_2020", "x", 2, 3) == 3
    assert first.found_in("folder:ACME_2020", "x", 4, 4) is None
    assert first.found_in("folder:OTHER", "x", 3, 3) is None
    assert second.found_in("ACME_2020", "k1", None, None) == "ACME_2020 k1"
    assert second.found_in("other", "k2", None, None) == "other k2"


@pytest.mark.parametrize("line", ["{", '{"question": "x"}', '{"question": "x", "gold_pages": []}', '"x"'])
def test_a_line_that_is_no_question_is_named(tmp_path: Path, line: str) -> None:
    file = tmp_path / "q.jsonl"
    file.write_text(line)
    with pytest.raises(ConfigError, match="line 1"):
        read_questions(file)


def test_spellings_of_a_company_fall_on_one_side() -> None:
    assert company_key("THE QUINCE COMPANY, INC.") == company_key("Quince") == "quince"
    assert held_out("QUINCE CORP") == held_out("Quince Corporation")
    sides = [held_out(f"Company{i}") for i in range(200)]
    assert 50 < sum(sides) < 110  # about two fifths


def test_names_as_people_say_them() -> None:
    assert spoken_name("QUINCE ORCHARDS, INC.") == "Quince Orchards"
    assert spoken_name("The Medlar Company") == "Medlar"
    assert spoken_name("RKQ Holdings plc") == "RKQ Holdings"


def test_ngrams_are_broken_by_slots() -> None:
    assert ngrams("How much is {x} this year") == {("how", "much", "is")}
    assert shared(["what is the sum"], ["say what is the matter"]) == {("what", "is", "the")}


def test_fact_questions_share_no_phrasing_with_question_trees() -> None:
    made = Extractive(TermCounter(load_lexicon()), questions=1_000)
    passages = [Passage(f"goodwill, revenue and net income {i}", (f"Zheading{i}",), (f"Zlabel{i}",)) for i in range(30)]
    asked = made.sub_questions(passages)
    assert len(asked) > 3
    assert not shared(templates(), asked)
