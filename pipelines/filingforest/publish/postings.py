"""Raw postings written in bounded memory: sorted runs on disk, merged by ranges of the term hash.

No score is stored: idf and average length belong to a publication, not to a segment, and come in when a question is scored.
"""

from __future__ import annotations

import shutil
from array import array
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from filingforest.publish.npy import NpyWriter
from filingforest.terms import UnitTerms, term_hash

POSTING_FILES = ("postings.unit.npy", "postings.body.npy", "postings.head.npy")
_TYPES = {"hash": "<u8", "unit": "<u4", "body": "<u2", "head": "<u1"}
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


def _bucket(slices: list[npt.NDArray[Any]], name: str) -> npt.NDArray[Any]:
    return np.concatenate(slices) if slices else np.empty(0, _TYPES[name])


def _merge(runs: Iterable[Path], out: Path, bucket_size: int) -> int:
    """Joins sorted runs range by range of the hash; a term lies wholly in one range, runs come in unit order."""
    opened = [{name: np.load(run / f"{name}.npy", mmap_mode="r") for name in _TYPES} for run in runs]
    total = sum(len(run["hash"]) for run in opened)
    buckets = max(1, 2 * total // bucket_size)
    edges = [(i << 64) // buckets for i in range(1, buckets)]
    cuts = [[0, *(int(np.searchsorted(run["hash"], np.uint64(e))) for e in edges), len(run["hash"])] for run in opened]
    term_count, place = 0, 0
    with (
        NpyWriter(out / "terms.hash.npy", "<u8") as terms,
        NpyWriter(out / "terms.start.npy", "<i8") as starts,
        NpyWriter(out / POSTING_FILES[0], "<u4") as unit,
        NpyWriter(out / POSTING_FILES[1], "<u2") as body,
        NpyWriter(out / POSTING_FILES[2], "<u1") as head,
    ):
        for b in range(buckets):
            parts = {
                name: _bucket([run[name][cut[b] : cut[b + 1]] for run, cut in zip(opened, cuts, strict=True)], name) for name in _TYPES
            }
            order = np.argsort(parts["hash"], kind="stable")
            found, first = np.unique(parts["hash"][order], return_index=True)
            terms.append(found)
            starts.append(first + place)
            for writer, name in ((unit, "unit"), (body, "body"), (head, "head")):
                writer.append(parts[name][order])
            term_count, place = term_count + len(found), place + len(order)
        starts.append([place])
    return term_count
