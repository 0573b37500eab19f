"""The parts of a segment, each a few files that are fed a document at a time or copied from other segments, with the same bytes.

A part knows how to `add` one document's stage outputs and how to `merge` documents that already lie in segments. What is to be stored
of each document is a part of its own, listed in `segment.parts_of`; nothing else has to know of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from filingforest.publish.npy import NpyWriter
from filingforest.publish.segment_input import Opened
from filingforest.publish.segment_source import Span, pieces
from filingforest.publish.segment_tables import TableWriter

CODES = ("kind", "item_key", "statement")
_ROWS = 65_536  # copied at once


class Part(Protocol):
    """A few files of a segment under construction: `add` for each document in order, or `merge` once; then `close`."""

    def add(self, document: Opened) -> None:
        """Append one document's rows. Errors: Corrupt, PublicationError."""

    def merge(self, spans: Sequence[Span]) -> None:
        """Copy documents from other segments: the same bytes as if each had been added."""

    def close(self) -> None:
        """Write what is known only at the end."""

    def about(self) -> dict[str, Any]:
        """What it says in `segment.json`."""


class Starts:
    """First row of each document in a file, `documents.{name}.npy`: what makes its rows movable (see `Span.rows`)."""

    def __init__(self, out: Path, name: str) -> None:
        self.name, self.total = name, 0
        self._writer = NpyWriter(out / f"documents.{name}.npy", "<i8")
        self._writer.append([0])

    def add(self, rows: int) -> None:
        """One document with so many rows."""
        self.total += rows
        self._writer.append([self.total])

    def merge(self, span: Span) -> None:
        """The documents of a span."""
        lengths = span.lengths(self.name)
        self._writer.append(self.total + np.cumsum(lengths))
        self.total += int(lengths.sum())

    def close(self) -> None:
        self._writer.close()


class TablePart:
    """One Parquet file. `rows_of` gives a document's rows, None where it has none."""

    def __init__(self, out: Path, name: str, rows_of: Callable[[Opened], pa.Table | None]) -> None:
        self.name, self._rows_of = name, rows_of
        self.table = TableWriter(out, name)
        self._starts = Starts(out, name) if name != "documents" else None

    def add(self, document: Opened) -> None:
        rows = self._rows_of(document)
        if rows is not None:
            self.table.add(rows)
        if self._starts:
            self._starts.add(0 if rows is None else rows.num_rows)

    def merge(self, spans: Sequence[Span]) -> None:
        for span in spans:
            for piece in pieces(span.rows(self.name), self.table.group):
                self.table.add(span.source.rows(self.name, piece.start, piece.stop))
            if self._starts:
                self._starts.merge(span)

    def close(self) -> None:
        self.table.close()
        if self._starts:
            self._starts.close()

    def about(self) -> dict[str, Any]:
        return {"documents": self.table.rows} if self.name == "documents" else {}


class UnitPart:
    """What is known of each unit as flat arrays: its length in words, and codes for its kind, item and statement."""

    def __init__(self, out: Path) -> None:
        self.length = NpyWriter(out / "units.length.npy", "<u4")
        self.codes = {name: NpyWriter(out / f"units.{name}.npy", "<u2") for name in CODES}
        self.names: dict[str, dict[str, int]] = {name: {"": 0} for name in CODES}
        self.words = 0

    def add(self, document: Opened) -> None:
        lengths = [terms.length for terms in document.terms]
        self.words += sum(lengths)
        self.length.append(lengths)
        for name, writer in self.codes.items():
            codes = self.names[name]
            writer.append([codes.setdefault(value or "", len(codes)) for value in document.units[name].to_pylist()])

    def merge(self, spans: Sequence[Span]) -> None:
        for span in spans:
            for piece in pieces(span.rows("units"), _ROWS):
                lengths = span.source.array("units.length")[piece]
                self.words += int(lengths.sum(dtype=np.int64))
                self.length.append(lengths)
                for name, writer in self.codes.items():
                    writer.append(self._translated(name, span.source.array(f"units.{name}")[piece], span.source.about["names"][name]))

    def _translated(self, name: str, codes: Any, theirs: Sequence[str]) -> Any:
        """Codes of another segment as this one's, new ones numbered as they first come."""
        mine, (found, first) = self.names[name], np.unique(codes, return_index=True)
        table = np.zeros(len(theirs), "<u2")
        for code in found[np.argsort(first)]:
            table[code] = mine.setdefault(theirs[code], len(mine))
        return table[codes]

    def close(self) -> None:
        for writer in (self.length, *self.codes.values()):
            writer.close()

    def about(self) -> dict[str, Any]:
        return {"units": self.length.rows, "words": self.words, "names": {name: list(codes) for name, codes in self.names.items()}}
