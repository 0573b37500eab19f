"""One segment, read lazily: arrays are memory-mapped when a question needs them, texts only for the hits."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from filingforest.query.arrays import Array
from filingforest.query.bm25 import Postings
from filingforest.query.documents import COLUMNS, Document
from filingforest.query.filters import Filters, Flags
from filingforest.query.flam_index import FlamIndex
from filingforest.query.lines import LineIndex, UnitLines
from filingforest.query.segment_files import SegmentFiles
from filingforest.query.selection import Selection
from filingforest.query.tables import Place, Tables
from filingforest.query.trees import TreeIndex
from filingforest.query.vectors import VectorIndex

# names by which a part is read; everything else in a segment is for other readers
_POSTINGS = ("terms.hash", "terms.start", "postings.unit", "postings.body", "postings.head", "units.length")


class Segment:
    """`get` gives a local path for a file name of the segment, `part` where a file can be read from in parts (by default the same);
    `dead` are the documents that the publication masks, `cache` is where it is remembered what was compared (`checked.py`). Thread-safe.
    """

    def __init__(
        self,
        get: Callable[[str], Path],
        dead: Collection[str] = (),
        part: Callable[[str], Place] | None = None,
        cache: Path | None = None,
    ) -> None:
        self._files = SegmentFiles(get, part or get, cache)
        self._tables = Tables(lambda name: self._files.place(f"{name}.parquet"))
        self.about = self._files.about
        self.documents = [Document.of_row(row) for row in self.read("documents", COLUMNS)]
        self.live: Flags = np.array([d.doc_id not in dead for d in self.documents], dtype=np.bool_)
        self.starts = self.array("documents.units")
        self.units = int(self.about["units"])

    def array(self, name: str) -> Array:
        """The segment's array of that name; opened once."""
        return self._files.array(name)

    def vocabulary(self) -> tuple[Array, Array]:
        """Sorted term hashes, and where each one's postings start: their lengths are document frequencies (masked documents too)."""
        return self._vocabulary

    def summary_vocabulary(self) -> tuple[Array, Array]:
        """The same of the summaries in trees."""
        return self._summary_vocabulary

    @cached_property
    def _vocabulary(self) -> tuple[Array, Array]:
        return self.array("terms.hash"), self.array("terms.start")

    @cached_property
    def _summary_vocabulary(self) -> tuple[Array, Array]:
        if "trees" not in self.about:  # written before there were any
            return np.empty(0, "<u8"), np.zeros(1, "<i8")
        return self.array("tree_vocabulary.hash"), self.array("tree_vocabulary.start")

    @cached_property
    def postings(self) -> Postings:
        return Postings(*(self.array(name) for name in _POSTINGS))

    def units_of(self, term: str) -> Array:
        """Rows that hold a term; of the postings nothing but the list of rows is opened."""
        return self._listed.units_of(term)

    @cached_property
    def _listed(self) -> Postings:
        uncounted = np.empty(0, np.uint16)
        return Postings(*self._vocabulary, self.array("postings.unit"), uncounted, uncounted, uncounted)

    @cached_property
    def vectors(self) -> VectorIndex | None:
        """None where the segment was published without an encoder."""
        return VectorIndex(self.array("vectors.f16"), self.array("vectors.signs")) if self.about["dimension"] else None

    def lines(self, rows: Sequence[int]) -> UnitLines:
        """The lines of those units: as stored, or made from their texts where the segment was written before they were."""
        if self._lines is None:
            return UnitLines.of_texts([row["text"] or "" for row in self.read("units", ("text",), rows)])
        return self._lines.of(rows)

    @cached_property
    def _lines(self) -> LineIndex | None:
        return LineIndex(*(self.array(f"lines.{name}") for name in ("start", "about", "word"))) if "lines" in self.about else None

    @cached_property
    def trees(self) -> TreeIndex | None:
        """None where no document of the segment has trees."""
        if not self.about.get("trees"):
            return None
        return TreeIndex(self.array, self.about["tree_names"]["tree_item"], self.starts, int(self.about["dimension"] or 0))

    @cached_property
    def flam(self) -> FlamIndex | None:
        """Counts of lexicon terms; None as for `trees`."""
        names = self.about.get("tree_names", {})
        return FlamIndex(self.array, names["tree_item"], names["flam_term"]) if self.about.get("trees") else None

    @cached_property
    def statements(self) -> Array:
        return self.array("units.statement")

    def owner(self, row: int) -> int:
        """Place of the document that a unit belongs to."""
        return int(np.searchsorted(self.starts, row, side="right")) - 1

    def counts(self, units: Array) -> Array:
        """How many of those units (ascending rows) each document has."""
        return np.diff(np.searchsorted(units, self.starts.astype(units.dtype)))

    def code(self, column: str, value: str) -> int:
        """The number that stands for a value of kind, item_key or statement; -1 where the segment has none."""
        names: list[str] = self.about["names"][column]
        return names.index(value) if value in names else -1

    def select(self, documents: Flags, filters: Filters) -> Selection:
        """Units of those documents that pass the filters on units (kind, item)."""
        chosen = Selection.of_documents(documents & self.live, self.starts)
        wanted = [(column, codes) for column, codes in self._wanted(filters).items() if codes is not None]
        if not wanted:
            return chosen
        rows = chosen.rows()
        for column, codes in wanted:
            rows = rows[np.isin(self.array(f"units.{column}")[rows], codes)]
        mask = np.zeros(chosen.total, dtype=np.bool_)
        mask[rows] = True
        return Selection(chosen.ranges, chosen.total, mask)

    def _wanted(self, filters: Filters) -> dict[str, list[int] | None]:
        """Codes of the units that pass, by column; None where the column does not matter."""
        names: list[str] = self.about["names"]["item_key"]
        items = [code for code, name in enumerate(names) if any(is_item(name, item) for item in filters.item)]
        kinds = [self.code("kind", kind) for kind in filters.unit_kinds]
        return {"kind": kinds if filters.unit_kinds else None, "item_key": items if filters.item else None}

    def read(self, table: str, columns: Sequence[str], rows: Sequence[int] | None = None) -> list[dict[str, Any]]:
        """Rows of one of the segment's tables, in the order given (all: None); only their row groups and columns are read."""
        return self._tables.read(table, columns, rows)

    def find(self, table: str, column: str, value: str) -> list[int]:
        """Rows where a column has that value."""
        return self._tables.find(table, column, value)


def is_item(item_key: str, item: str) -> bool:
    """Whether an item key is what a caller means by an item: the whole key, or its last part ("7A" for "10-K:II.7A")."""
    wanted = item.upper().removeprefix("ITEM").strip()
    return item_key.upper() == wanted or item_key.rpartition(".")[2].upper() == wanted or item_key.rpartition(":")[2].upper() == wanted
