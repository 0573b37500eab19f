"""Turns a `<table>` into a table unit that a reader can compute with: columns under their headers, rows with labels, units and tags.

Steps, each in a module of its own: grid -> titles and headers | body -> columns by right edges -> rows -> units -> linear text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from filingforest.parse import tables_titles as titles
from filingforest.parse.elements import Element
from filingforest.parse.facts import FactBook
from filingforest.parse.mentions import set_scales, table_mentions
from filingforest.parse.model import TableUnit
from filingforest.parse.tables_cells import Cell, Kind
from filingforest.parse.tables_columns import Column, Places, find_columns, join_footnotes, join_symbols
from filingforest.parse.tables_grid import Grid, read_grid
from filingforest.parse.tables_header import (
    HAS_YEAR,
    PERIOD_WORD,
    flatten,
    is_data,
    is_date,
    is_mid_header,
    is_scale_note,
    join_stack,
    label_span,
    split,
)
from filingforest.parse.tables_layout import is_layout
from filingforest.parse.tables_levels import set_levels
from filingforest.parse.tables_linear import IN_LABEL, linear
from filingforest.parse.tables_rows import Row, as_dict, build_row, label_figure
from filingforest.parse.tables_units import UnitRules

MAX_NOTE = 4_000


@dataclass(slots=True)
class TableResult:
    """A data table: its unit, linear text, the facts in it as (fact_id, row, column), and what it is.

    In `cells` a row of None means title, header or notes, a column of None the row's label. `shape` is for merging over pages.
    """

    unit: TableUnit
    text: str
    cells: list[tuple[str, int | None, int | None]]
    layout: bool = False
    statement: str | None = None
    headed: bool = True  # has column headers of its own
    edges: list[int] = field(default_factory=list)
    plain: str = ""  # the rows as they stand in the source, a line each


def read_table(table: Element, book: FactBook | None = None, before: Sequence[str] = (), items_only: bool = False) -> TableResult | None:
    """The table unit of a `<table>`; None where it only lays out text. `before`: the few blocks above, the nearest last.

    `items_only`: its rows as they stand and what statement it is, without columns and values.
    """
    grid = read_grid(table, book)
    if is_layout(grid):
        return None
    builder = _Builder(grid, book, before)
    return builder.outline() if items_only else builder.build()


class _Builder:
    def __init__(self, grid: Grid, book: FactBook | None, before: Sequence[str]) -> None:
        self.grid, self.book, self.before = grid, book, before
        self.right = max(c.end for row in grid.rows for c in row)
        self.label_end = label_span(grid.rows)
        self.split = split(grid.rows, self.label_end)
        self.plain = "\n".join(grid.lines)
        self.notes: list[str] = []
        self.stub = ""  # the header of the labels
        self.loose = list(grid.loose)  # facts in titles, headers and notes

    def build(self) -> TableResult | None:
        body = self._body()
        if not body or self._only_words():
            return None
        own, note = self._titles()
        join_footnotes([cells for cells, kind in body if kind == "row"], [self.grid.rows[i] for i in self.split.head])
        columns = find_columns([self._values(cells) for cells, kind in body if kind == "row"])
        headers = self._with_stub(flatten(self._head(note), columns, self.label_end))
        places = Places(columns)
        rows = [self._row(cells, kind, places) for cells, kind in body]
        if self.book:
            self._label_figures(rows, headers, self.book)
        set_levels(rows)
        return self._result(own, note, columns, headers, rows)

    def outline(self) -> TableResult | None:
        """As `build`, without columns, values and units."""
        body = self._body()
        if not body or self._only_words():
            return None
        own, note = self._titles()
        name = titles.title(own, self.before)
        labels = [cells[0].text for cells, _ in body]
        concepts = [concept for cells, _ in body if (concept := next((c.fact.concept for c in cells if c.fact), None))]
        rows = [{"label": label} for label in labels]
        unit = TableUnit(name, note, [], rows)
        return TableResult(unit, self.plain, [], statement=titles.statement(name, self.before, labels, concepts), plain=self.plain)

    def _only_words(self) -> bool:
        """Two columns of words and no header: label and text, better read as lines."""
        return not self.split.head and not any(is_data(r, self.label_end) for r in self.grid.rows) and self._values_wide() < 2

    def _result(self, own: list[str], note: str | None, columns: list[Column], headers: list[str], rows: list[Row]) -> TableResult:
        name = titles.title(own, self.before)
        set_scales(rows, self.book)
        units = UnitRules(note, [r.cells for r in rows if r.kind != "header"], headers)
        out = [as_dict(r, units) for r in rows]
        concepts = [r["concept"] for r in out if "concept" in r]
        kind = titles.statement(name, self.before, [r.label for r in rows], concepts)
        notes = [t for t in own if t not in (name, note)] + self.notes
        unit = TableUnit(name, note, headers, out, notes)
        text = linear(unit, self.stub)
        cells = table_mentions(rows, self.loose)
        return TableResult(unit, text, cells, statement=kind, headed=any(headers), edges=[c.edge for c in columns], plain=self.plain)

    def _body(self) -> list[tuple[list[Cell], str]]:
        """Body rows with symbols joined, each with what it is: row, header (columns named again)."""
        out: list[tuple[list[Cell], str]] = []
        rows = self.grid.rows[self.split.body :]
        last = max((i for i, r in enumerate(rows) if len(r) > 1 or any(c.kind is Kind.NUMBER for c in r)), default=-1)
        for i, row in enumerate(rows):
            if i > last and out and len(row) == 1 and _is_note(row[0], self.right):
                self.notes.append(row[0].text[:MAX_NOTE])
                self.loose += row[0].facts
            elif out and is_mid_header(row, self.label_end):
                out.append((row, "header"))
            else:
                joined = join_symbols(row)
                if joined:
                    out.append((joined, "row"))
        return out

    def _values(self, cells: list[Cell]) -> list[Cell]:
        label = cells[0].start <= self.label_end and not (cells[0].kind is not Kind.TEXT and cells[0].tagged)
        return [c for c in cells[1 if label else 0 :] if c.start > self.label_end or c.kind is not Kind.TEXT]

    def _values_wide(self) -> int:
        """The most value cells that a row has."""
        return max(sum(c.start > self.label_end for c in row) for row in self.grid.rows)

    def _titles(self) -> tuple[list[str], str | None]:
        own = [self.grid.caption] if self.grid.caption else []
        stub: list[str] = []
        for i in sorted(self.split.titles + self.split.head):
            row = self.grid.rows[i]
            self.loose += [f for c in row for f in c.facts]
            if i in self.split.titles or (len(row) == 1 and row[0].start <= self.label_end):
                own.append(" ".join(c.text for c in row))
            else:
                stub += [c.text for c in row]
        return own, titles.scale_note([*own, *stub], self.before)

    def _head(self, note: str | None) -> list[list[Cell]]:
        """Header rows without cells that only say the scale over all columns."""
        rows = [self.grid.rows[i] for i in sorted(self.split.head + self.split.dated)]
        return [
            [c for c in row if not (is_scale_note(c.text) and (c.start <= self.label_end or len(row) == 1) and "20" not in c.text)]
            for row in rows
        ]

    def _with_stub(self, headers: list[str]) -> list[str]:
        """What stands over the labels: "Year ended December 31," belongs to the years beside it, anything else is kept as `stub`."""
        rows = [self.grid.rows[i] for i in self.split.head]
        over = [c for row in rows for c in row if c.end <= self.label_end and not is_scale_note(c.text)]
        text = join_stack(over)
        if is_date(text) and PERIOD_WORD.search(text) and headers and all(HAS_YEAR.fullmatch(h) for h in headers):
            return [join_stack([*over, Cell(0, 0, h)]) for h in headers]
        self.stub = text
        if any(c.isdigit() for c in text):
            self.notes.append(text)
        return headers

    def _label_figures(self, rows: list[Row], headers: list[str], book: FactBook) -> None:
        """A first column for tagged numbers within labels ("2.95% Notes due 2027"); not where a label has brackets, which hold remarks."""
        found = [(r, label_figure(r, book)) for r in rows if r.label_facts and "(" not in r.label]
        if not any(cell for _, cell in found):
            return
        edge = next(r.label_edge for r, cell in found if cell)
        above = self._over_label(edge)
        headers.insert(0, f"{above} / {IN_LABEL}" if above else IN_LABEL)
        for row in rows:
            row.cells.insert(0, None)
        for row, cell in found:
            if cell:
                row.cells[0], row.label_facts = cell, []
                row.kind = "item" if row.kind == "group" else row.kind

    def _over_label(self, edge: int) -> str:
        """What the header rows say over the label column."""
        rows = [self.grid.rows[i] for i in sorted(self.split.head + self.split.titles)]
        return join_stack([c for row in rows for c in row if c.start <= edge <= c.end])

    def _row(self, cells: list[Cell], kind: str, places: Places) -> Row:
        row = build_row(cells, places, self.label_end)
        if kind == "header":
            row.kind = "header"
        return row


def _is_note(cell: Cell, right: int) -> bool:
    return cell.kind is Kind.TEXT and (cell.text[0] in "(*†‡[1234567890" or len(cell.text) > 60)


def merge_continued(first: TableResult, second: TableResult) -> TableResult | None:
    """One table out of two on following pages, where the second has the same columns or none of its own; else None."""
    one, two = first.unit, second.unit
    if len(one.columns) != len(two.columns) or not one.columns:
        return None
    if second.headed and [c.lower() for c in one.columns] != [c.lower() for c in two.columns]:
        return None
    if not second.headed and two.title and two.title != one.title:
        return None
    offset = len(one.rows)
    rows, notes = one.rows + two.rows, one.notes + two.notes
    unit = TableUnit(one.title, one.scale_note or two.scale_note, one.columns, rows, notes)
    cells = first.cells + [(f, None if r is None else r + offset, c) for f, r, c in second.cells]
    text = linear(unit)
    return TableResult(
        unit,
        text,
        cells,
        statement=first.statement or second.statement,
        headed=first.headed,
        edges=first.edges,
        plain=f"{first.plain}\n{second.plain}",
    )
