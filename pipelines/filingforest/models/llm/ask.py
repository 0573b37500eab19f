"""One request from question to checked answer: looked up first, asked with more tokens where it was cut off, else set aside."""

from __future__ import annotations

import threading
from collections import Counter
from typing import Protocol

from filingforest.config import LlmSettings
from filingforest.errors import LlmDead
from filingforest.models.llm.cache import Answer, DeadLetter, ResponseCache
from filingforest.models.llm.client import dead
from filingforest.models.llm.request import ChatRequest, Completion

INVALID_TRIES = 3  # a server that keeps to the schema needs one; the rest is for what a proxy or a restart cuts short
HEAD_CHARS = 200


class Completer(Protocol):
    """What `Asker` needs of a client."""

    def complete(self, request: ChatRequest, max_tokens: int) -> Completion: ...


class Asker:
    """Asks through the cache; safe for threads.

    `counts`: answers, from_cache, dead, dead_from_cache, requests, prompt_tokens, completion_tokens, prefix_tokens.
    """

    def __init__(self, client: Completer, cache: ResponseCache, settings: LlmSettings) -> None:
        self.client, self.cache, self.settings = client, cache, settings
        self.counts: Counter[str] = Counter()
        self._lock = threading.Lock()

    def ask(self, request: ChatRequest) -> Answer:
        """The answer, valid by its shape. Errors: LlmDead (recorded as a dead letter), LlmUnavailable and LlmError (nothing recorded)."""
        key = request.key(self.settings)
        known = self.cache.get(key)
        if isinstance(known, DeadLetter):
            if known.final and known.limit >= self.settings.max_tokens_limit:
                self._count(dead_from_cache=1)
                raise dead(known.reason, known.message)
            known = None
        if known is None:
            known = self._fresh(key, request)
        else:
            self._count(from_cache=1)
        self._count(answers=1)
        return known

    def _fresh(self, key: str, request: ChatRequest) -> Answer:
        talk = _Talk(self, request)
        try:
            answer = talk.answer()
        except LlmDead as error:
            limit = self.settings.max_tokens_limit
            head = request.messages[-1][1][:HEAD_CHARS]
            self.cache.put(key, DeadLetter(error.reason, error.message, error.final, limit, talk.requests, head), request.document)
            self._count(dead=1)
            raise
        self.cache.put(key, answer, request.document)
        return answer

    def _count(self, **more: int) -> None:
        with self._lock:
            self.counts.update(more)


class _Talk:
    """The requests that one answer takes."""

    def __init__(self, asker: Asker, request: ChatRequest) -> None:
        self.asker, self.request = asker, request
        self.requests, self.prompt, self.completion, self.prefix = 0, 0, 0, 0

    def answer(self) -> Answer:
        limit, invalid = self.asker.settings.max_tokens, 0
        while True:
            got = self._complete(limit)
            if got.finish_reason == "length":
                limit = self._more(limit)
                continue
            try:
                value = self.request.shape.read(got.text)
                return Answer(value, self.prompt, self.completion, self.prefix, self.requests)
            except ValueError as error:
                invalid += 1
                if invalid == INVALID_TRIES:
                    remedy = "`filingforest llm check` tells whether the server keeps to schemas"
                    raise dead("invalid", f"{invalid} answers against the schema ({got.finish_reason}): {error}", remedy=remedy) from None

    def _more(self, limit: int) -> int:
        """Twice as many tokens, up to the most that are allowed."""
        most = self.asker.settings.max_tokens_limit
        if limit >= most:
            raise dead("length", f"the answer does not end within {most} tokens", remedy="raise llm.max_tokens_limit")
        return min(2 * limit, most)

    def _complete(self, limit: int) -> Completion:
        self.requests += 1
        self.asker._count(requests=1)
        try:
            got = self.asker.client.complete(self.request, limit)
        except LlmDead as error:
            if error.reason == "too_long" and limit > self.asker.settings.max_tokens:
                raise dead("length", f"the answer does not end where the model's context does ({limit} tokens are too many)") from error
            raise
        self.prompt, self.completion, self.prefix = (
            self.prompt + got.prompt_tokens, self.completion + got.completion_tokens, self.prefix + got.cached_tokens,
        )  # fmt: skip
        tokens = {"prompt_tokens": got.prompt_tokens, "completion_tokens": got.completion_tokens, "prefix_tokens": got.cached_tokens}
        self.asker._count(**tokens)
        return got
