"""One document on its way into a segment: its stage outputs, each read once, however many parts of the segment want them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa

from filingforest.bundle import Bundle
from filingforest.errors import Corrupt
from filingforest.terms import UnitTerms, unit_terms
from filingforest.trees.chunks import UNIT_KINDS

Load = Callable[[], Bundle]


@dataclass(frozen=True, slots=True)
class SegmentInput:
    """One document's stage outputs, opened when their turn comes."""

    doc_id: str
    doc_version: str
    parsed: Load
    chunks: Load | None = None
    embeddings: Load | None = None
    trees: Load | None = None


class Opened:
    """One document's stage outputs, each opened once for all parts."""

    def __init__(self, given: SegmentInput) -> None:
        self.given, self.doc_id = given, given.doc_id

    @cached_property
    def parsed(self) -> Bundle:
        return self.given.parsed()

    @cached_property
    def chunks(self) -> Bundle | None:
        return self.given.chunks() if self.given.chunks else None

    @cached_property
    def embeddings(self) -> Bundle | None:
        return self.given.embeddings() if self.given.embeddings else None

    @cached_property
    def trees(self) -> Bundle | None:
        return self.given.trees() if self.given.trees else None

    @cached_property
    def row(self) -> dict[str, Any]:
        """Its row of `documents`. Errors: Corrupt."""
        rows: list[dict[str, Any]] = self.parsed.table("documents").to_pylist()
        if len(rows) != 1 or rows[0]["doc_id"] != self.doc_id:
            raise Corrupt(f"{len(rows)} document rows, expected its own", document=self.doc_id, stage="publish", remedy="parse it again")
        return rows[0]

    @cached_property
    def nodes(self) -> pa.Table:
        """In reading order."""
        return self.parsed.table("nodes").sort_by("clause_id")

    @cached_property
    def units(self) -> pa.Table:
        """Those nodes that are units, in reading order."""
        kinds, keys = lists(self.nodes, "kind", "unit_key")
        return self.nodes.filter(pa.array([kind in UNIT_KINDS and bool(key) for kind, key in zip(kinds, keys, strict=True)], pa.bool_()))

    @cached_property
    def terms(self) -> list[UnitTerms]:
        """Of each unit."""
        return unit_rows_terms(self.units.select(["text", "heading_path", "table", "statement"]).to_pylist())


def unit_rows_terms(rows: Iterable[Mapping[str, Any]]) -> list[UnitTerms]:
    """The terms of units, from their rows."""
    return [unit_terms(row["text"] or "", row["heading_path"] or (), row["table"], row["statement"]) for row in rows]


def lists(table: pa.Table, *names: str) -> list[list[Any]]:
    """Columns as lists."""
    return [table[name].to_pylist() for name in names]
