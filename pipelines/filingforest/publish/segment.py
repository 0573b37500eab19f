"""Writes one segment: the immutable part of an index that publications share. Bytes depend on the documents alone.

Documents are sorted by (primary CIK, fiscal year, doc_id), units by reading order within them, so that one company's rows lie
together in every file. Nothing is kept in memory but one document and the running postings (see `postings.py`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from filingforest.bundle import Bundle
from filingforest.errors import Corrupt, PublicationError
from filingforest.models.passages import text_sha, unit_passages, vectors_of
from filingforest.publish.npy import NpyWriter
from filingforest.publish.postings import PostingsWriter
from filingforest.publish.segment_files import SegmentFiles, describe
from filingforest.publish.segment_tables import SCHEMAS, TableWriter
from filingforest.signs import sign_codes
from filingforest.terms import TERMS_VERSION, UnitTerms, unit_terms
from filingforest.tokens import TOKENIZER_VERSION
from filingforest.trees.chunks import UNIT_KINDS

SEGMENT_FORMAT = 1
_CODES = ("kind", "item_key", "statement")
Load = Callable[[], Bundle]


@dataclass(frozen=True, slots=True)
class SegmentInput:
    """One document's stage outputs, opened when their turn comes."""

    doc_id: str
    doc_version: str
    parsed: Load
    chunks: Load | None = None
    embeddings: Load | None = None


def build_segment(documents: Sequence[SegmentInput], out: Path) -> SegmentFiles:
    """Writes the files of a segment into `out` (created; must hold nothing else).

    Errors: Corrupt for a bundle that cannot be read, PublicationError where a unit has no vector though its document was embedded.
    """
    out.mkdir(parents=True, exist_ok=True)
    rows = [(_document_row(d), d) for d in documents]
    rows.sort(key=lambda pair: _sort_key(pair[0]))
    writer = _SegmentWriter(out, embedded=any(d.embeddings for d in documents))
    for _, document in rows:
        writer.add(document)
    writer.close()
    return describe([row for row, _ in rows], writer.units, {name: table.rows for name, table in writer.tables.items()}, out)


def _document_row(document: SegmentInput) -> dict[str, Any]:
    rows: list[dict[str, Any]] = document.parsed().table("documents").to_pylist()
    if len(rows) != 1 or rows[0]["doc_id"] != document.doc_id:
        raise Corrupt(f"{len(rows)} document rows, expected its own", document=document.doc_id, stage="publish", remedy="parse it again")
    return rows[0]


def _sort_key(row: dict[str, Any]) -> tuple[str, int, str]:
    return (str(row.get("cik") or "").zfill(10), row.get("fiscal_year") or 0, row["doc_id"])


class _SegmentWriter:
    """The open files of a segment under construction."""

    def __init__(self, out: Path, embedded: bool) -> None:
        self.out, self.embedded, self.units, self.dimension = out, embedded, 0, 0
        self.tables = {name: TableWriter(out, name) for name in SCHEMAS}
        self.postings = PostingsWriter(out)
        self.length = NpyWriter(out / "units.length.npy", "<u4")
        self.codes = {name: NpyWriter(out / f"units.{name}.npy", "<u2") for name in _CODES}
        self.names: dict[str, dict[str, int]] = {name: {"": 0} for name in _CODES}
        self.starts = {name: [0] for name in ("units", "facts", "nodes")}
        self.vectors: NpyWriter | None = None
        self.signs: NpyWriter | None = None

    def add(self, document: SegmentInput) -> None:
        """Appends one document."""
        parsed = document.parsed()
        nodes = parsed.table("nodes").sort_by("clause_id")
        units = nodes.filter(_is_unit(nodes))
        for name in ("documents", "texts", "facts", "fact_mentions"):
            self.tables[name].add(parsed.table(name))
        self.tables["nodes"].add(nodes)
        self.tables["units"].add(units)
        if document.chunks:
            self.tables["chunks"].add(document.chunks().table("chunks"))
        self._index(units)
        if self.embedded:
            self._embed(document, units)
        for name, starts in self.starts.items():
            starts.append(self.tables[name].rows)

    def close(self) -> None:
        """Writes what is known only at the end."""
        for table in self.tables.values():
            table.close()
        self.postings.finish()
        for writer in (self.length, *self.codes.values(), self.vectors, self.signs):
            if writer:
                writer.close()
        for name, starts in self.starts.items():
            with NpyWriter(self.out / f"documents.{name}.npy", "<i8") as writer:
                writer.append(starts)
        about = json.dumps(self._about(), ensure_ascii=False, indent=1, sort_keys=True)
        (self.out / "segment.json").write_text(about + "\n", encoding="utf-8")

    def _about(self) -> dict[str, Any]:
        return {
            "format": SEGMENT_FORMAT,
            "tokenizer": TOKENIZER_VERSION,
            "terms": TERMS_VERSION,
            "documents": self.tables["documents"].rows,
            "units": self.units,
            "dimension": self.dimension or None,
            "names": {name: list(codes) for name, codes in self.names.items()},
        }

    def _index(self, units: pa.Table) -> None:
        lengths: list[int] = []
        for text, path, table, statement in zip(*_lists(units, "text", "heading_path", "table", "statement"), strict=True):
            terms: UnitTerms = unit_terms(text or "", path or (), table, statement)
            self.postings.add(self.units, terms)
            lengths.append(terms.length)
            self.units += 1
        self.length.append(lengths)
        for name, writer in self.codes.items():
            codes = self.names[name]
            writer.append([codes.setdefault(value or "", len(codes)) for value in units[name].to_pylist()])

    def _embed(self, document: SegmentInput, units: pa.Table) -> None:
        if document.embeddings is None:
            raise _unembedded("no vectors, though its neighbours have some", document)
        table = document.embeddings().table("embeddings")
        place = {sha: i for i, sha in enumerate(table["text_sha"].to_pylist())}
        passages = unit_passages(units)
        wanted = [place.get(text_sha(passages[key])) for key in units["unit_key"].to_pylist()]
        if None in wanted:
            raise _unembedded(f"{wanted.count(None)} units without a vector", document)
        vectors = vectors_of(table)
        if self.vectors is None or self.signs is None:
            self.dimension = vectors.shape[1]
            self.vectors = NpyWriter(self.out / "vectors.f16.npy", "<f2", (self.dimension,))
            self.signs = NpyWriter(self.out / "vectors.signs.npy", "<u8", (-(-self.dimension // 64),))
        chosen = vectors[np.array(wanted, dtype=np.int64)]
        self.vectors.append(chosen)
        self.signs.append(sign_codes(chosen))


def _unembedded(why: str, document: SegmentInput) -> PublicationError:
    return PublicationError(why, document=document.doc_id, stage="publish", remedy="run its embedding stage again")


def _is_unit(nodes: pa.Table) -> pa.Array:
    return pa.array([kind in UNIT_KINDS and bool(key) for kind, key in zip(*_lists(nodes, "kind", "unit_key"), strict=True)], pa.bool_())


def _lists(table: pa.Table, *names: str) -> list[list[Any]]:
    return [table[name].to_pylist() for name in names]
