"""What was set aside and why, kept beside the data, so that a night goes on and nobody has to read its log to find out.

`failures/{doc_id}/{stage}.{fingerprint}.json`; the fingerprint covers the document's version, the stage's version and its bounds.
The same input under the same code and settings fails again, so it is not tried again before one of them changes or `retry` says so;
a transient failure is tried every night. A mark `.ignored` beside the record takes it off the list and stops the trying.
"""

from __future__ import annotations

import contextlib
import datetime
import json
from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from filingforest.errors import Corrupt, FilingForestError, LostRace, NotFound
from filingforest.store import Store

ROOT = "failures/"
IGNORED = ".ignored"


@dataclass(frozen=True)
class Failure:
    """One document that one stage could not do. `ref` and `request` (JSON-able) are what it takes to try again."""

    doc_id: str
    stage: str
    fingerprint: str
    code: str
    message: str
    remedy: str | None = None
    transient: bool = False
    doc_version: str | None = None
    ref: dict[str, Any] = field(default_factory=dict)
    request: dict[str, Any] = field(default_factory=dict)
    attempts: int = 1
    first_at: str = ""
    last_at: str = ""
    ignored: bool = False

    @property
    def key(self) -> str:
        return f"{ROOT}{self.doc_id}/{self.stage}.{self.fingerprint}.json"

    @property
    def final(self) -> bool:
        """Trying again would change nothing, or is not wanted."""
        return self.ignored or not self.transient


def failure_of(error: Exception, doc_id: str, stage: str, fp: str, **more: Any) -> Failure:
    """The record of an error. One that nobody raised on purpose is `internal`: a fault of ours, and final until the code changes."""
    if isinstance(error, FilingForestError):
        code, message, remedy = error.code, error.message, error.remedy
    else:
        code, message, remedy = "internal", f"{type(error).__name__}: {error}", "run with --debug for the trace, and report it"
    return Failure(doc_id, stage, fp, code, message, remedy, getattr(error, "transient", False), **more)


def reason(failure: Failure) -> str:
    """One line: `[document_empty] the file is empty -> fetch it again`."""
    return f"[{failure.code}] {failure.message}" + (f" -> {failure.remedy}" if failure.remedy else "")


def find(store: Store, doc_id: str, stage: str, fp: str) -> Failure | None:
    """The record of this very attempt, if it failed before."""
    try:
        return _load(store, Failure(doc_id, stage, fp, "", "").key)
    except NotFound:
        return None


def record(store: Store, failure: Failure) -> Failure:
    """Keeps it, counting attempts; the same final failure again writes nothing.

    Records of the same document and stage under other fingerprints are out of date and go.
    """
    old = find(store, failure.doc_id, failure.stage, failure.fingerprint)
    if old and old.final and (old.code, old.message) == (failure.code, failure.message):
        return old
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    attempts, first = (old.attempts + 1, old.first_at) if old else (1, now)
    new = replace(failure, attempts=attempts, first_at=first, last_at=now, ignored=bool(old and old.ignored))
    current = store.stat(new.key)
    with contextlib.suppress(LostRace):  # another task met the same failure in this moment: one record is enough
        store.swap(new.key, _dump(new), current.etag if current else None)
    _delete(store, new.doc_id, new.stage, keep=new.key)
    return new


def clear(store: Store, doc_id: str, stage: str) -> int:
    """Forgets the document's failures in a stage, since it went through or is to be tried again; how many there were."""
    return _delete(store, doc_id, stage)


def each(store: Store, ignored: bool = False) -> Iterator[Failure]:
    """All failures, sorted by document and stage; those that are ignored only when asked for."""
    keys = list(store.list(ROOT))
    marks = {k for k in keys if k.endswith(IGNORED)}
    for key in keys:
        if key.endswith(".json") and (ignored or key + IGNORED not in marks):
            yield _load(store, key, key + IGNORED in marks)


def retry(store: Store, failures: Collection[Failure]) -> None:
    """Takes the records away, marks too: the next run tries these documents again."""
    for failure in failures:
        clear(store, failure.doc_id, failure.stage)


def ignore(store: Store, failures: Collection[Failure]) -> None:
    """Marks the records: not listed, not tried, until `retry`."""
    for failure in failures:
        store.put_new(failure.key + IGNORED, b"")


def _load(store: Store, key: str, ignored: bool | None = None) -> Failure:
    try:
        data = json.loads(store.get(key))
        mark = store.stat(key + IGNORED) is not None if ignored is None else ignored
        return Failure(**{**data, "ignored": mark})
    except (ValueError, TypeError) as e:
        raise Corrupt(f"{key} is not a failure record: {e}", remedy="delete it: the document is tried again") from e


def _dump(failure: Failure) -> bytes:
    return json.dumps({k: v for k, v in asdict(failure).items() if k != "ignored"}, indent=1, sort_keys=True, ensure_ascii=False).encode()


def _delete(store: Store, doc_id: str, stage: str, keep: str | None = None) -> int:
    keys = [k for k in store.list(f"{ROOT}{doc_id}/{stage}.") if keep is None or not k.startswith(keep)]
    for key in keys:
        store.delete(key)
    return sum(k.endswith(".json") for k in keys)
