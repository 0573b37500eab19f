"""Rows of a table unit: labels with level and parent, display texts, signed values, units, and the tagged concept and periods."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from filingforest.parse.facts import FactBook
from filingforest.parse.model import Fact
from filingforest.parse.tables_cells import Cell, Kind, classify, commonest
from filingforest.parse.tables_columns import Places
from filingforest.parse.tables_units import UnitRules

_SUM = re.compile(r"(?:sub)?totals?\b", re.IGNORECASE)
_BULLET = re.compile(r"(?:\([a-z0-9]{1,3}\)|[•●▪◦·–—-]|[a-z0-9]{1,2}[.)])\Z", re.IGNORECASE)


@dataclass(slots=True)
class Row:
    """One body row before units: the label's cell, and for each column a cell or None."""

    label: str
    cells: list[Cell | None]
    indent: float = 0.0
    bold: bool = False
    kind: str = "item"  # group, total, item, header, note
    label_facts: list[Fact] = field(default_factory=list)
    label_edge: int = 0
    notes: list[str] = field(default_factory=list)
    level: int = 0
    parent: str | None = None

    @property
    def filled(self) -> bool:
        return any(c is not None for c in self.cells)


def build_row(cells: Sequence[Cell], places: Places, label_end: int) -> Row:
    """Takes a row's label and places its cells; `label_end` is the last grid column of the labels."""
    label, rest = _label(cells, label_end)
    placed: list[Cell | None] = [None] * len(places.columns)
    for cell in rest:
        at = places.of(cell, placed)
        if at is not None:
            placed[at] = cell
        else:
            _append_to(placed, cell)
    text = " ".join(c.text for c in label)
    if not label:
        text = next((c.text for c in rest if c.kind is Kind.TEXT), "")
    row = Row(text, placed)
    if label:
        row.indent = label[0].indent + (label[0].start if len(label) == 1 else 0) * 0.5
        row.bold = label[0].bold
        row.label_facts = [f for c in label for f in c.facts]
        row.label_edge = label[-1].end
    row.notes = [n for c in cells for n in c.notes]
    row.kind = _kind(row)
    return row


def _label(cells: Sequence[Cell], label_end: int) -> tuple[list[Cell], list[Cell]]:
    first = cells[0]
    if first.start > label_end or (first.kind in (Kind.NUMBER, Kind.DASH) and first.tagged):
        return [], list(cells)
    count = 1
    if len(cells) > 2 and _BULLET.match(first.text) and cells[1].kind is Kind.TEXT:
        count = 2
    while count < len(cells) and cells[count].start <= label_end and cells[count].kind is Kind.TEXT:
        count += 1
    return list(cells[:count]), list(cells[count:])


def _append_to(placed: list[Cell | None], cell: Cell) -> None:
    """More cells than columns: the text goes to the last one, so that nothing is lost."""
    for other in reversed(placed):
        if other is not None:
            other.text += " " + cell.text
            other.facts = other.facts + cell.facts
            return


def _kind(row: Row) -> str:
    if not row.filled:
        return "group"
    return "total" if _SUM.match(row.label) else "item"


def label_figure(row: Row, book: FactBook) -> Cell | None:
    """The tagged numbers within a row's label as a cell; None where they are no digits ("three years")."""
    shown = [book.shown[f.fact_id].text for f in row.label_facts if f.fact_id in book.shown]
    written = [t for t in shown if any(c.isdigit() for c in t)]
    if not written:
        return None
    cell = Cell(row.label_edge, row.label_edge, written[0], facts=row.label_facts, row=-1)
    classify(cell)
    cell.text = "; ".join(written)
    return cell


def as_dict(row: Row, units: UnitRules) -> dict[str, Any]:
    """The JSON of one row, as in the design; group rows carry no values."""
    out: dict[str, Any] = {"label": row.label, "level": row.level, "parent": row.parent, "kind": row.kind}
    if row.notes:
        out["footnotes"] = list(dict.fromkeys(row.notes))
    if row.kind == "group" or not row.filled:
        return out
    out["text"] = [c.text if c else "" for c in row.cells]
    if row.kind == "header":
        return out
    out["values"] = [c.value if c else None for c in row.cells]
    _add_units(out, row, units)
    _add_tags(out, row)
    return out


def _add_units(out: dict[str, Any], row: Row, units: UnitRules) -> None:
    each = units.of_row(row.cells, row.label, row.parent or "")
    known = [u for u in each if u]
    if known:
        out["unit"] = commonest(known)
        if known.count(known[0]) != len(known):
            out["units"] = each


def _add_tags(out: dict[str, Any], row: Row) -> None:
    facts = [c.fact if c else None for c in row.cells]
    concepts = [f.concept for f in facts if f is not None]
    if concepts:
        out["concept"] = commonest(concepts)
        out["period_end"] = [f.period_end if f is not None else None for f in facts]
