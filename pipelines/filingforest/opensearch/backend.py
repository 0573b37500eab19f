"""OpenSearch as a search backend: the same signals as the embedded one, for publications that say that they are there.

A publication's members are asked for by its sequence in every query and inside the graph search, so neither the alias nor a load under
way changes what is found. Words are scored again by the publication's frozen statistics; meaning is Lucene's graph, which is nearly
exact. With `fusion = "server"` words and meaning are joined there by a search pipeline: one request, but with Lucene's statistics.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from filingforest.config.opensearch import OpenSearchSettings
from filingforest.errors import QueryError, StoreError
from filingforest.opensearch import dsl
from filingforest.opensearch.answers import Answers, cannot_join, first_rows
from filingforest.opensearch.client import connect
from filingforest.opensearch.dsl import Clause
from filingforest.opensearch.layout import Layout
from filingforest.query.backend import Scored, Search, TableSignal, Vector, Wanted
from filingforest.query.items import item_keys, label_weights
from filingforest.query.publication import Publication
from filingforest.terms import term_hash

log = logging.getLogger(__name__)
NAME = "opensearch"


class OpenSearchBackend:
    """Searches in OpenSearch. Thread-safe. Errors: QueryError for a publication that is not there, StoreUnavailable, PermissionDenied."""

    name = NAME

    def __init__(self, settings: OpenSearchSettings, client: Any = None) -> None:
        self.settings, self.client = settings, client or connect(settings)
        self._rows: dict[str, dict[str, int]] = {}
        self._lock = threading.Lock()
        self.fuses = settings.fusion != "client"  # turned off for good where the pipeline or the plugin is missing

    def search(self, publication: Publication, wanted: Wanted) -> Search:
        return OpenSearchSearch(self, publication, wanted)

    def rows(self, publication: Publication) -> dict[str, int]:
        """First row of each live document of a publication."""
        with self._lock:
            if publication.id not in self._rows:
                self._rows = {publication.id: first_rows(publication)}
            return self._rows[publication.id]

    def pipeline(self, publication: Publication) -> str:
        """The search pipeline that joins orders."""
        return Layout.of(publication.manifest.corpus, self.settings, None).pipeline


class OpenSearchSearch:
    """One question. Requests are made when their answers are asked for."""

    def __init__(self, backend: OpenSearchBackend, publication: Publication, wanted: Wanted) -> None:
        self._backend, self._publication, self._wanted = backend, publication, wanted
        about = publication.manifest.targets.get(NAME)
        if about is None:
            remedy = "publish with [opensearch] set, or query with --backend embedded"
            raise QueryError("this publication is not in OpenSearch", document=publication.id, stage="query", remedy=remedy)
        self._index: str = about["index"]
        self._sequence: int = about["sequence"]
        self._answers = Answers(backend.client, self._index, publication, lambda: backend.rows(publication))
        self._words: dict[int, Scored] = {}
        self._dense: dict[int, Scored] = {}

    def words(self, depth: int) -> Scored:
        if depth not in self._words:
            self._words[depth] = self._answers.ask([self._by_words(depth)])[0] if self._terms and self._any else []
        return self._words[depth]

    def dense(self, question: Vector, depth: int) -> Scored:
        if depth not in self._dense:
            asked = self._any and self._has_vectors
            self._dense[depth] = self._answers.ask([self._by_meaning(question, depth)])[0] if asked else []
        return self._dense[depth]

    def fused(self, question: Vector | None, depth: int) -> Scored | None:
        """What is asked for after this is asked for with it: a request that waits for another costs more than its own work."""
        if question is None or not (self._terms and self._any and self._has_vectors):
            return None
        if self._backend.fuses:
            try:
                best = [self._by_words(1)] if self._asks_for_tables else []
                fused, *words = self._answers.ask([self._joined(question, depth), *best])
                self._words.update(dict(zip((1,), words, strict=False)))
                return fused
            except StoreError as error:
                if type(error) is not StoreError:  # what asking in another way does not mend
                    raise
                log.warning("words and meaning are joined here, since OpenSearch does not: %s", error)
                self._backend.fuses = not cannot_join(error)
        self._words[depth], self._dense[depth] = self._answers.ask([self._by_words(depth), self._by_meaning(question, depth)])
        return None

    def _by_words(self, depth: int) -> Clause:
        again = dsl.exact_words(self._terms, self._idf, self._publication.stats.average)
        return dsl.search(dsl.any_words(self._terms, self._filters), depth, again)

    def _by_meaning(self, question: Vector, depth: int) -> Clause:
        return dsl.search(self._nearest(question, depth), depth)

    def _joined(self, question: Vector, depth: int) -> Clause:
        parts = [dsl.any_words(self._terms, self._filters), self._nearest(question, depth)]
        return {**dsl.search(dsl.hybrid(parts, depth), depth), "search_pipeline": self._backend.pipeline(self._publication)}

    def tables(self, signals: Sequence[TableSignal], depth: int) -> list[Scored]:
        requests: list[Clause | None] = [self._table(signal, depth) if self._any else None for signal in signals]
        answers = iter(self._answers.ask([request for request in requests if request is not None]))
        return [next(answers) if request is not None else [] for request in requests]

    def _table(self, signal: TableSignal, depth: int) -> Clause | None:
        """None where nothing can match."""
        more: list[Clause] = []
        if signal.item is not None:
            keys = self._held(dict(item_keys(signal.item)))
            must = dsl.rows_with(keys)
            more = [dsl.of_statement(signal.item.statement)] if signal.item.statement else []
        elif signal.statement is not None:
            keys, must = {signal.statement: 1.0}, dsl.of_statement(signal.statement, 1.0)
        else:
            labels = self._held(dict(label_weights(self._wanted.asked, self._publication.stats)))
            keys = dict(sorted(labels.items(), key=lambda pair: -pair[1])[: dsl.MOST_TERMS])
            must = dsl.rows_with(keys)
        if not keys:
            return None
        more += dsl.preferred(self._wanted.preference)
        if not self._terms:
            return dsl.search(dsl.tables(must, more, self._filters), depth)
        scale = 1.0 / (self._top or 1.0)
        roughly = dsl.tables(must, [*more, dsl.boosted(dsl.words(self._terms), scale)], self._filters)
        exactly = dsl.tables(must, [*more, dsl.exact_words(self._terms, self._idf, self._publication.stats.average, scale)], [])
        return dsl.search(roughly, depth, exactly)

    @property
    def _asks_for_tables(self) -> bool:
        """Whether it is likely that orders of tables are wanted too: not for reasons among all companies (`query/rank.py`)."""
        return not self._wanted.asked.narrative or bool((self._publication.live & ~self._wanted.documents).any())

    @cached_property
    def _top(self) -> float:
        """The best score by words, which makes the others a share."""
        known = next((scored for scored in self._words.values()), None)
        best = known if known is not None else self.words(1)
        return best[0][1] if best else 0.0

    @cached_property
    def _filters(self) -> list[Clause]:
        publication = self._publication
        names = publication.documents.text("doc_id")
        return dsl.scope(self._sequence, self._wanted.documents, publication.live, names, self._wanted.filters)

    @cached_property
    def _any(self) -> bool:
        return bool((self._wanted.documents & self._publication.live).any())

    @cached_property
    def _weighted(self) -> tuple[dict[str, float], Any]:
        terms = self._held(self._wanted.asked.terms)
        return dsl.rarest(terms, self._publication.stats.idf(_hashes(terms)))

    def _held(self, terms: Mapping[str, float]) -> dict[str, float]:
        """Those that some unit of the publication holds: the others match nothing, and a question has dozens of labels to ask for."""
        held = self._publication.stats.holds(_hashes(terms))
        return {term: weight for (term, weight), there in zip(terms.items(), held, strict=True) if there}

    @property
    def _terms(self) -> dict[str, float]:
        return self._weighted[0]

    @property
    def _idf(self) -> Any:
        return self._weighted[1]

    @property
    def _has_vectors(self) -> bool:
        return self._publication.manifest.model is not None

    def _nearest(self, question: Vector, depth: int) -> Clause:
        return dsl.nearest(question, self._filters, depth, self._backend.settings)


def _hashes(terms: Iterable[str]) -> npt.NDArray[np.uint64]:
    return np.array([term_hash(term) for term in terms], dtype=np.uint64)
