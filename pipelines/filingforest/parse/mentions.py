"""Ties facts to where they stand: cells of tables, and character ranges of text blocks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from filingforest.parse.facts import FactBook, Shown
from filingforest.parse.model import Fact, FactMention
from filingforest.parse.tables_rows import Row


def set_scales(rows: Sequence[Row], book: FactBook | None) -> None:
    """Gives each tagged cell the power of ten that its number is written in."""
    if not book:
        return
    for row in rows:
        for cell in row.cells:
            fact = cell.fact if cell is not None else None
            if cell is not None and fact is not None:
                cell.scale = book.shown.get(fact.fact_id, Shown()).scale


def table_mentions(rows: Sequence[Row], loose: Sequence[Fact]) -> list[tuple[str, int | None, int | None]]:
    """(fact_id, row, column) of every fact in a table; column None in a label, row None in titles, headers and notes."""
    out: list[tuple[str, int | None, int | None]] = [(f.fact_id, None, None) for f in loose]
    for r, row in enumerate(rows):
        out += [(f.fact_id, r, None) for f in row.label_facts]
        out += [(f.fact_id, r, c) for c, cell in enumerate(row.cells) if cell is not None for f in cell.facts]
    return out


def mentions_of_table(book: FactBook, node_id: str, cells: Iterable[tuple[str, int | None, int | None]]) -> list[FactMention]:
    """FactMentions of a table node, with scale and sign as written."""
    return [_mention(book, fact_id, node_id, row=row, column=column) for fact_id, row, column in cells]


def mentions_of_text(book: FactBook, node_id: str, marks: Iterable[tuple[int, int, Any]], offset: int = 0) -> list[FactMention]:
    """FactMentions of a text node from (start, end, element) marks; `offset` moves them into the document's text."""
    out = []
    for start, end, element in marks:
        fact = book.fact_of(element)
        if fact is not None:
            out.append(_mention(book, fact.fact_id, node_id, char_start=start + offset, char_end=end + offset))
    return out


def _mention(book: FactBook, fact_id: str, node_id: str, **place: int | None) -> FactMention:
    shown = book.shown.get(fact_id)
    return FactMention(fact_id, node_id, scale=shown.scale if shown else None, sign=shown.sign if shown else None, **place)
