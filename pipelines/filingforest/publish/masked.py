"""Counts the terms of documents that are masked in a segment, reading as little as can be.

Their rows, and nothing else of the segment (on S3: by ranges); where it is so large that already the footer of its table weighs more than
the documents' own stage outputs, those. So the cost does not grow with the segment beyond that. What each segment's masked documents hold
is kept in the ledger: a night counts only what it masks itself.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

import numpy as np

from filingforest.errors import Corrupt, NotFound, PublicationError
from filingforest.manifest import SegmentEntry
from filingforest.publish.counts import TREES, UNITS, Counts
from filingforest.publish.ledger import Placed
from filingforest.publish.segment_input import Opened, unit_rows_terms
from filingforest.publish.segment_rows import Rows
from filingforest.publish.stage_outputs import input_of
from filingforest.store import Store
from filingforest.terms import UnitTerms, term_hash

log = logging.getLogger(__name__)
_COLUMNS = ["text", "heading_path", "table", "statement"]
FOOTER, OUTPUT = 4.4, 300_000  # bytes: of a table's footer a unit (16 columns a row group), of a document's parse


def counts_of(store: Store, entry: SegmentEntry, placed: Sequence[Placed], wanted: frozenset[str]) -> Mapping[str, Counts]:
    """By field, what the wanted documents of a segment hold."""
    rows, whole = Rows(store, entry), entry.units * FOOTER > OUTPUT * len(wanted)
    found = {UNITS: list[Counts](), TREES: list[Counts]()}
    unit = 0
    for place, document in enumerate(placed):
        if document.entry.doc_id in wanted:
            terms = _parsed_terms(store, document) if whole else None
            found[UNITS].append(_counted(terms or _row_terms(rows, unit, unit + document.summary.units)))
            found[TREES].append(_summary_counts(rows, place))
        unit += document.summary.units
    return {field: Counts.total(several) for field, several in found.items()}


def _parsed_terms(store: Store, document: Placed) -> list[UnitTerms] | None:
    """From the document's stage output; None where that is gone, or is not what the segment was built of."""
    try:
        terms = Opened(input_of(store, document.entry, {}, None)).terms
    except (NotFound, Corrupt, PublicationError) as error:
        log.debug("%s; its rows are read instead", error)
        return None
    return terms if len(terms) == document.summary.units else None


def _row_terms(rows: Rows, first: int, last: int) -> list[UnitTerms]:
    return unit_rows_terms(rows.table("units", _COLUMNS, [(first, last)]).to_pylist() if last > first else [])


def _counted(terms: Sequence[UnitTerms]) -> Counts:
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
