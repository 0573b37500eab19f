"""Loads what a publication changes: finds the documents that differ from the last one loaded, and says what becomes of each unit."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np

from filingforest.manifest import Manifest
from filingforest.opensearch.bulk import Action
from filingforest.opensearch.client import guarded
from filingforest.opensearch.documents import COLUMNS, document_fields, document_id, unit_fields
from filingforest.opensearch.live import Ranges, from_source, loaded, to_source
from filingforest.opensearch.reading import SegmentReader, UnitRow
from filingforest.query.documents import Document
from filingforest.store import Store

DOCUMENTS_AT_ONCE = 20  # whose units are looked up together
SAMPLES = 16
Row = tuple[str, dict[str, Any], dict[str, Any]]  # key, what is hashed of it, vectors


@dataclass
class Load:
    """One load of `manifest` onto `base` (a sequence). `changed` are the documents to look at; None: all that there are."""

    client: Any
    index: str
    store: Store
    manifest: Manifest
    base: int
    rows: Callable[[SegmentReader, list[str]], Iterator[tuple[Document, Iterator[Row]]]]
    changed: Collection[str] | None = None
    samples: list[tuple[str, list[float]]] = field(default_factory=list)  # some ids with vectors, to see whether they are found

    def actions(self) -> Iterator[Action]:
        """What is to be written, in the order of the segments; nothing for what is as it should be."""
        empty = self._count() == 0
        wanted = None if self.changed is None else {*self.changed, *self._traces()}
        seen: set[str] = set()
        for entry in self.manifest.segments:
            reader = SegmentReader(self.store, entry)
            mine = [d for d in reader.live if wanted is None or d in wanted]
            seen.update(mine)
            for batch in _batches(mine, DOCUMENTS_AT_ONCE):
                there = {} if empty else self._there(batch)
                for _, rows in self.rows(reader, batch):
                    yield from self._document(rows, there)
                yield from self._leaving(there)
        gone = (self._every_document() if wanted is None else wanted) - seen
        for batch in _batches(sorted(gone), DOCUMENTS_AT_ONCE):
            yield from self._leaving({} if empty else self._there(batch))

    def _document(self, rows: Iterator[Row], there: dict[str, tuple[str, Ranges]]) -> Iterator[Action]:
        for key, source, vectors in rows:
            name = document_id(key, source)
            if name in there:
                yield from self._change(name, *there.pop(name), member=True)
            else:
                yield self._new(name, source, vectors)

    def _new(self, name: str, source: dict[str, Any], vectors: Mapping[str, Any]) -> Action:
        live = to_source(loaded((), self.base, self.manifest.sequence, True))
        body = {**source, "live": live, "changed": self.manifest.sequence}
        if vectors.get("vector") is not None:
            body["vector"] = numbers(vectors["vector"])
            if len(self.samples) < SAMPLES:
                self.samples.append((name, body["vector"]))
        if vectors.get("questions"):
            pairs = zip(source["questions"], vectors["questions"], strict=True)
            body["questions"] = [{**question, "vector": numbers(vector)} for question, vector in pairs]
        return Action("create", name, body, source["doc_id"])

    def _leaving(self, there: Mapping[str, tuple[str, Ranges]]) -> Iterator[Action]:
        for name, (document, ranges) in there.items():
            yield from self._change(name, document, ranges, member=False)

    def _change(self, name: str, document: str, ranges: Ranges, *, member: bool) -> Iterator[Action]:
        after = loaded(ranges, self.base, self.manifest.sequence, member)
        if after != ranges:
            yield Action("update", name, {"live": to_source(after), "changed": self.manifest.sequence}, document)

    def _there(self, documents: Sequence[str]) -> dict[str, tuple[str, Ranges]]:
        """Units of these documents that are there, visible or not: id -> (document, ranges)."""
        from opensearchpy.helpers import scan

        query = {"query": {"terms": {"doc_id": list(documents)}}, "_source": ["doc_id", "live"]}
        with guarded(self.index):
            found = scan(self.client, query=query, index=self.index, size=1_000)
            return {hit["_id"]: (hit["_source"]["doc_id"], from_source(hit["_source"].get("live"))) for hit in found}

    def _traces(self) -> set[str]:
        """Documents that a load which never counted has touched."""
        return self._documents({"range": {"changed": {"gt": self.base}}})

    def _every_document(self) -> set[str]:
        return self._documents({"match_all": {}})

    def _documents(self, query: Mapping[str, Any]) -> set[str]:
        """Ids of the documents of all units that match, a page at a time."""
        sources = [{"doc_id": {"terms": {"field": "doc_id"}}}]
        found: set[str] = set()
        after: dict[str, Any] = {}
        while True:
            pages = {"documents": {"composite": {"size": 5_000, "sources": sources, **after}}}
            with guarded(self.index):
                answer = self.client.search(index=self.index, body={"size": 0, "query": query, "aggs": pages})["aggregations"]["documents"]
            found.update(bucket["key"]["doc_id"] for bucket in answer["buckets"])
            if "after_key" not in answer:
                return found
            after = {"after": answer["after_key"]}

    def _count(self) -> int:
        with guarded(self.index):
            self.client.indices.refresh(index=self.index)
            return int(self.client.count(index=self.index)["count"])


def unit_rows(reader: SegmentReader, batch: list[str]) -> Iterator[tuple[Document, Iterator[Row]]]:
    """The units of these documents, a document at a time; each document's are to be used up before the next."""
    for document, units in reader.units(batch, COLUMNS):
        yield document, _units(document, units)


def _units(document: Document, units: Iterator[UnitRow]) -> Iterator[Row]:
    about = document_fields(document)
    for unit in units:
        source = {**about, **unit_fields(unit.row, unit.place, document.language)}
        yield source["unit_key"], source, {"vector": unit.vector}


def numbers(vector: Any) -> list[float]:
    """A vector as JSON has it: half precision needs six decimals."""
    return [float(value) for value in np.round(np.asarray(vector, dtype=np.float64), 6)]


def differing(before: Mapping[str, Any], after: Mapping[str, Any]) -> set[str]:
    """Keys whose values differ, or that only one side has."""
    return {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}


def _batches(items: Sequence[str], size: int) -> Iterator[list[str]]:
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch
