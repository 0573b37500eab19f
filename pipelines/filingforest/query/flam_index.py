"""How often each lexicon term stands in each Item of each document of a segment, as arrays: what FLAM's weights are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, lru_cache

import numpy as np

from filingforest.query.arrays import Array
from filingforest.query.filters import Flags


class FlamIndex:
    """`array` opens an array by name; `items` and `terms` are what its codes stand for."""

    def __init__(self, array: Callable[[str], Array], items: Sequence[str], terms: Sequence[str]) -> None:
        self._array: Callable[[str], Array] = lru_cache(None)(array)
        self.items = items
        self.codes = {term: code for code, term in enumerate(terms)}

    def counts(self, documents: Flags, terms: Iterable[str]) -> dict[str, int]:
        """item_key -> occurrences of any of `terms` in the flagged documents; Items without any are left out."""
        wanted = np.zeros(len(self.codes) + 1, dtype=np.bool_)
        wanted[[self.codes[term] for term in terms if term in self.codes]] = True
        return self._sum(documents, "flam", "item", "count", lambda span: wanted[self._array("flam.term")[span]])

    def by_term(self, documents: Flags) -> dict[str, dict[str, int]]:
        """term -> item_key -> occurrences in the flagged documents."""
        width = len(self.codes)
        totals = np.zeros(len(self.items) * width, dtype=np.int64)
        for span in self._spans("flam", documents):
            cells = self._array("flam.item")[span].astype(np.int64) * width + self._array("flam.term")[span]
            totals += np.bincount(cells, self._array("flam.count")[span], len(totals)).astype(np.int64)
        table = totals.reshape(len(self.items), width)
        return {
            term: {self.items[i]: int(table[i, code]) for i in np.flatnonzero(table[:, code]).tolist()} for term, code in self.codes.items()
        }

    def tokens(self, documents: Flags) -> dict[str, int]:
        """item_key -> tokens in the flagged documents: what counts are divided by for rates."""
        return self._sum(documents, "trees", "item", "tokens", None)

    def _sum(self, documents: Flags, space: str, item: str, value: str, chosen: Callable[[slice], Array] | None) -> dict[str, int]:
        totals = np.zeros(len(self.items), dtype=np.int64)
        items, values = self._array(f"{space}.{item}"), self._array(f"{space}.{value}")
        for span in self._spans(space, documents):
            kept = chosen(span) if chosen else slice(None)
            totals += np.bincount(items[span][kept], values[span][kept], len(self.items)).astype(np.int64)
        return {self.items[i]: int(totals[i]) for i in np.flatnonzero(totals).tolist()}

    def _spans(self, space: str, documents: Flags) -> list[slice]:
        """Runs of rows of neighbouring flagged documents."""
        starts = self._starts[space]
        edges = np.flatnonzero(np.diff(np.concatenate([[False], documents, [False]]).astype(np.int8)))
        return [slice(int(starts[a]), int(starts[b])) for a, b in edges.reshape(-1, 2)]

    @cached_property
    def _starts(self) -> dict[str, Array]:
        return {space: self._array(f"documents.{space}") for space in ("flam", "trees")}
