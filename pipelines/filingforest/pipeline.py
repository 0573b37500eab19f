"""A night in steps, the same for `filingforest run` and for the Airflow DAG that maps over them.

discover -> batches -> crawl -> parse -> embed (chunks too) -> grow -> write_receipt -> publish. Arguments and results are JSON-able;
documents travel as references, never as bytes. Every step may be repeated at any time: what is done is skipped.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any

from filingforest.config import Settings
from filingforest.crawl import CRAWL, Crawl
from filingforest.models.base import Embedder
from filingforest.progress import Progress, Tally
from filingforest.request import Request
from filingforest.runner import Entry, Runner, one_by_one
from filingforest.sources.base import DocumentRef
from filingforest.stage_work import StageWork
from filingforest.stages import CHUNKS, EMBEDDINGS, PARSED, TREES
from filingforest.store import Store

log = logging.getLogger(__name__)


class Night:
    """The steps over one index. Holds what is costly to open (encoder, parse workers); close it, or use it in a `with`.

    Errors that are one document's are set aside; what stops everything (store, settings, a 403 of EDGAR) is raised.
    With `raise_late` a step raises a transient error after the rest of its batch is done, so that a scheduler tries the batch again.
    """

    def __init__(
        self, store: Store, settings: Settings, progress: Progress | None = None, embedder: Embedder | None = None, raise_late: bool = False
    ) -> None:
        self.store, self.settings, self.raise_late = store, settings, raise_late
        self.progress: Progress = progress or Tally()
        self.work = StageWork(store, settings, embedder)
        self._crawl = Crawl(store, settings)

    def discover(self, request: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The documents that a request asks for, as references."""
        return [ref.to_dict() for ref in self._crawl.documents(request).listed()]

    def batches(self, refs: Sequence[dict[str, Any]]) -> list[list[dict[str, Any]]]:
        """Cut for mapping: batches of `night.batch_size`, larger ones where there would be more than `night.max_batches`."""
        size = max(self.settings.night.batch_size, -(-len(refs) // self.settings.night.max_batches))
        return [list(refs[i : i + size]) for i in range(0, len(refs), size)]

    def crawl(self, request: Mapping[str, Any], refs: Sequence[Mapping[str, Any]]) -> list[Entry]:
        """Fetches what is not kept yet. Raises SourceForbidden, ConfigError, StoreError."""
        runner, documents = self._runner(request), self._crawl.documents(request)
        self.progress.start(CRAWL, len(refs))
        entries = [self._crawl.fetch(runner, documents, DocumentRef.from_dict(r)) for r in refs]
        self._finish(runner)
        return [e for e in entries if e is not None]

    def parse(self, request: Mapping[str, Any], entries: Sequence[Entry]) -> list[Entry]:
        """Adds `stages.parsed`: documents, texts, nodes, facts, fact_mentions."""
        runner = self._runner(request)
        done = runner.run(self.work.stage(PARSED), (), entries, self.work.parse)
        self._finish(runner)
        return done

    def embed(self, request: Mapping[str, Any], entries: Sequence[Entry]) -> list[Entry]:
        """Adds `stages.chunks` and `stages.embeddings`."""
        runner = self._runner(request)
        done = runner.run(self.work.stage(CHUNKS), (PARSED,), entries, one_by_one(self.work.chunk))
        done = runner.run(self.work.stage(EMBEDDINGS), (PARSED,), done, one_by_one(self.work.embed))
        self._finish(runner)
        return done

    def grow(self, request: Mapping[str, Any], entries: Sequence[Entry]) -> list[Entry]:
        """Adds `stages.trees` after `embed`: the trees of each Item and its counts of lexicon terms. Off: nothing is added."""
        if not self.settings.trees.enabled:
            return list(entries)
        runner = self._runner(request)
        done = runner.run(self.work.stage(TREES), (PARSED, CHUNKS, EMBEDDINGS), entries, one_by_one(self.work.grow))
        self._tell_of_summaries()
        self._finish(runner)
        return done

    def write_receipt(self, request: Mapping[str, Any], entries: Sequence[Entry], expected: int) -> str:
        """Says that this interval is done and what came of it, nothing being an answer too; the receipt's name."""
        from filingforest.publish.receipts import write_receipt

        asked = Request.from_dict(request)
        return write_receipt(self.store, asked.source, asked.interval, list(entries), expected)

    def publish(self, run: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Publishes all receipts that are not held. `run` (who, when) stands in the manifest outside its hash."""
        from filingforest.publish.publish import publish

        return publish(self.store, self.settings, self.embedder, run, self.fingerprints()).to_dict()

    def fingerprints(self) -> dict[str, str]:
        """Stage -> fingerprint of what it makes now: among several outputs for one document, these are preferred."""
        return self.work.fingerprints()

    @property
    def embedder(self) -> Embedder:
        """Opened when it is first needed."""
        return self.work.embedder

    def close(self) -> None:
        """Ends the parse workers and what writes summaries."""
        self.work.close()

    def __enter__(self) -> Night:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _tell_of_summaries(self) -> None:
        """How many summaries a language model wrote, fell back on, had from its cache."""
        generator = self.work.trees.generator
        if told := generator.report():
            text = f"summaries by {generator.name}: " + ", ".join(f"{name} {value:g}" for name, value in sorted(told.items()))
            self.progress.note(text)
            log.info(text)

    def _runner(self, request: Mapping[str, Any]) -> Runner:
        return Runner(self.store, self.progress, request)

    def _finish(self, runner: Runner) -> None:
        if self.raise_late and runner.late:
            raise runner.late[0]
