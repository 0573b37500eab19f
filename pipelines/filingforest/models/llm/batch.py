"""A batch of any size that a kill of client or server only interrupts: each request is once done, or dead, or left.

The ledger is a log beside the answers' cache. An answer is kept first and entered second: a kill between the two costs a look-up,
not a request. A server that goes away stops the batch with LlmUnavailable; the same call continues it.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from filingforest.errors import ConfigError, LlmDead
from filingforest.models.llm.ask import Asker
from filingforest.models.llm.cache import Answer, DeadLetter
from filingforest.models.llm.log import ANSWER, DEAD, SegmentLog
from filingforest.models.llm.pool import bounded
from filingforest.models.llm.request import KEY_LENGTH, ChatRequest


@dataclass(frozen=True, slots=True)
class BatchReport:
    """`total` = `done` + `dead` + `left`. `reasons` counts the dead by reason; `now` what this run did: done, dead, from_cache."""

    total: int
    done: int
    dead: int
    reasons: dict[str, int] = field(default_factory=dict)
    now: dict[str, int] = field(default_factory=dict)

    @property
    def left(self) -> int:
        return self.total - self.done - self.dead


class LlmBatch:
    """Requests by id over an `Asker`; the ledger lies in `folder`."""

    def __init__(self, folder: Path, asker: Asker) -> None:
        self.ledger, self.asker = SegmentLog(folder), asker

    def run(self, requests: Iterable[tuple[str, ChatRequest]], *, retry_dead: bool = False) -> BatchReport:
        """Asks what is left; with `retry_dead` also what failed for a reason that may pass.

        `requests` may be a generator: it is drawn from as places become free. Errors: ConfigError for an id that comes twice,
        LlmUnavailable and LlmError, after which the same call continues.
        """
        seen: set[str] = set()
        now: Counter[str] = Counter()
        left = self._left(requests, seen, retry_dead)
        for _, outcome in bounded(self._one, left, self.asker.settings.max_in_flight):
            now.update(outcome)
        return self.report(seen, now)

    def report(self, entries: Iterable[str], now: Counter[str] | None = None) -> BatchReport:
        """What the ledger says of these entries (`entry_key` of their ids)."""
        counts: Counter[str] = Counter()
        reasons: Counter[str] = Counter()
        for entry in entries:
            found = self.ledger.get(entry)
            counts[found[0] if found else "left"] += 1
            if found and found[0] == DEAD:
                reasons[found[1]["reason"]] += 1
        return BatchReport(counts.total(), counts[ANSWER], counts[DEAD], dict(sorted(reasons.items())), dict(now or {}))

    def results(self, ids: Iterable[str]) -> Iterator[tuple[str, Answer | DeadLetter | None]]:
        """The answer or dead letter of each id; None for what is left."""
        for name in ids:
            found = self.ledger.get(entry_key(name))
            yield name, self.asker.cache.get(found[1]["key"]) if found else None

    def close(self) -> None:
        self.ledger.close()
        self.asker.cache.close()

    def _left(self, requests: Iterable[tuple[str, ChatRequest]], seen: set[str], retry_dead: bool) -> Iterator[tuple[str, ChatRequest]]:
        for name, request in requests:
            entry = entry_key(name)
            if entry in seen:
                raise ConfigError(f"the request '{name}' comes twice", stage="llm", remedy="give each request an id of its own")
            seen.add(entry)
            if not self._ended(entry, retry_dead):
                yield name, request

    def _ended(self, entry: str, retry_dead: bool) -> bool:
        found = self.ledger.get(entry)
        return found is not None and (found[0] == ANSWER or not retry_dead or bool(found[1]["final"]))

    def _one(self, named: tuple[str, ChatRequest]) -> dict[str, int]:
        name, request = named
        content: dict[str, Any] = {"id": name, "key": request.key(self.asker.settings)}
        try:
            answer = self.asker.ask(request)
        except LlmDead as error:
            self.ledger.put(entry_key(name), DEAD, {**content, "reason": error.reason, "message": error.message, "final": error.final})
            return {"dead": 1}
        self.ledger.put(entry_key(name), ANSWER, content)
        return {"done": 1, "from_cache": int(answer.cached)}


def entry_key(name: str) -> str:
    """The ledger's key of a request's id."""
    return hashlib.sha256(name.encode()).hexdigest()[:KEY_LENGTH]
