"""What does not fit the model's context is left out by whole passages, and counted."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from filingforest.models.llm.client import ChatClient
from filingforest.models.llm.fit import TokenCounter, estimate, fit
from filingforest.models.llm.prompts import frame_text, questions_request, shown, summary_request
from filingforest.trees.generator import Passage
from tests.support.fake_llm import FakeLlm
from tests.support.llm_work import settings


def words(text: str) -> int:
    return len(text.split())


def test_whole_passages_in_reading_order() -> None:
    texts = ["a b c", "d e", "f g h i", "j"]
    assert fit(texts, 10, words).texts == tuple(texts)
    got = fit(texts, 8, words)
    assert (got.texts, got.cut, got.cut_tokens) == (("a b c", "d e"), 2, 5)


def test_a_first_passage_that_is_too_long_is_cut_by_paragraphs_then_lines() -> None:
    long = "a b\nc d\n\ne f g\n\nh i"
    got = fit([long, "x"], 6, words)
    assert (got.texts, got.cut, got.cut_tokens) == (("a b\nc d",), 2, 6)
    assert fit([long], 3, words).texts == ("a b",)
    got = fit(["a b c d"], 3, words)
    assert (got.texts, got.cut, got.cut_tokens) == ((), 1, 4)
    assert fit([], 3, words).texts == ()


@given(st.lists(st.text("ab \n", max_size=40), max_size=6), st.integers(0, 40))
def test_what_is_kept_fits_and_what_is_cut_is_counted(texts: list[str], budget: int) -> None:
    got = fit(texts, budget, words)
    assert sum(map(words, got.texts)) <= budget
    assert sum(map(words, got.texts)) + got.cut_tokens == sum(map(words, texts))
    assert "".join(texts).startswith("".join(got.texts))


def test_tokens_are_counted_by_the_server_once_a_text() -> None:
    with FakeLlm() as llm:
        counter = TokenCounter(ChatClient(settings(llm.url)))
        assert [counter("one two three"), counter("one two three"), counter("")] == [3, 3, 0]


def test_estimates_where_the_server_does_not_count() -> None:
    assert estimate("Net sales") == 3  # 8 letters by three, a space, and one to spare
    assert estimate("391,035") == 8
    assert estimate("营业收入") == 5


def test_prompts_share_their_beginning_and_differ_at_the_end() -> None:
    of = settings("u")
    texts = [shown(Passage("Sales rose.", ("Item 7", "Results"))), shown(Passage("No heading."))]
    assert texts == ["## Item 7 > Results\nSales rose.", "No heading."]
    first, again, questions = summary_request(texts, of), summary_request(texts, of, ["$5", "Acme"]), questions_request(texts, of)
    shared = "\n\n".join(texts)
    heads = {(request.messages[0][1], request.messages[1][1].split("Task:")[0]) for request in (first, again, questions)}
    assert len(heads) == 1
    assert shared in heads.pop()[1]
    assert again.messages[1][1].startswith(first.messages[1][1])
    assert again.messages[1][1].endswith("do not contain: $5; Acme. Write it without them.")
    assert first.shape.schema["properties"]["summary"]["maxLength"] == 900
    assert questions.shape.schema["properties"]["questions"]["maxItems"] == 6
    assert "at most 900 characters" in frame_text(of)
