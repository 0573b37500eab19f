"""Loads what a publication changes: finds the documents that differ from the last one loaded, and says what becomes of each unit.

Where it is known which segments hold what differs, the others are not opened: even a list of all documents would cost a night what the
corpus weighs.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np

from filingforest.manifest import Manifest, SegmentEntry
from filingforest.opensearch.bulk import Action
from filingforest.opensearch.documents import COLUMNS, document_fields, document_id, unit_fields
from filingforest.opensearch.held import Held
from filingforest.opensearch.live import Ranges, loaded, to_source
from filingforest.opensearch.patience import ONCE, Patience
from filingforest.opensearch.reading import SegmentReader, UnitRow
from filingforest.query.documents import Document
from filingforest.store import Store

DOCUMENTS_AT_ONCE = 20  # whose units are looked up together
SAMPLES = 16
Row = tuple[str, dict[str, Any], dict[str, Any]]  # key, what is hashed of it, vectors


def has_units(reader: SegmentReader) -> bool:
    """Taken for granted: units are what a segment is for."""
    return True


@dataclass(frozen=True)
class Differs:
    """Documents that differ from the last publication loaded, and the segments that those of them are in which are live."""

    documents: Collection[str]
    segments: Collection[str]


@dataclass
class Load:
    """One load of `manifest` onto `base` (a sequence). `differs` says what to look at; None: all that there is."""

    client: Any
    index: str
    store: Store
    manifest: Manifest
    base: int
    rows: Callable[[SegmentReader, list[str]], Iterator[tuple[Document, Iterator[Row]]]]
    has: Callable[[SegmentReader], bool] = has_units  # whether a segment has any rows
    differs: Differs | None = None
    patience: Patience = ONCE
    samples: list[tuple[str, list[float]]] = field(default_factory=list)  # some ids with vectors, to see whether they are found

    def actions(self) -> Iterator[Action]:
        """What is to be written, in the order of the segments; nothing for what is as it should be."""
        empty, wanted = self._is_empty(), self._wanted()
        seen: set[str] = set()
        for entry in self._segments(wanted):
            if not self.has(reader := SegmentReader(self.store, entry)):
                continue
            mine = [d for d in reader.live if wanted is None or d in wanted]
            seen.update(mine)
            for batch in _batches(mine, DOCUMENTS_AT_ONCE):
                there = {} if empty else self._held.units_of(batch)
                for _, rows in self.rows(reader, batch):
                    yield from self._document(rows, there)
                yield from self._leaving(there)
        gone = (self._held.documents({"match_all": {}}) if wanted is None else wanted) - seen
        for batch in _batches(sorted(gone), DOCUMENTS_AT_ONCE):
            yield from self._leaving({} if empty else self._held.units_of(batch))

    @property
    def _held(self) -> Held:
        return Held(self.client, self.index, self.patience)

    def _is_empty(self) -> bool:
        self._held.refresh()
        return self._held.count() == 0

    def _wanted(self) -> set[str] | None:
        """The documents to look at: what differs, and what a load that never counted has touched; None: all."""
        if self.differs is None:
            return None
        return {*self.differs.documents, *self._held.documents({"range": {"changed": {"gt": self.base}}})}

    def _segments(self, wanted: set[str] | None) -> Sequence[SegmentEntry]:
        """Those that may hold one of them. What a load that never counted has touched besides may lie in any."""
        if self.differs is None or wanted is None or not wanted <= set(self.differs.documents):
            return self.manifest.segments
        return [entry for entry in self.manifest.segments if entry.id in self.differs.segments]

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
