"""A night in steps, the same for `filingforest run` and for the Airflow DAG that maps over them.

discover -> batches -> crawl -> parse -> embed (chunks too) -> grow -> write_receipt -> publish. Arguments and results are JSON-able;
documents travel as references, never as bytes. Every step may be repeated at any time: what is done is skipped.
"""

from __future__ import annotations

import logging
import os
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Any

from filingforest import failures, raw, takedowns
from filingforest.bundle import Bundle, read_bundle, write_bundle
from filingforest.config import EmbedSettings, Settings
from filingforest.models.base import Embedder
from filingforest.progress import ASIDE, KNOWN, NEW, Progress, Tally
from filingforest.request import Documents, Request, open_source
from filingforest.runner import Entry, Made, Runner, one_by_one
from filingforest.sources.base import DocumentRef
from filingforest.stages import CHUNKS, EMBEDDINGS, PARSED, TREES, Stage, fingerprint, stage_prefix
from filingforest.store import Store

if TYPE_CHECKING:
    from filingforest.parse.workers import ParsePool
    from filingforest.trees.build import TreeBuilder

log = logging.getLogger(__name__)
CRAWL = "crawl"


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
        self._embedder = embedder
        self._sources: dict[tuple[str, tuple[str, ...]], Any] = {}
        self._pool: ParsePool | None = None
        self._trees: TreeBuilder | None = None

    def discover(self, request: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The documents that a request asks for, as references."""
        return [ref.to_dict() for ref in self._documents(request).listed()]

    def batches(self, refs: Sequence[dict[str, Any]]) -> list[list[dict[str, Any]]]:
        """Cut for mapping: batches of `night.batch_size`, larger ones where there would be more than `night.max_batches`."""
        size = max(self.settings.night.batch_size, -(-len(refs) // self.settings.night.max_batches))
        return [list(refs[i : i + size]) for i in range(0, len(refs), size)]

    def crawl(self, request: Mapping[str, Any], refs: Sequence[Mapping[str, Any]]) -> list[Entry]:
        """Fetches what is not kept yet. Raises SourceForbidden, ConfigError, StoreError."""
        runner, documents = self._runner(request), self._documents(request)
        self.progress.start(CRAWL, len(refs))
        entries = [self._crawl(runner, documents, DocumentRef.from_dict(r)) for r in refs]
        self._finish(runner)
        return [e for e in entries if e is not None]

    def parse(self, request: Mapping[str, Any], entries: Sequence[Entry]) -> list[Entry]:
        """Adds `stages.parsed`: documents, texts, nodes, facts, fact_mentions."""
        runner = self._runner(request)
        done = runner.run(self._stage_parsed(), (), entries, self._parse_all)
        self._finish(runner)
        return done

    def embed(self, request: Mapping[str, Any], entries: Sequence[Entry]) -> list[Entry]:
        """Adds `stages.chunks` and `stages.embeddings`."""
        runner = self._runner(request)
        done = runner.run(self._stage_chunks(), (PARSED,), entries, one_by_one(self._chunks))
        done = runner.run(self._stage_embeddings(), (PARSED,), done, one_by_one(self._embeddings))
        self._finish(runner)
        return done

    def grow(self, request: Mapping[str, Any], entries: Sequence[Entry]) -> list[Entry]:
        """Adds `stages.trees` after `embed`: the trees of each Item and its counts of lexicon terms. Off: nothing is added."""
        if not self.settings.trees.enabled:
            return list(entries)
        runner = self._runner(request)
        done = runner.run(self._stage_trees(), (PARSED, CHUNKS, EMBEDDINGS), entries, one_by_one(self._grow))
        if told := self.trees.generator.report():
            text = f"summaries by {self.trees.generator.name}: " + ", ".join(f"{name} {value:g}" for name, value in sorted(told.items()))
            self.progress.note(text)
            log.info(text)
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
        parsed = self._stage_parsed().fingerprint()
        made = {PARSED: parsed, CHUNKS: self._stage_chunks().fingerprint(parsed), EMBEDDINGS: self._stage_embeddings().fingerprint(parsed)}
        if self.settings.trees.enabled:
            made[TREES] = self._stage_trees().fingerprint(*made.values())
        return made

    @property
    def embedder(self) -> Embedder:
        """Opened when it is first needed."""
        if self._embedder is None:
            self._embedder = open_encoder(self.settings.embed)
        return self._embedder

    @property
    def trees(self) -> TreeBuilder:
        """Opened when it is first needed, with lexicon and generator."""
        if self._trees is None:
            from filingforest.flam.count import TermCounter
            from filingforest.flam.lexicon import open_lexicon
            from filingforest.trees.build import TreeBuilder
            from filingforest.trees.open import open_generator

            terms = TermCounter(open_lexicon(self.settings.flam))
            self._trees = TreeBuilder(self.settings.trees, open_generator(self.settings, terms), self.embedder, terms)
        return self._trees

    def close(self) -> None:
        """Ends the parse workers and what writes summaries."""
        if self._pool is not None:
            self._pool.close()
            self._pool = None
        if self._trees is not None:
            self._trees.generator.close()

    def __enter__(self) -> Night:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    @cached_property
    def _taken(self) -> dict[str, takedowns.Takedown]:
        """Documents that are not to be taken in again."""
        return takedowns.active(self.store)

    def _runner(self, request: Mapping[str, Any]) -> Runner:
        return Runner(self.store, self.progress, request)

    def _finish(self, runner: Runner) -> None:
        if self.raise_late and runner.late:
            raise runner.late[0]

    def _documents(self, request: Mapping[str, Any]) -> Documents:
        """Its source is shared with other requests: it remembers companies and keeps connections open."""
        asked = Request.from_dict(request)
        key = (asked.source, asked.inputs)
        if key not in self._sources:
            self._sources[key] = open_source(asked, self.settings)
        return Documents(asked, self.settings, self._sources[key])

    def _crawl(self, runner: Runner, documents: Documents, ref: DocumentRef) -> Entry | None:
        if ref.doc_id in self._taken:
            self.progress.done(CRAWL, ref.doc_id, ASIDE, takedowns.says(self._taken[ref.doc_id]))
            return None
        attempt = fingerprint(CRAWL, "1", {}, [ref.url])
        version = raw.newest(self.store, ref.doc_id) if documents.immutable else None
        outcome = KNOWN
        if version is None:
            if documents.immutable and runner.stays_aside(CRAWL, ref.doc_id, attempt):
                return None
            try:
                document = documents.fetch(ref)
            except Exception as error:  # whatever it is, it is this document's; the runner decides
                runner.set_aside(CRAWL, ref.doc_id, attempt, error, ref.to_dict())
                return None
            version = document.doc_version
            outcome = NEW if raw.keep(self.store, document) else KNOWN
            failures.clear(self.store, ref.doc_id, CRAWL)
        self.progress.done(CRAWL, ref.doc_id, outcome, f"as {raw.content_key(ref.doc_id, version)}")
        return _entry(ref, version, raw.origin(self.store, ref.doc_id, version))

    def _parse_all(self, entries: Sequence[Entry]) -> Iterator[Made]:
        """In worker processes, several at once; what cannot even be loaded comes last."""
        from filingforest.parse.workers import Job, ParsePool, bundle_of

        sent, broken = deque[Entry](), list[Made]()

        def jobs() -> Iterator[Job]:
            for entry in entries:
                try:
                    document = raw.load(self.store, entry["doc_id"], entry["doc_version"])
                except Exception as error:  # whatever it is, it is this document's; the runner decides
                    broken.append((entry, error))
                    continue
                sent.append(entry)
                yield Job(bundle_of, document.content, document.hint)

        self._pool = self._pool or ParsePool(self.settings.parse)
        for made in self._pool.run(jobs()):
            yield sent.popleft(), made
        yield from broken

    def _parsed(self, entry: Entry) -> Bundle:
        return self._bundle(entry["stages"][PARSED], entry["doc_id"])

    def _bundle(self, key: str, doc_id: str) -> Bundle:
        return read_bundle(self.store.get(key), doc_id)

    def _chunks(self, entry: Entry) -> bytes:
        from filingforest.trees.chunks import build_chunks

        size = self.settings.chunk
        nodes = self._parsed(entry).table("nodes")
        return write_bundle({CHUNKS: build_chunks(entry["doc_id"], nodes, size.target_tokens, size.overlap_tokens)})

    def _embeddings(self, entry: Entry) -> bytes:
        """Vectors of an earlier parse of the same document are taken over: nothing is embedded twice."""
        from filingforest.models.passages import embed_units, known_vectors

        known: dict[str, Any] = {}
        for key in self.store.list(stage_prefix(EMBEDDINGS, entry["doc_id"])):
            known |= known_vectors(self._bundle(key, entry["doc_id"]).table(EMBEDDINGS), self.embedder.info)
        return write_bundle({EMBEDDINGS: embed_units(self._parsed(entry).table("nodes"), self.embedder, known)})

    def _grow(self, entry: Entry) -> bytes:
        """Trees of Items that did not change are taken over from earlier outputs."""
        from filingforest.trees.build import known_items

        doc_id, stages = entry["doc_id"], entry["stages"]
        earlier = known_items(self._bundle(key, doc_id) for key in self.store.list(stage_prefix(TREES, doc_id)))
        chunks = self._bundle(stages[CHUNKS], doc_id).table(CHUNKS)
        embeddings = self._bundle(stages[EMBEDDINGS], doc_id).table(EMBEDDINGS)
        return write_bundle(self.trees.build(doc_id, self._parsed(entry).table("nodes"), chunks, embeddings, earlier))

    def _stage_parsed(self) -> Stage:
        from filingforest.parse import PARSER_VERSION

        return Stage(PARSED, PARSER_VERSION, bounds=asdict(self.settings.parse))

    def _stage_chunks(self) -> Stage:
        from filingforest.trees.chunks import CHUNKS_VERSION

        return Stage(CHUNKS, CHUNKS_VERSION, asdict(self.settings.chunk))

    def _stage_embeddings(self) -> Stage:
        from filingforest.models.passages import EMBEDDINGS_VERSION

        return Stage(EMBEDDINGS, EMBEDDINGS_VERSION, self.embedder.info.as_dict())

    def _stage_trees(self) -> Stage:
        from filingforest.trees.build import TREES_VERSION, shape_settings

        made = {"generator": self.trees.generator.name, "lexicon": self.trees.terms.lexicon.revision}
        return Stage(TREES, TREES_VERSION, {**shape_settings(self.settings.trees), **made})


def _entry(ref: DocumentRef, version: str, origin: Mapping[str, Any]) -> Entry:
    """A kept document at the start of its way. A filing is known from its acceptance; a file from when it was first seen."""
    hint = origin["hint"]
    known = hint.get("accepted_at") or hint.get("filed_at") or raw.known_from(dict(origin))
    return Entry(doc_id=ref.doc_id, doc_version=version, known_from=known, ref=ref.to_dict(), stages={}, fingerprints={})


def open_encoder(embed: EmbedSettings) -> Embedder:
    from filingforest.models.catalogue import DEFAULT_HUB, DEFAULT_OFFLINE
    from filingforest.models.open import open_embedder

    model = embed.model or (DEFAULT_OFFLINE if embed.method == "onnx" else DEFAULT_HUB)
    threads = embed.threads or len(os.sched_getaffinity(0))
    return open_embedder(embed.method, model, threads=threads, batch_size=embed.batch_size)
