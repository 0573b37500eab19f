"""Finds a table's columns from where its numbers end: cells are joined to their symbols first, then right edges are grouped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from filingforest.parse.tables_cells import Cell, Kind, commonest, is_negative

MAX_COLUMNS = 200
_VALUES = (Kind.NUMBER, Kind.DASH)


@dataclass(slots=True)
class Column:
    """Grid columns `start`..`edge` (both included) that one column of the table covers."""

    start: int
    edge: int
    rows: set[int] = field(default_factory=set)
    numeric: bool = False
    tagged: set[int] = field(default_factory=set)  # right edges of the tagged numbers in it, as written


def join_symbols(row: Sequence[Cell]) -> list[Cell]:
    """One row with "$", "(", ")", "%" and footnote markers in cells of their own joined to their numbers."""
    out: list[Cell] = []
    before: list[Cell] = []
    for cell in row:
        if cell.kind is Kind.BEFORE:
            before.append(cell)
        elif cell.kind is Kind.AFTER and out and not before:
            _attach_after(out[-1], cell)
        elif cell.kind is Kind.NOTE and out and not before:
            out[-1].notes += cell.notes
        else:
            if before:
                _attach_before(before, cell)
                before = []
            out.append(cell)
    return out


def _attach_before(symbols: Sequence[Cell], cell: Cell) -> None:
    text = "".join(s.text for s in symbols)
    cell.start = symbols[0].start
    for symbol in symbols:
        cell.mark = cell.mark or symbol.mark
        cell.facts = symbol.facts + cell.facts
    if cell.kind is Kind.NUMBER and is_negative(text) and not is_negative(cell.text[0]):
        cell.value = -(cell.value or 0.0)
        cell.text = "(" + cell.text if "(" in text or "[" in text else "-" + cell.text


def _attach_after(cell: Cell, symbol: Cell) -> None:
    if cell.kind not in _VALUES:
        cell.end = symbol.end
        cell.text += symbol.text if symbol.text[0] in ")%]" else " " + symbol.text
        return
    if "%" in symbol.text:
        cell.mark = "%"
    cell.text += symbol.text.replace(" ", "") if symbol.text[0] in ")%]¢" else " " + symbol.text
    cell.end = symbol.end
    cell.facts += symbol.facts


def join_footnotes(rows: Sequence[list[Cell]], head: Sequence[Sequence[Cell]]) -> None:
    """Takes "(1)" right of a number for its footnote, where its column holds nothing else and has no header of its own."""
    edges = {c.edge for row in rows for c in row if c.kind in _VALUES and not c.footnote_like}
    for row in rows:
        for i in range(len(row) - 1, 0, -1):
            cell, left = row[i], row[i - 1]
            if cell.footnote_like and cell.edge not in edges and left.kind in _VALUES and cell.start - left.end <= 2:
                over = [c for line in head for c in line if c.start <= cell.edge <= c.end]
                if all(c.start <= left.edge <= c.end for c in over):
                    left.notes.append(cell.text)
                    del row[i]


def find_columns(rows: Sequence[Sequence[Cell]]) -> list[Column]:
    """Columns of the value cells of the body (labels left out), from left to right; numbers decide, words follow."""
    columns: list[Column] = []
    _add(columns, [c for row in rows for c in row if c.kind in _VALUES or c.tagged], numeric=True)
    _add(columns, [c for row in rows for c in row if not (c.kind in _VALUES or c.tagged)], numeric=False)
    columns.sort(key=lambda c: (c.edge, c.start))
    return columns


def _add(columns: list[Column], cells: Sequence[Cell], numeric: bool) -> None:
    """Groups cells by right edge, the most frequent first; an edge joins a column that it overlaps and never shares a row with.

    Two edges with tagged numbers stay two columns under the same header: what was tagged keeps its exact place in the source.
    """
    edges: dict[tuple[int, int], list[Cell]] = {}
    for cell in cells:
        tagged = cell.tagged and cell.kind is not Kind.DASH
        edges.setdefault((cell.edge, cell.written if tagged else -1), []).append(cell)
    for (edge, written), group in sorted(edges.items(), key=lambda x: (-len(x[1]), x[0])):
        start = commonest([c.start for c in group])
        rows = {c.row for c in group}
        near = [c for c in columns if c.start <= edge and start <= c.edge]
        home = _home(near, edge, written, rows)
        if home is None and near and not numeric:
            continue  # words across several columns: placed row by row
        if home is None:
            if len(columns) >= MAX_COLUMNS:
                continue
            home = Column(start, edge, numeric=numeric)
            columns.append(home)
        home.rows |= rows
        if written >= 0:
            home.tagged.add(written)


def _home(near: Sequence[Column], edge: int, written: int, rows: set[int]) -> Column | None:
    """The column among those that overlap which a group of cells belongs to."""
    fits = [c for c in near if written < 0 or not c.tagged or written in c.tagged]
    exact = [c for c in fits if c.edge == edge]
    free = [c for c in fits if not c.rows & rows]
    if exact:
        return max(exact, key=lambda c: (not c.rows & rows, len(c.rows)))
    return min(free, key=lambda c: abs(c.edge - edge)) if free else None


class Places:
    """The columns of a table, asked for the column of each body cell."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self.columns = columns
        self.by_edge: dict[int, list[int]] = {}
        self.by_tag: dict[int, list[int]] = {}
        for i in sorted(range(len(columns)), key=lambda i: -len(columns[i].rows)):
            self.by_edge.setdefault(columns[i].edge, []).append(i)
            for written in columns[i].tagged:
                self.by_tag.setdefault(written, []).append(i)

    def of(self, cell: Cell, placed: Sequence[Cell | None]) -> int | None:
        """By right edge, else by overlap, else the nearest that is free; None where no column is free in the row."""
        if cell.tagged and cell.kind is not Kind.DASH:
            for i in self.by_tag.get(cell.written, ()):
                if placed[i] is None and self.columns[i].start <= cell.edge <= self.columns[i].edge:
                    return i
        for i in self.by_edge.get(cell.edge, ()):
            if placed[i] is None:
                return i
        return self._near(cell, [i for i, c in enumerate(placed) if c is None])

    def _near(self, cell: Cell, free: Sequence[int]) -> int | None:
        columns = self.columns
        over = [i for i in free if columns[i].start <= cell.edge and cell.start <= columns[i].edge]
        if over:
            return over[0] if cell.kind is Kind.TEXT else min(over, key=lambda i: abs(columns[i].edge - cell.edge))
        return min(free, key=lambda i: min(abs(columns[i].edge - cell.edge), abs(columns[i].start - cell.start)), default=None)
