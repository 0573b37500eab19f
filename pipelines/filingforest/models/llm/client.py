"""Asks a server with vLLM's OpenAI API: bounded in flight, patient with what passes, plain about what does not.

A server that is down or full says nothing about a request: it is waited for, up to `patience_s`, and the run can be continued later.
A request that fails while the server serves is tried `retries` times more, then is that request's own failure.
"""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from requests.utils import get_environ_proxies

from filingforest.config import LlmSettings
from filingforest.errors import ConfigError, LlmDead, LlmError, LlmUnavailable
from filingforest.models.llm.request import ChatRequest, Completion
from filingforest.sources.http import retry_after

KEY_VARIABLE = "VLLM_API_KEY"  # the variable that the server itself reads
BUSY = {429, 503}
FAILING = {408, 425, 500, 502, 504}
CLOSED = {401, 403, 404}
LONGEST_PAUSE_S = 30.0
CONTEXT_WORDS = ("context length", "maximum context", "max_model_len", "too long", "max_tokens")


def dead(reason: str, message: str, *, final: bool = True, remedy: str | None = None) -> LlmDead:
    """The error of one request that failed for good."""
    error = LlmDead(message, stage="llm", remedy=remedy)
    error.reason, error.final = reason, final
    return error


class ChatClient:
    """One server. Safe for many threads: a connection each, and at most `max_in_flight` requests under way in this process."""

    def __init__(
        self, settings: LlmSettings, *, sleep: Callable[[float], None] = time.sleep, jitter: Callable[[], float] = random.random
    ) -> None:
        for name in ("url", "model", "revision"):
            if not getattr(settings, name):
                raise ConfigError(f"llm.{name} is not set", stage="llm", remedy=f"set it in [llm] or FILINGFOREST_LLM_{name.upper()}")
        self.settings, self._sleep, self._jitter = settings, sleep, jitter
        self.base = settings.url.rstrip("/").removesuffix("/v1")
        self._away = False  # the last wait was in vain: until something is answered again nobody waits, or every document of a night would
        self._slots, self._local = threading.BoundedSemaphore(settings.max_in_flight), threading.local()

    def complete(self, request: ChatRequest, max_tokens: int) -> Completion:
        """One answer, whatever its finish_reason. Errors: LlmDead (this request), LlmUnavailable (stop, continue later), LlmError."""
        answer = self.call("POST", "/v1/chat/completions", request.body(self.settings, max_tokens))
        try:
            return Completion.of(answer.json())
        except ValueError as error:
            raise dead("failing", f"{self.base} answers 200, but {error}", final=False) from None

    def call(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> requests.Response:
        """A successful answer of the server, after as many tries as are worth it."""
        waited, tries, step = 0.0, 0, 0
        while True:
            got, passes, asked = self._try(method, path, body)
            if isinstance(got, requests.Response):
                self._away = False
                return got
            tries, step = tries + (not passes), step + 1
            if tries > self.settings.retries:
                raise dead("failing", f"{self.base}{path}: {got}, {tries} times", final=False, remedy="see the server's log")
            if passes and waited >= (0.0 if self._away else self.settings.patience_s):
                self._away = True
                raise LlmUnavailable(f"{self.base}: {got} for {waited:.0f} s", stage="llm", remedy="see the server's log; then run again")
            pause = self._pause(step, asked)
            waited = waited + pause if passes else 0.0

    def model_card(self) -> dict[str, Any]:
        """What /v1/models says of our model. Errors: LlmError where the server does not have it."""
        cards = self.call("GET", "/v1/models").json().get("data") or []
        for card in cards:
            if card.get("id") == self.settings.model:
                return dict(card)
        names = ", ".join(str(card.get("id")) for card in cards)
        raise LlmError(
            f"{self.base} does not serve '{self.settings.model}', but {names}", stage="llm", remedy="set llm.model to one of them"
        )

    def metrics(self) -> str:
        """The server's /metrics; '' where it has none."""
        try:
            return self.call("GET", "/metrics").text
        except LlmError:
            return ""

    def _try(self, method: str, path: str, body: Mapping[str, Any] | None) -> tuple[requests.Response | str, bool, float]:
        """The answer; or why there is none, whether the server is the reason (it may pass), and how long it asks us to wait."""
        try:
            with self._slots:
                answer = self._session().request(method, self.base + path, json=body, timeout=self.settings.timeout_s)
        except requests.ConnectionError as error:
            # a refused connection says that nobody is there; one that breaks under way may be this request's doing
            return f"{type(error).__name__}", "refused" in str(error).lower() or "NewConnection" in str(error), 0.0
        except requests.RequestException as error:
            return f"{type(error).__name__}", False, 0.0
        if answer.status_code == 200:
            return answer, False, 0.0
        if answer.status_code in BUSY | FAILING:
            return f"status {answer.status_code}", answer.status_code in BUSY, retry_after(answer.headers.get("Retry-After"))
        raise self._refused(path, answer)

    def _refused(self, path: str, answer: requests.Response) -> LlmError:
        said = " ".join(answer.text.split())[:300]
        if answer.status_code in CLOSED:
            remedy = f"check llm.url, llm.model and {KEY_VARIABLE}"
            return LlmError(f"{self.base}{path} answers {answer.status_code}: {said}", stage="llm", remedy=remedy)
        if any(words in said.lower() for words in CONTEXT_WORDS):
            return dead("too_long", f"prompt and answer do not fit the model: {said}")
        return dead("refused", f"status {answer.status_code}: {said}")

    def _pause(self, step: int, asked: float) -> float:
        """Waits: doubled each step, with jitter, never shorter than the server asks; how long it was."""
        grown = self.settings.backoff_s * 2.0 ** min(step - 1, 10) * (0.5 + self._jitter() / 2)
        pause = max(asked, min(grown, LONGEST_PAUSE_S))
        self._sleep(pause)
        return pause

    def _session(self) -> requests.Session:
        session: requests.Session | None = getattr(self._local, "session", None)
        if session is None:
            session = self._local.session = requests.Session()
            session.trust_env = False  # the environment is read once, here: read for each request it costs a third of the client's time
            session.proxies = get_environ_proxies(self.base)
            session.mount("http", HTTPAdapter(pool_connections=1, pool_maxsize=1))
            if key := os.environ.get(KEY_VARIABLE):
                session.headers["Authorization"] = f"Bearer {key}"
        return session
