"""Takes many documents through one stage: what is done is skipped, what fails is set aside with its reason, the rest goes on."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypedDict

from filingforest import failures
from filingforest.errors import ConfigError, Corrupt, FilingForestError, NotFound, SourceForbidden, StoreError
from filingforest.progress import ASIDE, KNOWN, NEW, Progress, Tally
from filingforest.stages import Stage, stage_key
from filingforest.store import Store

log = logging.getLogger(__name__)


class Entry(TypedDict):
    """One document on its way through a night. JSON-able: it travels between tasks; `stages` and `fingerprints` grow by a stage each."""

    doc_id: str
    doc_version: str
    known_from: str
    ref: dict[str, Any]
    stages: dict[str, str]
    fingerprints: dict[str, str]


Made = tuple[Entry, bytes | Exception]
Work = Callable[[Sequence[Entry]], Iterator[Made]]


class Runner:
    """One run's way of doing stages. `late` collects transient errors, for callers that want to try the batch again."""

    def __init__(self, store: Store, progress: Progress | None = None, request: Mapping[str, Any] | None = None) -> None:
        self.store, self.progress, self.request = store, progress or Tally(), dict(request or {})
        self.late: list[FilingForestError] = []

    def run(self, stage: Stage, after: Sequence[str], entries: Sequence[Entry], work: Work) -> list[Entry]:
        """The entries that went through, in order, each with the key of its output. Raises only what stops the whole night."""
        self.progress.start(stage.name, len(entries))
        named = [_named(stage, after, e) for e in entries]
        through = {e["doc_id"] for e in named if self._is_there(stage, e)}
        todo = [e for e in named if e["doc_id"] not in through and not self._stays_aside(stage, e)]
        for entry, made in work(todo) if todo else ():
            if isinstance(made, Exception):
                self.set_aside(stage.name, entry["doc_id"], _attempt(stage, entry), made, entry["ref"], entry["doc_version"])
                continue
            self.store.put_new(entry["stages"][stage.name], made)
            failures.clear(self.store, entry["doc_id"], stage.name)
            through.add(entry["doc_id"])
            self.progress.done(stage.name, entry["doc_id"], NEW)
        return [e for e in named if e["doc_id"] in through]

    def set_aside(self, stage: str, doc_id: str, fp: str, error: Exception, ref: Mapping[str, Any], version: str | None = None) -> None:
        """Keeps the reason and goes on; an error that is no document's fault is raised instead."""
        if stops_the_night(error):
            raise error
        failure = failures.failure_of(error, doc_id, stage, fp, doc_version=version, ref=dict(ref), request=self.request)
        failures.record(self.store, failure)
        if isinstance(error, FilingForestError) and error.transient:
            self.late.append(error)
        log.debug("%s %s", stage, doc_id, exc_info=error)
        self.progress.done(stage, doc_id, ASIDE, failures.reason(failure))

    def stays_aside(self, stage: str, doc_id: str, fp: str) -> bool:
        """It failed before in just this way and would again."""
        failure = failures.find(self.store, doc_id, stage, fp)
        if failure is None or not failure.final:
            return False
        why = "ignored" if failure.ignored else "failed before; `failures retry` tries it again"
        self.progress.done(stage, doc_id, ASIDE, f"{failures.reason(failure)} ({why})")
        return True

    def _is_there(self, stage: Stage, entry: Entry) -> bool:
        if self.store.stat(entry["stages"][stage.name]) is None:
            return False
        self.progress.done(stage.name, entry["doc_id"], KNOWN, f"as {entry['stages'][stage.name]}")
        return True

    def _stays_aside(self, stage: Stage, entry: Entry) -> bool:
        return self.stays_aside(stage.name, entry["doc_id"], _attempt(stage, entry))


def one_by_one(make: Callable[[Entry], bytes]) -> Work:
    """A stage's work from a function of one document: its error is that document's outcome."""

    def work(entries: Sequence[Entry]) -> Iterator[Made]:
        for entry in entries:
            try:
                yield entry, make(entry)
            except Exception as error:  # whatever it is, it is this document's; the runner decides
                yield entry, error

    return work


def stops_the_night(error: Exception) -> bool:
    """Errors that the next document would meet too: the store, the settings, a source that forbids us."""
    if isinstance(error, Corrupt | NotFound):
        return False
    return isinstance(error, StoreError | ConfigError | SourceForbidden)


def _named(stage: Stage, after: Sequence[str], entry: Entry) -> Entry:
    fp = stage.fingerprint(*(entry["fingerprints"][name] for name in after))
    key = stage_key(stage.name, entry["doc_id"], entry["doc_version"], fp)
    more = {"stages": {**entry["stages"], stage.name: key}, "fingerprints": {**entry["fingerprints"], stage.name: fp}}
    return {**entry, **more}  # type: ignore[typeddict-item]


def _attempt(stage: Stage, entry: Entry) -> str:
    return stage.attempt(entry["doc_version"], entry["fingerprints"][stage.name])
