"""Raw postings written in bounded memory: sorted runs on disk, merged by ranges of the term hash.

No score is stored: idf and average length belong to a publication, not to a segment, and come in when a question is scored.
"""

from __future__ import annotations

import shutil
from array import array
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from filingforest.publish.npy import NpyWriter
from filingforest.publish.segment_input import Opened
from filingforest.publish.segment_source import Source, Span
from filingforest.terms import UnitTerms, term_hash

POSTING_FILES = ("postings.unit.npy", "postings.body.npy", "postings.head.npy")
_TYPES = {"hash": "<u8", "unit": "<u4", "body": "<u2", "head": "<u1"}
_VOCABULARY = {"terms.hash": "<u8", "terms.start": "<i8"}
_KNOWN_TERMS = 1_000_000  # hashes kept; beyond, the cache starts again


class PostingsWriter:
    """Collects (term, unit, frequency in body, frequency in head) and writes them by term, units ascending.

    Files: terms.hash (u64, sorted), terms.start (i64, one more than terms), postings.unit/body/head.
    """

    def __init__(self, out: Path, run_size: int = 4_000_000) -> None:
        self.out, self.run_size = out, run_size
        self.runs: list[Path] = []
        self._work = out / ".runs"
        self._hashes: dict[str, int] = {}
        self._reset()

    def add(self, unit: int, terms: UnitTerms) -> None:
        """Adds one unit; units must come in ascending order. Frequencies are capped at what the types hold."""
        if len(self._hashes) > _KNOWN_TERMS:
            self._hashes.clear()
        found = list(terms.body.keys() | terms.head.keys())
        known, body, head = self._hashes, terms.body, terms.head
        self._hash.extend([known.get(term) or self._hash_of(term) for term in found])
        self._unit.extend([unit] * len(found))
        self._body.extend([min(body[term], 65_535) for term in found])
        self._head.extend([min(head[term], 255) for term in found])
        if len(self._hash) >= self.run_size:
            self._spill()

    def finish(self) -> int:
        """Merges the runs and writes the files; returns the number of terms."""
        self._spill()
        try:
            return _merge(self.runs, self.out, self.run_size)
        finally:
            shutil.rmtree(self._work, ignore_errors=True)

    def _hash_of(self, term: str) -> int:
        found = self._hashes[term] = term_hash(term)
        return found

    def _reset(self) -> None:
        self._hash, self._unit, self._body, self._head = array("Q"), array("I"), array("H"), array("B")

    def _spill(self) -> None:
        if not self._hash:
            return
        run = self._work / f"{len(self.runs):05d}"
        run.mkdir(parents=True)
        hashes = np.frombuffer(self._hash, dtype="<u8")
        order = np.argsort(hashes, kind="stable")
        for name, values in zip(_TYPES, (self._hash, self._unit, self._body, self._head), strict=True):
            np.save(run / f"{name}.npy", np.frombuffer(values, dtype=_TYPES[name])[order])
        self.runs.append(run)
        del hashes
        self._reset()


class PostingsPart:
    """A segment's postings as one of its parts (see `segment_parts.Part`)."""

    def __init__(self, out: Path, run_size: int = 4_000_000) -> None:
        self.out, self.run_size, self._units = out, run_size, 0
        self._writer: PostingsWriter | None = PostingsWriter(out, run_size)

    def add(self, document: Opened) -> None:
        assert self._writer is not None
        for terms in document.terms:
            self._writer.add(self._units, terms)
            self._units += 1

    def merge(self, spans: Sequence[Span]) -> None:
        """Joins whole vocabularies range by range of the hash: units get their new numbers, those that are not taken go."""
        self._writer = None
        _write(_merged_ranges(_numbered(spans), self.run_size), self.out)

    def close(self) -> None:
        if self._writer is not None:
            self._writer.finish()

    def about(self) -> dict[str, Any]:
        return {}


_NOWHERE = np.uint32(0xFFFFFFFF)
Postings = dict[str, npt.NDArray[Any]]


