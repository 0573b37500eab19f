"""Loads documents in bulk and answers for each: a bulk answer of 200 can hold failed items, and a busy or restarted node refuses some.

What may succeed later (429, 503, a broken connection) is sent again after a wait (`patience.py`). What never will is counted, and the first
of it kept with reasons: a mapping that refuses a million documents must not fill memory. Some requests are under way at once, so that a
node uses more than one core; memory holds those and one more. Nothing depends on their order, since an id comes once in a load. Repeating
is safe: a document is created once (409 then means that an earlier try had arrived), and a change of `live` says the same when it is said
twice.
"""

from __future__ import annotations

import json
import logging
import math
import time
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from filingforest.config.opensearch import OpenSearchSettings
from filingforest.errors import LostRace, StoreUnavailable
from filingforest.opensearch.client import BUSY, guarded
from filingforest.opensearch.patience import Patience

log = logging.getLogger(__name__)
KEPT = 1_000  # refused documents whose reasons are kept, 2 MB at most
_TELL_S = 30.0
_CONFLICT, _MISSING = 409, 404


@dataclass(frozen=True, slots=True)
class Action:
    """One document to create, or one whose `live` changes (`op` is create or update). `document` is the filing it belongs to."""

    op: str
    id: str
    body: dict[str, Any]
    document: str

    def to_lines(self) -> bytes:
        """As a bulk request has it."""
        body = self.body if self.op == "create" else {"doc": self.body}
        head, tail = ({self.op: {"_id": self.id}}, body)
        return f"{json.dumps(head)}\n{json.dumps(tail, ensure_ascii=False)}\n".encode("utf-8", "surrogatepass")


@dataclass(frozen=True, slots=True)
class Refused:
    """A document that OpenSearch will not take, however often it is sent."""

    id: str
    document: str
    op: str
    status: int
    kind: str
    reason: str


@dataclass(slots=True)
class BulkReport:
    """What a load came to. `bytes` are those of all requests, repeated ones too; `waits` the seconds of each back-off; `letters` the first
    of the refused documents."""

    created: int = 0
    changed: int = 0
    refused: int = 0
    requests: int = 0
    bytes: int = 0
    seconds: float = 0.0
    waits: list[float] = field(default_factory=list)
    letters: list[Refused] = field(default_factory=list)

    @property
    def items(self) -> int:
        """Documents that were written."""
        return self.created + self.changed

    def add(self, other: BulkReport) -> None:
        """Count another load in."""
        for name in ("created", "changed", "refused", "requests", "bytes", "seconds", "waits"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.letters += other.letters[: KEPT - len(self.letters)]

    def __str__(self) -> str:
        pace = max(self.seconds, 1e-3)
        done = (
            f"{self.items} documents in {self.seconds:.1f} s ({self.items / pace:.0f} a second, {self.bytes / 1e6 / pace:.1f} MB a second)"
        )
        return f"{done}, {self.refused} refused, {len(self.waits)} waits"

    def to_dict(self) -> dict[str, Any]:
        """JSON-able, for the manifest: no times, which would differ from run to run."""
        return {"items": self.items, "created": self.created, "changed": self.changed, "refused": self.refused}


class BulkLoader:
    """Writes through `alias`, which another loader takes away when it takes over: then LostRace. Errors: StoreUnavailable."""

    def __init__(self, client: Any, alias: str, settings: OpenSearchSettings, patience: Patience | None = None) -> None:
        self._client, self._alias, self._settings = client, alias, settings
        self._patience = patience or Patience(settings.retries, settings.backoff_s)

    def load(self, actions: Iterable[Action], most_refused: float = math.inf) -> BulkReport:
        """Send them, all or until more than `most_refused` were refused. What one request fails with ends the load, once those under way
        have ended."""
        report, start, tell_at = BulkReport(), time.perf_counter(), _TELL_S
        with closing(self._sent(actions)) as sent:
            for done in sent:
                report.add(done)
                report.seconds = time.perf_counter() - start
                if report.seconds >= tell_at:
                    log.info("opensearch, so far: %s", report)
                    tell_at = report.seconds + _TELL_S
                if report.refused > most_refused:
                    break
        if report.items:
            log.info("opensearch: %s", report)
        return report

    def _sent(self, actions: Iterable[Action]) -> Generator[BulkReport]:
        """What each request came to, in their order."""
        under_way: deque[Future[BulkReport]] = deque()
        with ThreadPoolExecutor(self._settings.bulk_requests, thread_name_prefix="bulk") as threads:
            for chunk in self._chunks(actions):
                if len(under_way) >= self._settings.bulk_requests:
                    yield under_way.popleft().result()
                under_way.append(threads.submit(self._send, chunk))
            while under_way:
                yield under_way.popleft().result()

    def _chunks(self, actions: Iterable[Action]) -> Iterator[list[tuple[Action, bytes]]]:
        chunk: list[tuple[Action, bytes]] = []
        size, most = 0, int(self._settings.bulk_mb * 1e6)
        for action in actions:
            lines = action.to_lines()
            if chunk and (len(chunk) >= self._settings.bulk_items or size + len(lines) > most):
                yield chunk
                chunk, size = [], 0
            chunk.append((action, lines))
            size += len(lines)
        if chunk:
            yield chunk

    def _send(self, chunk: Sequence[tuple[Action, bytes]]) -> BulkReport:
        left, report = list(chunk), BulkReport()

        def once() -> None:
            nonlocal left
            left = self._once(left, report)
            if left:
                message, remedy = (
                    f"{len(left)} documents of a bulk request were not taken",
                    "look at the cluster's health, then publish again",
                )
                raise StoreUnavailable(message, document=self._alias, stage="opensearch", remedy=remedy)

        self._patience.ask(self._alias, once, report.waits)
        return report

    def _once(self, chunk: list[tuple[Action, bytes]], report: BulkReport) -> list[tuple[Action, bytes]]:
        """Sends them; what comes back is to be sent again."""
        data = b"".join(lines for _, lines in chunk)
        report.requests += 1
        report.bytes += len(data)
        with guarded(self._alias):
            answer = self._client.bulk(body=data, index=self._alias, params={"require_alias": "true"})
        results = [next(iter(item.values())) for item in answer["items"]]
        if len(results) != len(chunk):
            return chunk
        return [pair for pair, result in zip(chunk, results, strict=True) if not self._settle(pair[0], result, report)]

    def _settle(self, action: Action, result: dict[str, Any], report: BulkReport) -> bool:
        """Counts one item; False where it is to be sent again."""
        status, error = int(result["status"]), result.get("error") or {}
        if status < 300 or (status == _CONFLICT and action.op == "create"):
            report.created += action.op == "create"
            report.changed += action.op == "update"
            return True
        if status in BUSY or status == _CONFLICT:
            return False
        if status == _MISSING and error.get("type") == "index_not_found_exception":
            raise LostRace(
                "another publisher is loading", document=self._alias, stage="opensearch", remedy="let it finish, then publish again"
            )
        report.refused += 1
        report.letters.append(Refused(action.id, action.document, action.op, status, str(error.get("type")), _reason(error)))
        return True


def _reason(error: dict[str, Any]) -> str:
    cause = error.get("caused_by") or {}
    return f"{error.get('reason')}{'; ' + str(cause.get('reason')) if cause else ''}"[:2_000]
