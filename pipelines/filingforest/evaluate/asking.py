"""Asks the same questions in many ways without doing the same work as often: an ablation is sixty ways of asking.

What a question's ways have in common is kept: the first ranking, trees scored for the question, texts of units. Answers are those of
`Reader.query` (a test compares them); texts and facts of hits, which no metric needs, are not read. What a question costs is asked of
the reader itself, which keeps nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

import numpy as np

from filingforest.config.retrieval import RetrievalSettings
from filingforest.evaluate.questions import Question
from filingforest.query.arms.forest import Forest
from filingforest.query.filters import Filters
from filingforest.query.intent import Asked, read_question
from filingforest.query.publication import Publication
from filingforest.query.rank import Candidate
from filingforest.query.reader import Reader
from filingforest.query.rerank import read_texts
from filingforest.query.retrieve import DEEP, Retriever
from filingforest.query.scope import Scope
from filingforest.query.scope_read import read_scope

_IDENTITY = ("doc_id", "unit_key", "page", "page_end")
Kept = TypeVar("Kept")


class Memory:
    """What was worked out for a question, by kind and question."""

    def __init__(self) -> None:
        self._known: dict[Hashable, object] = {}
        self.texts: dict[int, str] = {}

    def get(self, key: Hashable, make: Callable[[], Kept]) -> Kept:
        """The value of `key`, made where it is not known."""
        if key not in self._known:
            self._known[key] = make()
        return self._known[key]  # type: ignore[return-value]


@dataclass(frozen=True, slots=True)
class KeepingRetriever(Retriever):
    """A retriever of one publication for one question (`id`), which keeps what does not depend on the way of asking."""

    id: str = ""
    memory: Memory = field(default_factory=Memory)

    def hybrid(self, publication: Publication, asked: Asked, scope: Scope, limit: int) -> list[Candidate]:
        """A shorter ranking is the head of a longer one."""
        deep = max(DEEP, limit)
        found = self.memory.get(("hybrid", *self._key(scope)), lambda: Retriever.hybrid(self, publication, asked, scope, deep))
        return found[:limit]

    def trees(self, publication: Publication, asked: Asked, scope: Scope, candidates: Sequence[Candidate]) -> Forest | None:
        key = ("trees", self.control, *self._key(scope))
        return self.memory.get(key, lambda: Retriever.trees(self, publication, asked, scope, candidates))

    def texts(self, publication: Publication, rows: Sequence[int]) -> dict[int, str]:
        missing = [row for row in rows if row not in self.memory.texts]
        self.memory.texts.update(read_texts(publication, missing) if missing else {})
        return {row: self.memory.texts[row] for row in rows}

    def _key(self, scope: Scope) -> tuple[Hashable, ...]:
        return self.id, scope.flags.tobytes(), len(scope.groups)


class Asker:
    """Asks questions of a reader's one publication."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.publication = reader.opened[0]
        self._memory = Memory()

    def found(self, question: Question, chosen: RetrievalSettings, control: int | None, k: int) -> tuple[list[object], list[str]]:
        """The pieces of gold that the best `k` units touch (None where they touch none), and the codes of notes."""
        plain = self.reader.retriever
        retriever = KeepingRetriever(chosen, plain.rerank, plain.backend, control, question.id, self._memory)
        scope = read_scope(question.text, Filters.of(dict(question.filters)), self.publication.corpus)
        asked = read_question(question.text, scope.consumed, len(scope.found), len(scope.periods.years), scope.anonymous)
        candidates = retriever(self.publication, asked, scope, question.text, k) if scope.flags.any() else []
        return [question.found_in(*self._units[c.row]) for c in candidates], list(dict.fromkeys(note.code for note in scope.notes))

    def cost(self, questions: Sequence[Question], chosen: RetrievalSettings, k: int) -> list[float]:
        """CPU milliseconds of each question as a reader answers it; the first is asked once before, so that loading is not counted."""
        out: list[float] = []
        for question in [*questions[:1], *questions]:
            began = time.process_time()
            self.reader.query(question.text, k, dict(question.filters), retrieval=chosen)
            out.append(1_000 * (time.process_time() - began))
        return out[1:]

    @cached_property
    def _units(self) -> np.ndarray[tuple[int], np.dtype[np.object_]]:
        """(doc_id, unit_key, page, page_end) by row."""
        rows = [tuple(row[name] for name in _IDENTITY) for s in self.publication.segments for row in s.read("units", _IDENTITY)]
        out = np.empty(len(rows), dtype=np.object_)
        out[:] = rows
        return out
