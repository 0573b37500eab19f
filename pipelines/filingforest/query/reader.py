"""Opens publications, pins them, and answers questions from them; what other projects import."""

from __future__ import annotations

import copy
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from filingforest.config.retrieval import RetrievalSettings
from filingforest.current import read_current
from filingforest.errors import FilingForestError, NotFound, QueryError
from filingforest.manifest import Manifest
from filingforest.query.answer import HIT_COLUMNS, Answer, Hit, make_hit
from filingforest.query.documents import Document
from filingforest.query.facts import find_facts
from filingforest.query.filters import Filters
from filingforest.query.intent import Asked, read_question
from filingforest.query.publication import Publication, open_publication
from filingforest.query.rank import Candidate
from filingforest.query.retrieve import Retriever
from filingforest.query.scope import Note, Scope, demanded
from filingforest.query.scope_read import read_scope
from filingforest.query.show import Passage, show
from filingforest.store import Store, open_store

MOST_HITS = 1_000
LONGEST_QUESTION = 20_000


class Reader:
    """Answers from one or more pinned publications. Thread-safe: a question sees the publications that it began with."""

    def __init__(self, urls: Sequence[str], at: str | None = None, cache: Path | None = None, retriever: Retriever | None = None) -> None:
        if not urls:
            raise QueryError("no index given", stage="query", remedy="open('ROOT/CORPUS') or open('s3://bucket/prefix')")
        self.retriever = retriever or Retriever()
        self._stores = list({store.url: store for store in map(open_store, urls)}.values())  # one place named twice is read once
        self._at, self._cache, self._lock = at, cache, threading.Lock()
        self._publications = tuple(open_publication(store, at, cache) for store in self._stores)

    @property
    def publications(self) -> tuple[str, ...]:
        """Ids of the pinned publications."""
        return tuple(p.id for p in self._publications)

    @property
    def opened(self) -> tuple[Publication, ...]:
        """The pinned publications themselves, for what looks beyond questions (evaluation, training)."""
        return self._publications

    def refresh(self) -> bool:
        """Follows CURRENT; True when a publication changed. A reader opened `at` an id stays there."""
        with self._lock:
            if self._at:
                return False
            pinned = zip(self._stores, self._publications, strict=True)
            fresh = tuple(old if _follows(store, old) else open_publication(store, None, self._cache) for store, old in pinned)
            changed = fresh != self._publications
            self._publications = fresh
            return changed

    def pinned(self) -> Reader:
        """A reader of the publications that this one has now, which stays with them: for several questions that belong together."""
        other = copy.copy(self)
        other._at, other._lock = "pinned", threading.Lock()
        return other

    def manifests(self) -> tuple[Manifest, ...]:
        """The manifests of the pinned publications."""
        return tuple(p.manifest for p in self._publications)

    def documents(self, filters: Filters | Mapping[str, Any] | None = None, **named: Any) -> list[Document]:
        """The documents that pass the filters (those on units apart), in the publications' order. Errors: QueryError."""
        wanted = Filters.of({**(Filters.of(filters).as_dict() if filters else {}), **named})
        return [p.documents[int(i)] for p in self._publications for i in np.flatnonzero(demanded(wanted, p.corpus))]

    def query(
        self,
        question: str,
        k: int = 10,
        filters: Filters | Mapping[str, Any] | None = None,
        *,
        id: str | None = None,
        retrieval: RetrievalSettings | None = None,
        **named: Any,
    ) -> Answer:
        """The best `k` units for a question. Filters come as `Filters`, as a mapping, or by name (company="...", year=2024).

        `retrieval`: another arm or rerank tier than the reader's own, for this question.
        Errors: QueryError for an empty question or a filter that cannot be understood; Corrupt, PublicationGone.
        """
        start = time.perf_counter()
        wanted = Filters.of({**(Filters.of(filters).as_dict() if filters else {}), **named})
        _check(question, k)
        retriever = replace(self.retriever, retrieval=retrieval) if retrieval else self.retriever
        publications = self._publications  # once: a refresh meanwhile must not mix two
        parts = [_Part.answer(publication, question, wanted, k, retriever) for publication in publications]
        notes = _notes([part.scope for part in parts])
        first = max(parts, key=lambda part: (bool(part.hits), part.scope.confidence))
        hits = sorted((hit for part in parts for hit in part.hits), key=lambda h: h.rank if len(parts) == 1 else -h.score)[:k]
        return Answer(
            id=id,
            question=question,
            publication=", ".join(p.id for p in publications),
            intent=first.asked.intent,
            route="hybrid",
            scope=first.scope.as_dict(),
            hits=[replace(hit, rank=rank) for rank, hit in enumerate(hits, 1)],
            facts=[fact for part in parts for fact in part.facts],
            notes=notes,
            milliseconds=(time.perf_counter() - start) * 1000,
        )

    def show(self, what: str) -> Passage:
        """The passage that a node_id, unit_key or citation names, in its place. Errors: NotFound, QueryError."""
        error: FilingForestError | None = None
        for publication in self._publications:
            try:
                return show(publication, what)
            except NotFound as missing:
                error = missing
        assert error is not None  # there is at least one publication
        raise error