def _numbered(spans: Sequence[Span]) -> list[tuple[Source, npt.NDArray[np.uint32]]]:
    """Each source with the new number of each of its units."""
    numbers: dict[int, tuple[Source, npt.NDArray[np.uint32]]] = {}
    place = 0
    for span in spans:
        if id(span.source) not in numbers:
            numbers[id(span.source)] = span.source, np.full(int(span.source.starts("units")[-1]), _NOWHERE, "<u4")
        rows = span.rows("units")
        numbers[id(span.source)][1][rows] = np.arange(place, place + rows.stop - rows.start, dtype="<u4")
        place += rows.stop - rows.start
    return list(numbers.values())


def _merged_ranges(sources: Sequence[tuple[Source, npt.NDArray[np.uint32]]], bucket_size: int) -> Iterable[Postings]:
    total = sum(len(source.array("postings.unit")) for source, _ in sources)
    buckets = max(1, 2 * total // bucket_size)
    edges = [(i << 64) // buckets for i in range(1, buckets)]
    cuts = [_cuts(source.array("terms.hash"), edges) for source, _ in sources]
    for b in range(buckets):
        parts = [_renumbered(source, numbers, cut[b], cut[b + 1]) for (source, numbers), cut in zip(sources, cuts, strict=True)]
        joined = {name: _bucket([part[name] for part in parts], name) for name in _TYPES}
        order = np.lexsort((joined["unit"], joined["hash"]))
        yield {name: values[order] for name, values in joined.items()}


def _renumbered(source: Source, numbers: npt.NDArray[np.uint32], first: int, last: int) -> Postings:
    """The postings of the terms [first, last) of a source, less those of units that are not taken."""
    starts = source.array("terms.start")[first : last + 1]
    span = slice(int(starts[0]), int(starts[-1])) if len(starts) else slice(0, 0)
    unit = numbers[source.array("postings.unit")[span]]
    taken = unit != _NOWHERE
    hashes = np.repeat(source.array("terms.hash")[first:last], np.diff(starts))
    rest = {name: source.array(f"postings.{name}")[span] for name in ("body", "head")}
    return {name: values[taken] for name, values in {"hash": hashes, "unit": unit, **rest}.items()}


def _cuts(hashes: npt.NDArray[Any], edges: Sequence[int]) -> list[int]:
    return [0, *(int(np.searchsorted(hashes, np.uint64(edge))) for edge in edges), len(hashes)]


def _bucket(slices: Sequence[npt.NDArray[Any]], name: str) -> npt.NDArray[Any]:
    return np.concatenate(slices) if slices else np.empty(0, _TYPES[name])


def _merge(runs: Iterable[Path], out: Path, bucket_size: int) -> int:
    """Joins sorted runs range by range of the hash; a term lies wholly in one range, runs come in unit order."""
    opened = [{name: np.load(run / f"{name}.npy", mmap_mode="r") for name in _TYPES} for run in runs]
    return _write(_joined_runs(opened, bucket_size), out)


def _joined_runs(opened: Sequence[Postings], bucket_size: int) -> Iterable[Postings]:
    buckets = max(1, 2 * sum(len(run["hash"]) for run in opened) // bucket_size)
    edges = [(i << 64) // buckets for i in range(1, buckets)]
    cuts = [_cuts(run["hash"], edges) for run in opened]
    for b in range(buckets):
        parts = {name: _bucket([run[name][cut[b] : cut[b + 1]] for run, cut in zip(opened, cuts, strict=True)], name) for name in _TYPES}
        order = np.argsort(parts["hash"], kind="stable")
        yield {name: values[order] for name, values in parts.items()}


def _write(ranges: Iterable[Postings], out: Path) -> int:
    """Postings by ascending ranges of the hash, sorted by (hash, unit), into the files; the number of terms."""
    place = 0
    with ExitStack() as stack:
        terms, starts = (stack.enter_context(NpyWriter(out / f"{name}.npy", kind)) for name, kind in _VOCABULARY.items())
        files = {name: stack.enter_context(NpyWriter(out / f"postings.{name}.npy", _TYPES[name])) for name in ("unit", "body", "head")}
        for part in ranges:
            found, first = np.unique(part["hash"], return_index=True)
            terms.append(found)
            starts.append(first + place)
            for name, writer in files.items():
                writer.append(part[name])
            place += len(part["hash"])
        starts.append([place])
        return terms.rows
