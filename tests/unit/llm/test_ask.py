"""A question is put once: what was answered is known, what was cut off gets more room, what cannot be had is a dead letter."""

from __future__ import annotations

from pathlib import Path

import pytest

from filingforest.errors import LlmDead, LlmUnavailable
from filingforest.models.llm.ask import Asker
from filingforest.models.llm.cache import DeadLetter, ResponseCache
from filingforest.models.llm.client import ChatClient
from filingforest.models.llm.request import ChatRequest, questions_shape, summary_shape
from tests.support.fake_llm import FakeLlm
from tests.support.llm_work import settings

LINE = "Net sales rose by a tenth in the year."
REQUEST = ChatRequest((("system", "s"), ("user", f"{LINE}\nSummarise.")), summary_shape(60))


def asker(llm: FakeLlm, folder: Path, **more: object) -> Asker:
    of = settings(llm.url, **{"max_tokens": 64, "max_tokens_limit": 256, **more})
    return Asker(ChatClient(of, sleep=lambda _: None), ResponseCache(folder), of)


def test_the_second_time_nobody_is_asked(tmp_path: Path) -> None:
    with FakeLlm() as llm:
        first = asker(llm, tmp_path)
        assert first.ask(REQUEST).value == {"summary": LINE}
        again = asker(llm, tmp_path)
        answer = again.ask(REQUEST)
        assert (answer.value, answer.cached, llm.requests) == ({"summary": LINE}, True, 1)
        assert again.counts == {"answers": 1, "from_cache": 1}
        assert (first.counts["completion_tokens"], first.counts["requests"]) == (10, 1)


@pytest.mark.parametrize("change", [{"model": "other"}, {"revision": "r2"}, {"temperature": 0.5}, {"seed": 18}])
def test_another_model_revision_or_sampling_is_another_question(change: dict[str, object]) -> None:
    assert REQUEST.key(settings("u")) != REQUEST.key(settings("u", **change))


def test_another_prompt_or_schema_is_another_question_and_more_room_is_not() -> None:
    of = settings("u")
    assert REQUEST.key(of) == REQUEST.key(settings("v", max_tokens=9, max_in_flight=1))
    others = [
        ChatRequest(REQUEST.messages, summary_shape(61)),
        ChatRequest(REQUEST.messages, questions_shape(3)),
        ChatRequest(REQUEST.messages[1:], REQUEST.shape),
    ]
    assert len({request.key(of) for request in [REQUEST, *others]}) == 4


def test_a_cut_off_answer_gets_twice_the_room(tmp_path: Path) -> None:
    with FakeLlm() as llm:
        llm.fail("length", times=-1, tokens=128)
        assert asker(llm, tmp_path).ask(REQUEST).requests == 3
        assert [body["max_tokens"] for body in llm.bodies] == [64, 128, 256]


def test_an_answer_without_end_is_dead_and_stays_so_until_more_is_allowed(tmp_path: Path) -> None:
    with FakeLlm() as llm:
        llm.fail("length", times=-1, tokens=256)
        for _ in range(2):
            with pytest.raises(LlmDead, match="within 256 tokens"):
                asker(llm, tmp_path).ask(REQUEST)
        assert llm.requests == 3
        assert asker(llm, tmp_path, max_tokens_limit=512).ask(REQUEST).value == {"summary": LINE}
        assert list(ResponseCache(tmp_path).dead_letters()) == []


def test_no_room_in_the_context_for_a_longer_answer(tmp_path: Path) -> None:
    with FakeLlm(context=100) as llm:
        llm.fail("length", times=-1, tokens=256)
        with pytest.raises(LlmDead) as error:
            asker(llm, tmp_path).ask(REQUEST)
        assert error.value.reason == "length"


def test_half_of_the_json_is_asked_for_again(tmp_path: Path) -> None:
    with FakeLlm() as llm:
        llm.fail("truncated", times=2)
        assert asker(llm, tmp_path).ask(REQUEST).requests == 3


@pytest.mark.parametrize(("kind", "reason", "asked"), [("free", "invalid", 3), ("truncated", "invalid", 3), ("status", "refused", 1)])
def test_a_final_failure_is_a_dead_letter_and_is_not_asked_again(tmp_path: Path, kind: str, reason: str, asked: int) -> None:
    with FakeLlm() as llm:
        llm.fail(kind, times=-1, status=422)
        for _ in range(2):
            with pytest.raises(LlmDead):
                asker(llm, tmp_path).ask(REQUEST)
        assert llm.requests == asked
        [(key, letter)] = ResponseCache(tmp_path).dead_letters()
        assert (key, letter.reason, letter.final, letter.requests) == (REQUEST.key(settings("u")), reason, True, asked)
        assert letter.prompt_head.startswith("Net sales")


def test_a_failure_that_may_pass_is_asked_again_by_the_next_run(tmp_path: Path) -> None:
    with FakeLlm() as llm:
        llm.fail("status", status=500, times=3)
        with pytest.raises(LlmDead):
            asker(llm, tmp_path, retries=2).ask(REQUEST)
        assert isinstance(ResponseCache(tmp_path).get(REQUEST.key(settings("u"))), DeadLetter)
        assert asker(llm, tmp_path).ask(REQUEST).value == {"summary": LINE}


def test_a_server_that_is_away_leaves_no_dead_letter(tmp_path: Path) -> None:
    with FakeLlm() as llm:
        gone = asker(llm, tmp_path)
    with pytest.raises(LlmUnavailable):
        gone.ask(REQUEST)
    assert len(gone.cache.log) == 0
