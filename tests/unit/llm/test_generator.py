"""A node's summary says what its passages say or is not the model's, and whose it is stands beside it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from filingforest.config import Settings
from filingforest.errors import ConfigError, LlmError, LlmUnavailable, LlmUnconstrained
from filingforest.flam.count import TermCounter
from filingforest.flam.lexicon import Lexicon
from filingforest.models.llm.generator import Credit, VllmGenerator
from filingforest.models.llm.open import open_generator
from filingforest.trees.generator import Passage
from tests.support.fake_llm import MODEL, FakeLlm

SALES = Passage("Net sales of Arbor Mills rose 5.5% to $1.2 billion in fiscal 2024.", ("Results",), ("Net sales",))
MILLS = Passage("Three mills in Norway were closed on March 3, 2024 by the company.", ("Restructuring",), ())
WRITER = f"vllm/{MODEL}@r1"


def generator(llm: FakeLlm, folder: Path, **more: object) -> VllmGenerator:
    values = {
        "url": llm.url,
        "model": MODEL,
        "revision": "r1",
        "backoff_s": 0.001,
        "patience_s": 0.01,
        "retries": 1,
        "cache": str(folder),
        **more,
    }
    return open_generator(Settings.from_dict({"llm": values}), TermCounter(Lexicon({}, {})))


def say(**content: object) -> str:
    return json.dumps(content)


def test_a_level_in_order_from_the_model(tmp_path: Path) -> None:
    with FakeLlm() as llm:
        made = generator(llm, tmp_path)
        first, second = made.write_level([[SALES, MILLS], [MILLS]])
        assert first.summary in (SALES.text, MILLS.text)
        assert second.summary == MILLS.text
        assert first.generator == second.generator == WRITER
        assert set(second.questions) == {MILLS.text}
        report = made.report()
        assert (report["nodes"], report["requests"], report["fallback_rate"], report["again_rate"]) == (2, 4, 0, 0)
        assert report["prefix_hit_rate"] > 0


def test_the_second_run_asks_nothing(tmp_path: Path) -> None:
    with FakeLlm() as llm:
        before = generator(llm, tmp_path)
        written = before.write_level([[SALES], [MILLS]])
        before.close()
        asked = llm.requests
        again = generator(llm, tmp_path)
        assert again.write_level([[SALES], [MILLS]]) == written
        assert llm.requests == asked + 1  # the canary
        assert again.report()["from_cache"] == 4


def test_an_invented_figure_is_asked_again_with_its_name(tmp_path: Path) -> None:
    with FakeLlm() as llm:
        made = generator(llm, tmp_path)
        llm.fail("say", body=say(summary="Sales of Acme rose 7% in 2024."), pattern="summarise")
        [written] = made.write_level([[SALES]])
        assert (written.summary, written.generator) == (SALES.text, WRITER)
        assert any("do not contain: Acme; 7%." in body["messages"][1]["content"] for body in llm.bodies)
        assert (made.report()["again_rate"], made.report().get("fallbacks", 0)) == (1, 0)


def test_invented_twice_falls_back_and_says_so(tmp_path: Path) -> None:
    with FakeLlm() as llm:
        made = generator(llm, tmp_path)
        llm.fail("say", times=2, body=say(summary="Sales of Acme rose."), pattern="summarise")
        [written] = made.write_level([[SALES]])
        assert written.summary == SALES.text  # the extractive one
        assert written.generator == f"extractive/1 (after {WRITER}: unfaithful) questions {WRITER}"
        assert (made.report()["fallback_rate"], made.report()["fallbacks_unfaithful"]) == (1, 1)


def test_questions_about_what_is_not_there_are_dropped(tmp_path: Path) -> None:
    with FakeLlm() as llm:
        made = generator(llm, tmp_path)
        asked = [
            "By how much did net sales rise in fiscal 2024?",
            "What did Acme pay?",
            "By how much did  net sales rise in fiscal 2024?",
            "Why 8%?",
        ]
        llm.fail("say", body=say(questions=asked), pattern="analyst")
        [written] = made.write_level([[SALES]])
        assert written.questions == (asked[0],)
        assert made.report()["questions_dropped"] == 3
        llm.fail("say", body=say(questions=asked[1:2]), pattern="analyst")
        [written] = made.write_level([[MILLS]])
        assert written.generator == f"{WRITER} questions extractive/1"
        assert "What is disclosed under Restructuring?" in written.questions


@pytest.mark.parametrize(("kind", "why"), [("free", "invalid"), ("length", "length"), ("status", "failing")])
def test_a_dead_request_falls_back_with_its_reason(tmp_path: Path, kind: str, why: str) -> None:
    with FakeLlm() as llm:
        made = generator(llm, tmp_path)
        llm.fail(kind, times=-1, tokens=9999, pattern="summarise")
        [written] = made.write_level([[SALES]])
        assert Credit.of(written.generator) == Credit("extractive/1", WRITER, WRITER, why)
        assert [letter.reason for _, letter in made.asker.cache.dead_letters()] == [why]


def test_a_server_that_goes_away_stops_the_level_and_the_next_run_continues(tmp_path: Path) -> None:
    with FakeLlm() as llm:
        made = generator(llm, tmp_path, max_in_flight=1)
        llm.fail("status", status=503, times=-1, pattern="Norway")
        with pytest.raises(LlmUnavailable):
            made.write_level([[SALES], [MILLS]])
        asked = llm.requests
        llm.faults.clear()
        again = generator(llm, tmp_path)
        assert [written.generator for written in again.write_level([[SALES], [MILLS]])] == [WRITER, WRITER]
        assert again.report()["from_cache"] == 2
        assert llm.requests - asked <= 5


def test_passages_beyond_the_context_are_cut_whole_and_counted(tmp_path: Path) -> None:
    with FakeLlm(context=600) as llm:
        made = generator(llm, tmp_path, max_tokens=64, max_tokens_limit=64)
        many = [Passage(f"Passage number {n} of the report says little about {n}. " + "More words follow here. " * 20) for n in range(9)]
        [written] = made.write_level([many])
        report = made.report()
        assert 0 < report["cut_passages"] < 9
        assert report["cut_tokens"] == sum(len(p.text.split()) for p in many[9 - int(report["cut_passages"]) :])
        assert Credit.of(written.generator).why in ("", "unfaithful")
        assert max(len(str(body["messages"]).split()) for body in llm.bodies) < 600


@pytest.mark.parametrize(("passages", "why"), [([], "empty"), ([Passage("  \n")], "empty"), ([Passage("word " * 9000)], "too_long")])
def test_nothing_to_read_is_not_asked(tmp_path: Path, passages: list[Passage], why: str) -> None:
    with FakeLlm() as llm:
        made = generator(llm, tmp_path)
        [written] = made.write_level([passages])
        assert Credit.of(written.generator).why == why
        assert llm.requests == 1


def test_what_decides_the_output_stands_in_the_name(tmp_path: Path) -> None:
    with FakeLlm() as llm:
        names = {
            generator(llm, tmp_path, **more).name
            for more in ({}, {"revision": "r2"}, {"seed": 3}, {"summary_chars": 500}, {"max_in_flight": 2})
        }
        assert len(names) == 4
        assert generator(llm, tmp_path).name.startswith(WRITER)


def test_a_server_that_cannot_serve_is_found_at_the_start(tmp_path: Path) -> None:
    with FakeLlm(ignores_schema=True) as llm, pytest.raises(LlmUnconstrained):
        generator(llm, tmp_path).write_level([[SALES]])
    with FakeLlm() as llm, pytest.raises(LlmError, match="does not serve 'm'"):
        generator(llm, tmp_path, model="m").write_level([[SALES]])
    with FakeLlm(context=900) as llm, pytest.raises(ConfigError, match="leaves no room"):
        generator(llm, tmp_path).write_level([[SALES]])
    with FakeLlm() as llm:
        assert generator(llm, tmp_path).report()["prefix_hit_rate"] == 0.0
        assert llm.requests == 0  # a run that only looks asks nothing


SLUG = st.from_regex(r"[a-zA-Z0-9./@_-]{1,20}", fullmatch=True)


@given(SLUG, SLUG, st.one_of(st.just(("", "")), st.tuples(SLUG, st.sampled_from(["unfaithful", "too_long"]))))
def test_credits_are_read_as_they_are_written(writer: str, questions: str, after: tuple[str, str]) -> None:
    credit = Credit(writer, questions, *after)
    assert Credit.of(str(credit)) == credit
