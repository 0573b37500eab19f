"""The client waits for what passes, gives up on what does not, and never has more under way than it may."""

from __future__ import annotations

import socket
import threading

import pytest

from filingforest.errors import ConfigError, LlmDead, LlmError, LlmUnavailable, LlmUnconstrained
from filingforest.models.llm.canary import check_constraint
from filingforest.models.llm.client import ChatClient
from filingforest.models.llm.metrics import PrefixCache
from filingforest.models.llm.pool import bounded, in_order
from filingforest.models.llm.request import ChatRequest, questions_shape, summary_shape
from tests.support.fake_llm import MODEL, FakeLlm
from tests.support.llm_work import settings

REQUEST = ChatRequest((("system", "s"), ("user", "Net sales rose by a tenth in the year.\nSummarise.")), summary_shape(60))


class Clock:
    """Sleeps that take no time and are remembered."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


def client(url: str, clock: Clock | None = None, **more: object) -> ChatClient:
    return ChatClient(settings(url, **{"backoff_s": 1.0, **more}), sleep=(clock or Clock()).sleep, jitter=lambda: 1.0)


def test_an_answer_with_its_counts() -> None:
    with FakeLlm() as llm:
        got = client(llm.url).complete(REQUEST, 50)
        assert got.text == '{"summary": "Net sales rose by a tenth in the year."}'
        assert (got.finish_reason, got.prompt_tokens, got.completion_tokens) == ("stop", 11, 10)
        assert llm.bodies[0]["response_format"]["json_schema"]["schema"]["properties"]["summary"]["maxLength"] == 60
        assert "guided_json" not in llm.bodies[0]


@pytest.mark.parametrize(
    ("fault", "slept"),
    [
        ({"kind": "status", "status": 429, "times": 3}, [1, 2, 4]),
        ({"kind": "status", "status": 429, "retry_after": "7"}, [7]),
        ({"kind": "status", "status": 503, "times": 2}, [1, 2]),
        ({"kind": "status", "status": 500, "times": 2}, [1, 2]),
        ({"kind": "lost", "times": 2}, [1, 2]),
    ],
)
def test_what_passes_is_waited_for(fault: dict[str, object], slept: list[float]) -> None:
    clock = Clock()
    with FakeLlm() as llm:
        llm.fail(**fault)  # type: ignore[arg-type]
        assert client(llm.url, clock, patience_s=60).complete(REQUEST, 50).finish_reason == "stop"
    assert clock.slept == slept


@pytest.mark.parametrize("kind", ["lost", "status"])
def test_a_request_that_fails_while_the_server_serves_is_dead_and_may_be_tried_again(kind: str) -> None:
    with FakeLlm() as llm:
        llm.fail(kind, times=-1)
        with pytest.raises(LlmDead) as error:
            client(llm.url, retries=2).complete(REQUEST, 50)
        assert (error.value.reason, error.value.final, llm.requests) == ("failing", False, 3)


def test_a_slow_answer_is_a_failure_of_this_try() -> None:
    with FakeLlm() as llm:
        llm.fail("slow", seconds=0.5)
        assert client(llm.url, timeout_s=0.1).complete(REQUEST, 50).finish_reason == "stop"
        assert llm.requests == 2


def test_a_server_that_stays_full_or_away_stops_the_run() -> None:
    with FakeLlm() as llm:
        llm.fail("status", status=429, times=-1)
        with pytest.raises(LlmUnavailable, match=r"status 429 for 3 s.*run again"):
            client(llm.url, patience_s=3).complete(REQUEST, 50)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # nobody listens
        with pytest.raises(LlmUnavailable):
            client(f"http://127.0.0.1:{taken.getsockname()[1]}/v1", patience_s=3).complete(REQUEST, 50)


def test_after_a_wait_in_vain_nobody_waits_until_the_server_answers() -> None:
    clock = Clock()
    with FakeLlm() as llm:
        asker = client(llm.url, clock, patience_s=3)
        llm.fail("status", status=503, times=4)
        for _ in range(2):
            with pytest.raises(LlmUnavailable):
                asker.complete(REQUEST, 50)
        assert (clock.slept, llm.requests) == ([1, 2], 4)
        assert asker.complete(REQUEST, 50).finish_reason == "stop"
        llm.faults.clear()
        llm.fail("status", status=503, times=1)
        assert asker.complete(REQUEST, 50).finish_reason == "stop"
        assert clock.slept == [1, 2, 1]


def test_refusals_name_the_remedy() -> None:
    with FakeLlm(context=100) as llm:
        with pytest.raises(LlmDead, match="maximum context length") as error:
            client(llm.url).complete(REQUEST, 95)
        assert (error.value.reason, error.value.final) == ("too_long", True)
        llm.fail("status", status=422)
        with pytest.raises(LlmDead, match="422") as error:
            client(llm.url).complete(REQUEST, 50)
        assert error.value.reason == "refused"
        llm.fail("status", status=401)
        with pytest.raises(LlmError, match="VLLM_API_KEY"):
            client(llm.url).complete(REQUEST, 50)
        with pytest.raises(LlmError, match=f"'other', but {MODEL}"):
            client(llm.url, model="other").model_card()
        assert client(llm.url).model_card()["max_model_len"] == 100


@pytest.mark.parametrize("missing", ["url", "model", "revision"])
def test_settings_that_are_missing_are_named(missing: str) -> None:
    with pytest.raises(ConfigError, match=f"llm.{missing}.*FILINGFOREST_LLM_{missing.upper()}"):
        client(**{"url": "http://x/v1", missing: ""})


def test_key_comes_from_the_environment_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VLLM_API_KEY", "secret")
    assert client("http://x/v1")._session().headers["Authorization"] == "Bearer secret"


def test_canary_proves_the_constraint() -> None:
    with FakeLlm() as llm:
        check_constraint(client(llm.url))
    with (
        FakeLlm(ignores_schema=True) as llm,
        pytest.raises(LlmUnconstrained, match=r"ignores the JSON schema.*'The sky is blue.*vLLM 0.12 or later"),
    ):
        check_constraint(client(llm.url))


def test_no_more_in_flight_than_allowed_over_all_callers() -> None:
    with FakeLlm(delay=0.02) as llm:
        asker = client(llm.url, max_in_flight=3)
        threads = [threading.Thread(target=lambda: in_order(lambda n: asker.complete(REQUEST, 50), range(5), 4)) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert llm.requests == 15
        assert 1 < llm.most <= 3


def test_items_are_drawn_as_places_become_free() -> None:
    drawn: list[int] = []

    def source() -> object:
        for number in range(100):
            drawn.append(number)
            yield number

    results = bounded(lambda n: n * n, source(), 4)  # type: ignore[arg-type]
    assert dict(next(results) for _ in range(3)).items() <= {n: n * n for n in range(8)}.items()
    assert len(drawn) <= 8
    results.close()  # type: ignore[attr-defined]
    assert in_order(lambda n: -n, range(50), 7) == [-n for n in range(50)]


def test_first_error_stops_the_drawing() -> None:
    drawn: list[int] = []

    def fails(number: int) -> int:
        drawn.append(number)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        list(bounded(fails, range(1000), 3))
    assert len(drawn) <= 6


def test_prefix_cache_counters() -> None:
    text = (
        "# HELP vllm:prefix_cache_queries_total x\n"
        'vllm:prefix_cache_queries_total{engine="0",model_name="m"} 1000.0\nvllm:prefix_cache_queries_total{engine="1",model_name="m"} 1.0e3\n'
        'vllm:prefix_cache_hits_total{engine="0",model_name="m"} 600.0\nvllm:prefix_cache_queries_created{engine="0"} 1.7e9\n'
    )
    cache = PrefixCache.of(text)
    assert (cache.queries, cache.hits, cache.rate) == (2000, 600, 0.3)
    assert (cache - PrefixCache(1000, 100)).rate == 0.5
    assert cache - PrefixCache(5000, 100) == cache  # restarted meanwhile
    assert PrefixCache.of("").rate == 0.0


def test_shapes_are_bounded_and_strict() -> None:
    shape = questions_shape(2)
    assert shape.read('{"questions": ["a?", "b?"]}') == {"questions": ["a?", "b?"]}
    for wrong in (
        '{"questions": ["a", "b", "c"]}',
        '{"questions": []}',
        '{"questions": ["' + "x" * 161 + '"]}',
        '{"questions": ["a"], "x": 1}',
        '{"quest',
    ):
        with pytest.raises(ValueError, match=r"questions|answer|x"):
            shape.read(wrong)