def _follows(store: Store, old: Publication) -> bool:
    now = read_current(store)
    return now is not None and now.id == old.id


class _Part:
    """One publication's share of an answer."""

    def __init__(self, scope: Scope, asked: Asked, hits: list[Hit], facts: list[dict[str, Any]]) -> None:
        self.scope, self.asked, self.hits, self.facts = scope, asked, hits, facts

    @classmethod
    def answer(cls, publication: Publication, question: str, filters: Filters, k: int, retriever: Retriever) -> _Part:
        scope = read_scope(question, filters, publication.corpus)
        asked = read_question(question, scope.consumed, len(scope.found), len(scope.periods.years), scope.anonymous)
        if not scope.flags.any():
            return cls(scope, asked, [], [])
        candidates = retriever(publication, asked, scope, question, k)
        if publication.encoder.missing:
            scope.notes.append(Note("no_encoder", publication.encoder.missing))
        owners = publication.owners(np.array([c.row for c in candidates], dtype=np.int64)).tolist()
        years = filters.year or scope.periods.years
        facts = [] if asked.narrative else find_facts(publication, asked.items, owners, years, scope.periods.quarters)
        return cls(scope, asked, _hits(publication, candidates, owners), facts)


def _hits(publication: Publication, candidates: Sequence[Candidate], owners: Sequence[int]) -> list[Hit]:
    """Reads the texts of the chosen units, segment by segment."""
    rows: dict[int, Mapping[str, Any]] = {}
    for base, segment in zip(publication.base, publication.segments, strict=False):
        mine = [c.row for c in candidates if base <= c.row < base + segment.units]
        if mine:
            rows.update(zip(mine, segment.read("units", HIT_COLUMNS, [row - int(base) for row in mine]), strict=True))
    return [
        make_hit(place, c.score, rows[c.row], publication.documents[owner], publication.id, c.why)
        for place, (c, owner) in enumerate(zip(candidates, owners, strict=True), 1)
    ]


def _check(question: str, k: int) -> None:
    if not question.strip():
        raise QueryError("the question is empty", stage="query", remedy="ask something")
    if any("\ud800" <= sign <= "\udfff" for sign in question):
        raise QueryError("the question is not valid Unicode", stage="query", remedy="give it as UTF-8")
    if len(question) > LONGEST_QUESTION:
        raise QueryError(
            f"the question has {len(question)} characters, at most {LONGEST_QUESTION} are read", stage="query", remedy="shorten it"
        )
    if not 1 <= k <= MOST_HITS:
        raise QueryError(f"k is {k}", stage="query", remedy=f"give 1 to {MOST_HITS}")


def _notes(scopes: Sequence[Scope]) -> list[Note]:
    """Notes of all publications, each once; what one of them knows is not unknown."""
    unknown_to_all = set.intersection(*(set(scope.unknown) for scope in scopes))
    kept = []
    for note in dict.fromkeys(note for scope in scopes for note in scope.notes):
        if note.code != "unknown_company" or any(note.message.startswith(name) for name in unknown_to_all):
            kept.append(note)
    return kept
