"""What each stage does to one document, and each stage as these settings set it up. `pipeline.py` says in which order."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from filingforest import raw
from filingforest.bundle import Bundle, read_bundle, write_bundle
from filingforest.config import EmbedSettings, Settings
from filingforest.models.base import Embedder
from filingforest.runner import Entry, Made
from filingforest.stages import CHUNKS, EMBEDDINGS, PARSED, TREES, Stage, stage_prefix
from filingforest.store import Store

if TYPE_CHECKING:
    from filingforest.parse.workers import ParsePool
    from filingforest.trees.build import TreeBuilder


class StageWork:
    """The stages over one index. Holds what is costly, opened when first needed: encoder, tree builder, parse workers."""

    def __init__(self, store: Store, settings: Settings, embedder: Embedder | None = None) -> None:
        self.store, self.settings = store, settings
        self._embedder = embedder
        self._pool: ParsePool | None = None
        self._trees: TreeBuilder | None = None

    @property
    def embedder(self) -> Embedder:
        if self._embedder is None:
            self._embedder = open_encoder(self.settings.embed)
        return self._embedder

    @property
    def trees(self) -> TreeBuilder:
        """With lexicon and generator."""
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

    def parse(self, entries: Sequence[Entry]) -> Iterator[Made]:
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

    def chunk(self, entry: Entry) -> bytes:
        """Cuts the parsed document into the leaves of trees."""
        from filingforest.trees.chunks import build_chunks

        size = self.settings.chunk
        nodes = self._parsed(entry).table("nodes")
        return write_bundle({CHUNKS: build_chunks(entry["doc_id"], nodes, size.target_tokens, size.overlap_tokens)})

    def embed(self, entry: Entry) -> bytes:
        """Vectors of an earlier parse of the same document are taken over: nothing is embedded twice."""
        from filingforest.models.passages import embed_units, known_vectors

        known: dict[str, Any] = {}
        for key in self.store.list(stage_prefix(EMBEDDINGS, entry["doc_id"])):
            known |= known_vectors(self._bundle(key, entry["doc_id"]).table(EMBEDDINGS), self.embedder.info)
        return write_bundle({EMBEDDINGS: embed_units(self._parsed(entry).table("nodes"), self.embedder, known)})

    def grow(self, entry: Entry) -> bytes:
        """Trees of Items that did not change are taken over from earlier outputs."""
        from filingforest.trees.build import known_items

        doc_id, stages = entry["doc_id"], entry["stages"]
        earlier = known_items(self._bundle(key, doc_id) for key in self.store.list(stage_prefix(TREES, doc_id)))
        chunks = self._bundle(stages[CHUNKS], doc_id).table(CHUNKS)
        embeddings = self._bundle(stages[EMBEDDINGS], doc_id).table(EMBEDDINGS)
        return write_bundle(self.trees.build(doc_id, self._parsed(entry).table("nodes"), chunks, embeddings, earlier))

    def stage(self, name: str) -> Stage:
        """One of `stages.STAGES` with its version and the settings that shape its output."""
        set_up = {PARSED: self._parsing, CHUNKS: self._chunking, EMBEDDINGS: self._embedding, TREES: self._growing}
        return set_up[name]()

    def fingerprints(self) -> dict[str, str]:
        """Stage -> fingerprint of what it makes now."""
        parsed = self.stage(PARSED).fingerprint()
        made = {PARSED: parsed, CHUNKS: self.stage(CHUNKS).fingerprint(parsed), EMBEDDINGS: self.stage(EMBEDDINGS).fingerprint(parsed)}
        if self.settings.trees.enabled:
            made[TREES] = self.stage(TREES).fingerprint(*made.values())
        return made

    def _parsing(self) -> Stage:
        from filingforest.parse import PARSER_VERSION

        return Stage(PARSED, PARSER_VERSION, bounds=asdict(self.settings.parse))

    def _chunking(self) -> Stage:
        from filingforest.trees.chunks import CHUNKS_VERSION

        return Stage(CHUNKS, CHUNKS_VERSION, asdict(self.settings.chunk))

    def _embedding(self) -> Stage:
        from filingforest.models.passages import EMBEDDINGS_VERSION

        return Stage(EMBEDDINGS, EMBEDDINGS_VERSION, self.embedder.info.as_dict())

    def _growing(self) -> Stage:
        from filingforest.trees.build import TREES_VERSION, shape_settings

        made = {"generator": self.trees.generator.name, "lexicon": self.trees.terms.lexicon.revision}
        return Stage(TREES, TREES_VERSION, {**shape_settings(self.settings.trees), **made})

    def _parsed(self, entry: Entry) -> Bundle:
        return self._bundle(entry["stages"][PARSED], entry["doc_id"])

    def _bundle(self, key: str, doc_id: str) -> Bundle:
        return read_bundle(self.store.get(key), doc_id)


def open_encoder(embed: EmbedSettings) -> Embedder:
    """The encoder that the settings name, else the method's default."""
    from filingforest.models.catalogue import DEFAULT_HUB, DEFAULT_OFFLINE
    from filingforest.models.open import open_embedder

    model = embed.model or (DEFAULT_OFFLINE if embed.method == "onnx" else DEFAULT_HUB)
    threads = embed.threads or len(os.sched_getaffinity(0))
    return open_embedder(embed.method, model, threads=threads, batch_size=embed.batch_size)
