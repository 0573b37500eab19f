"""Answers kept by what was asked, so that nothing is asked twice, and the requests that finally failed, with their reasons."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from filingforest.models.llm.log import ANSWER, DEAD, SegmentLog

DOCUMENT = "document"  # whose text a record was made of; those written before this was kept have none


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model answered, as its shape has it. `cached`: it was known before, and no server was asked."""

    value: dict[str, Any]
    prompt_tokens: int = 0
    completion_tokens: int = 0
    prefix_tokens: int = 0
    requests: int = 1
    cached: bool = False


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A request that finally failed. `final`: asking again would change nothing, as long as no more than `limit` tokens are allowed."""

    reason: str
    message: str
    final: bool
    limit: int
    requests: int = 1
    prompt_head: str = ""
    at: str = field(default_factory=lambda: datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"))


class ResponseCache:
    """Look-up by `ChatRequest.key`. One folder may serve many processes and hosts: each appends to segments of its own."""

    def __init__(self, folder: Path) -> None:
        self.log = SegmentLog(folder)

    def get(self, key: str) -> Answer | DeadLetter | None:
        found = self.log.get(key)
        if found is None:
            return None
        kind, content = found
        content.pop(DOCUMENT, None)
        return Answer(**content, cached=True) if kind == ANSWER else DeadLetter(**content)

    def put(self, key: str, result: Answer | DeadLetter, document: str = "") -> None:
        """`document` is whose text the prompt held, so that `forget` finds what was made of it; "": of no document."""
        content = asdict(result) | {DOCUMENT: document}
        content.pop("cached", None)
        self.log.put(key, ANSWER if isinstance(result, Answer) else DEAD, content)

    def dead_letters(self) -> Iterator[tuple[str, DeadLetter]]:
        """Keys and records of all requests that finally failed and have not been answered since, sorted by key."""
        for key, kind in self.log.items():
            if kind == DEAD and isinstance(letter := self.get(key), DeadLetter):
                yield key, letter

    def close(self) -> None:
        self.log.close()
