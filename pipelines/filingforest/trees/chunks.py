"""Cuts each Item into chunks of about 2,000 tokens, the leaves that FinGEAR's trees are grown from (arXiv 2509.12042, section 3).

A chunk is a run of whole units of one Item. Neighbouring chunks share up to `overlap_tokens` of trailing units. A unit is
never cut: one that is larger than the target is a chunk of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import pyarrow as pa

from filingforest.schema import TABLES

CHUNKS_VERSION = "1"
UNIT_KINDS = frozenset({"text", "table", "clause"})


@dataclass(frozen=True, slots=True)
class Unit:
    """The columns of a unit that chunking needs."""

    unit_key: str
    item_key: str
    text: str
    tokens: int


def units_of(nodes: pa.Table) -> list[Unit]:
    """The units of one document in reading order; those outside any Item have the item_key ''."""
    columns = nodes.select(["clause_id", "kind", "unit_key", "item_key", "text", "token_count"]).sort_by("clause_id").to_pylist()
    return [_unit(row) for row in columns if row["kind"] in UNIT_KINDS and row["unit_key"]]


def _unit(row: Mapping[str, Any]) -> Unit:
    return Unit(row["unit_key"], row["item_key"] or "", row["text"] or "", row["token_count"] or 0)


def build_chunks(doc_id: str, nodes: pa.Table, target_tokens: int = 2000, overlap_tokens: int = 100) -> pa.Table:
    """The `chunks` rows of one document, sorted by item_key's first place, then ordinal."""
    rows = []
    by_item: dict[str, list[Unit]] = {}
    for unit in units_of(nodes):
        by_item.setdefault(unit.item_key, []).append(unit)
    for item_key, units in by_item.items():
        for ordinal, run in enumerate(cut(units, target_tokens, overlap_tokens)):
            rows.append(_row(doc_id, item_key, ordinal, run))
    return pa.Table.from_pylist(rows, schema=TABLES["chunks"])


def cut(units: Sequence[Unit], target_tokens: int, overlap_tokens: int) -> Iterator[list[Unit]]:
    """Runs of units of at most `target_tokens` (a single unit may be larger), each starting with the tail of the one before."""
    run: list[Unit] = []
    carried = 0
    for unit in units:
        if len(run) > carried and _tokens(run) + unit.tokens > target_tokens:
            yield run
            run = _tail(run, overlap_tokens)
            if _tokens(run) + unit.tokens > target_tokens:
                run = []
            carried = len(run)
        run.append(unit)
    if len(run) > carried:
        yield run


def _tail(run: Sequence[Unit], limit: int) -> list[Unit]:
    """The longest proper run of last units that holds at most `limit` tokens."""
    kept: list[Unit] = []
    for unit in reversed(run[1:]):
        if _tokens(kept) + unit.tokens > limit:
            break
        kept.insert(0, unit)
    return kept


def _tokens(units: Sequence[Unit]) -> int:
    return sum(u.tokens for u in units)


def _row(doc_id: str, item_key: str, ordinal: int, run: Sequence[Unit]) -> dict[str, Any]:
    text = "\n\n".join(unit.text for unit in run)
    chunk_id = f"{doc_id}~{item_key}~{ordinal:04d}"
    keys = [key for key, _ in groupby(unit.unit_key for unit in run)]
    return {
        "chunk_id": chunk_id,
        "doc_id": doc_id,
        "item_key": item_key,
        "ordinal": ordinal,
        "unit_keys": keys,
        "text": text,
        "token_count": _tokens(run),
    }
