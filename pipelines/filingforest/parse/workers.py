"""Parsing in processes of its own, so that one hostile document costs its worker's life and never the night's.

A pool holds long-lived workers (imports are paid once, not per filing), recycled now and then. A document that takes more memory or
time than it may is ended with its worker and reported as TooLarge; every other is parsed as if nothing had happened. Results come in order.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from filingforest.config import ParseSettings
from filingforest.errors import DocumentError, FilingForestError, StoreError, TooLarge
from filingforest.parse.model import DocumentHint
from filingforest.parse.worker_process import WorkerDied, WorkerOver, WorkerProcess

AHEAD = 3  # documents a worker that may wait for an earlier one that is still parsed


@dataclass(frozen=True, slots=True)
class Job:
    """One document for a worker: `work(content, hint, settings, *arguments)` runs there. `work` is a function of an importable module.

    `content` may be a path: the worker then reads it, and the bytes never pass through this process.
    """

    work: Callable[..., Any]
    content: bytes | Path
    hint: DocumentHint
    arguments: tuple[Any, ...] = ()


class ParsePool:
    """Workers that parse, as many as `settings.workers` (0: one a CPU). Close it, or use it in a `with`."""

    def __init__(self, settings: ParseSettings, workers: int = 0) -> None:
        self.settings = settings
        self.size = max(1, workers or settings.workers or _cpus())
        self._threads = ThreadPoolExecutor(self.size, thread_name_prefix="parse")
        self._mine = threading.local()
        self._all: list[WorkerProcess] = []
        self._lock = threading.Lock()

    def map(self, documents: Iterable[tuple[bytes | Path, DocumentHint]]) -> Iterator[bytes | DocumentError]:
        """For each document, in order, the bundle of its tables (`bundle.read_bundle`), or the reason why there is none."""
        return self.run(Job(bundle_of, content, hint) for content, hint in documents)

    def run(self, jobs: Iterable[Job]) -> Iterator[Any]:
        """What each job's work returned, in order, or the DocumentError that it raised. `jobs` is read only as far as needed."""
        waiting: deque[Future[Any]] = deque()
        for job in jobs:
            waiting.append(self._threads.submit(self._one, job))
            if len(waiting) >= self.size * AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()

    def _one(self, job: Job) -> Any:
        """Runs in a thread that has a worker of its own. Errors that are not the document's (a broken installation) are raised."""
        document = job.hint.doc_id
        try:
            return self._worker().run(job.work, job.content, job.hint, self.settings, job.arguments)
        except WorkerOver as over:
            remedy = f"raise parse.{over.setting} if you trust it, or leave it out with `filingforest failures ignore`"
            return TooLarge(f"parsing took more than {over}", document=document, stage="parse", remedy=remedy)
        except WorkerDied as died:
            remedy = "try it alone with `filingforest parse`; if it ends the worker again, leave it out with `filingforest failures ignore`"
            return DocumentError(f"the worker {died} while parsing it", document=document, stage="parse", remedy=remedy)
        except DocumentError as error:
            error.document, error.stage = error.document or document, error.stage or "parse"
            return error
        except FilingForestError:
            raise
        except Exception as error:
            remedy = "this is a fault of the parser: keep the document and report it"
            return DocumentError(f"{type(error).__name__}: {error}", document=document, stage="parse", remedy=remedy)

    def _worker(self) -> WorkerProcess:
        worker: WorkerProcess | None = getattr(self._mine, "worker", None)
        if worker is None:
            worker = self._mine.worker = WorkerProcess()
            with self._lock:
                self._all.append(worker)
        return worker

    def close(self) -> None:
        """Ends the workers; what has not begun is dropped."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            for worker in self._all:
                worker.end()
        self._threads.shutdown(wait=True)

    def __enter__(self) -> ParsePool:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def bundle_of(content: bytes, hint: DocumentHint, settings: ParseSettings) -> bytes:
    """The document's tables as one bundle; its version is that of its bytes."""
    import hashlib

    from filingforest.bundle import write_bundle
    from filingforest.parse import parse_document
    from filingforest.parse.to_tables import parsed_tables

    version = hashlib.sha256(content).hexdigest()[:16]
    parsed = parse_document(content, hint, settings)
    try:
        return write_bundle(parsed_tables(parsed, version))
    except StoreError as error:  # one document's values do not fit the tables: that must not stop the night
        remedy = "this is a fault of the parser: keep the document and report it"
        raise DocumentError(f"it does not fit the tables: {error}", document=hint.doc_id, stage="parse", remedy=remedy) from error


def _cpus() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
