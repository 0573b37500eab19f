"""Fits passages into the model's context: whole passages, the last ones left out, and what is left out is counted, never silent."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from filingforest.errors import LlmError
from filingforest.models.llm.client import ChatClient

TEMPLATE_TOKENS = 64  # what a chat template puts around two messages; those of common models take 10 to 40
Counter = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Fitted:
    """`texts` fit; `cut` passages were left out, wholly or in part, with `cut_tokens` tokens."""

    texts: tuple[str, ...]
    cut: int = 0
    cut_tokens: int = 0


def fit(texts: Sequence[str], budget: int, count: Counter) -> Fitted:
    """The first passages that fit into `budget` tokens together. Where not even the first does, as many of its paragraphs, then lines."""
    lengths = [count(text) for text in texts]
    total, whole = 0, 0
    while whole < len(texts) and total + lengths[whole] <= budget:
        total, whole = total + lengths[whole], whole + 1
    if whole == len(texts):
        return Fitted(tuple(texts))
    if whole:
        return Fitted(tuple(texts[:whole]), len(texts) - whole, sum(lengths[whole:]))
    part = _part(texts[0], budget, count)
    kept = count(part) if part else 0
    return Fitted((part,) if part else (), len(texts), sum(lengths) - kept)


def _part(text: str, budget: int, count: Counter) -> str:
    """The longest run of whole paragraphs, or of whole lines, from the start of `text` that fits; '' where not even a line does."""
    for separator in ("\n\n", "\n"):
        pieces = text.split(separator)
        least, most = 0, len(pieces)
        while least < most:
            middle = (least + most + 1) // 2
            if count(separator.join(pieces[:middle])) <= budget:
                least = middle
            else:
                most = middle - 1
        if least:
            return separator.join(pieces[:least])
    return ""


class TokenCounter:
    """Counts a text's tokens as the server does (vLLM's /tokenize); each text once. Servers without it: an estimate on the safe side."""

    def __init__(self, client: ChatClient) -> None:
        self._client, self._known = client, dict[int, int]()
        self._exact = True
        self._lock = threading.Lock()

    def __call__(self, text: str) -> int:
        key = hash(text)
        if key not in self._known:
            counted = self._count(text)
            with self._lock:
                self._known[key] = counted
        return self._known[key]

    def _count(self, text: str) -> int:
        if self._exact:
            body = {"model": self._client.settings.model, "prompt": text, "add_special_tokens": False}
            try:
                return int(self._client.call("POST", "/tokenize", body).json()["count"])
            except LlmError as error:
                if error.transient:
                    raise
                self._exact = False
        return estimate(text)


def estimate(text: str) -> int:
    """Tokens at most, for the tokenizers of common models: a digit or sign each one, letters by three, other scripts one a character."""
    letters = sum(sign.isascii() and sign.isalpha() for sign in text)
    spaces = sum(sign == " " for sign in text)
    return letters // 3 + (len(text) - letters - spaces) + spaces // 2 + 1
