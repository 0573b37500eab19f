"""Counts the terms of documents that are masked in a segment, reading their rows and nothing else of it (on S3: by ranges).

What each segment's masked documents hold is kept in the ledger, so that a night counts only what it masks itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from filingforest.manifest import SegmentEntry
from filingforest.publish.counts import TREES, UNITS, Counts
from filingforest.publish.ledger import Placed
from filingforest.publish.segment_input import unit_rows_terms
from filingforest.publish.segment_rows import Rows
from filingforest.store import Store
from filingforest.terms import term_hash

_COLUMNS = ["text", "heading_path", "table", "statement"]


def counts_of(store: Store, entry: SegmentEntry, placed: Sequence[Placed], wanted: frozenset[str]) -> Mapping[str, Counts]:
    """By field, what the wanted documents of a segment hold."""
    rows = Rows(store, entry)
    found = {UNITS: list[Counts](), TREES: list[Counts]()}
    unit = 0
    for place, document in enumerate(placed):
        if document.entry.doc_id in wanted:
            found[UNITS].append(_unit_counts(rows, unit, unit + document.summary.units))
            found[TREES].append(_summary_counts(rows, place))
        unit += document.summary.units
    return {field: Counts.total(several) for field, several in found.items()}


def _unit_counts(rows: Rows, first: int, last: int) -> Counts:
    terms = unit_rows_terms(rows.table("units", _COLUMNS, [(first, last)]).to_pylist() if last > first else [])
    return Counts.of_rows(((term_hash(t) for t in each.body.keys() | each.head.keys()), each.length) for each in terms)


def _summary_counts(rows: Rows, place: int) -> Counts:
    if not rows.has("documents.tree_rows.npy"):
        return Counts()
    nodes, terms = (rows.array(f"documents.{name}", place, place + 2).tolist() for name in ("tree_rows", "tree_terms"))
    if nodes[0] == nodes[1]:
        return Counts()
    levels, lengths = (rows.array(f"tree_nodes.{name}", *nodes) for name in ("level", "length"))
    hashes, counts = np.unique(rows.array("tree_terms.hash", *terms), return_counts=True)
    inner = levels > 0
    return Counts(int(inner.sum()), int(lengths[inner].sum(dtype=np.int64)), hashes, counts.astype("<i8"))
