"""Reads a `<table>` element into rows of filled cells with their places, in one pass and within bounds (spans, rows, cells)."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from filingforest.parse.elements import Element
from filingforest.parse.facts import FactBook
from filingforest.parse.model import Fact
from filingforest.parse.tables_cells import Cell, classify
from filingforest.parse.tables_styles import PLAIN, style_info
from filingforest.text import normalise

MAX_SPAN = 1_000  # columns that one cell may cover (HTML's own limit)
MAX_WIDTH = 10_000  # grid columns up to which row spans are followed
MAX_CELLS = 2_000  # filled cells of a row
MAX_ROWS = 20_000
MAX_DEPTH = 60  # nesting inside one cell
_BLOCKS = frozenset({"div", "p", "li", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6", "tr", "td", "th", "table"})
_WALKED = frozenset({"br", "sup", "table"})  # elements that say more than their text
_AROUND_ROWS = frozenset({"tbody", "thead", "tfoot", "colgroup", "form", "font", "center"})  # the latter in pages that break the rules
_BOLD_TAGS = frozenset({"b", "strong", "th"})
_SPANS = {str(n): n for n in range(1, 101)}
_LIFT, _DROP = "\ue000", "\ue001"  # around superscript text, until it is known what the cell holds


@dataclass(slots=True)
class Grid:
    """`rows` of filled cells from left to right; `nested` where a cell holds a table of its own."""

    rows: list[list[Cell]] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)  # the same rows as they are written
    nested: bool = False
    loose: list[Fact] = field(default_factory=list)  # facts outside any cell (a caption)
    caption: str = ""


def read_grid(table: Element, book: FactBook | None) -> Grid:
    """The grid of a table element; empty rows are left out."""
    return _GridReader(book).read(table)


_short = lru_cache(maxsize=10_000)(normalise)  # "$", ")", "%", years: written thousands of times in a filing


class _GridReader:
    def __init__(self, book: FactBook | None) -> None:
        self.fact_of = book.fact_of if book else None
        self.grid = Grid()
        self.carried: dict[int, int] = {}  # column -> rows that a cell above still covers
        self.line: list[str] = []
        self.waiting: dict[int, int] = {}  # the same, used up only where a row reaches the column
        self._reset()

    def _reset(self) -> None:
        self.parts: list[str] = []
        self.facts: list[Fact] = []
        self.indent, self.bold, self.seen, self.lifted = 0.0, False, False, False

    def read(self, table: Element) -> Grid:
        self._rows(table, False)
        return self.grid

    def _rows(self, parent: Element, head: bool, depth: int = 0) -> None:
        for child in parent:
            tag = child.tag
            if tag == "tr":
                self._row(child, head)
            elif tag == "caption":
                cell = self._cell(child, 0, 1, child.attrib.get("style"))
                self.line.clear()
                if cell:
                    self.grid.caption, self.grid.loose = cell.text, cell.facts
            elif tag in _AROUND_ROWS and depth < MAX_DEPTH:
                self._rows(child, head or tag == "thead", depth + 1)

    def _row(self, row: Element, head: bool) -> None:
        if len(self.grid.rows) >= MAX_ROWS:
            return
        style = row.attrib.get("style")
        if style and style_info(style).hidden:
            return
        number = len(self.grid.rows)
        column, carried, waiting = 0, self.carried, self.waiting
        cells: list[Cell] = []
        behind = 0  # what `waiting` has moved the row on beyond `column`
        for td in row:
            tag = td.tag
            if tag != "td" and tag != "th":
                continue
            while carried and column in carried:
                column += 1
                behind -= 1
            while waiting and waiting.get(column + behind):
                waiting[column + behind] -= 1
                behind += 1
            if len(cells) >= MAX_CELLS:
                break
            get = td.attrib.get
            wide, deep = get("colspan"), get("rowspan")
            span = 1 if wide is None else _SPANS.get(wide) or _span(wide, MAX_SPAN)
            down = 1 if deep is None else _span(deep, MAX_ROWS)
            if td.text or len(td):
                cell = self._cell(td, column, span, get("style"))
                if cell:
                    cell.head = head or tag == "th"
                    cell.row = number
                    cell.written = cell.end + behind
                    cells.append(cell)
            if down > 1 and column < MAX_WIDTH:
                carried.update((k, down) for k in range(column, column + span))
                waiting.update((k + behind, down - 1) for k in range(column, column + span))
            column += span
        if carried:
            self.carried = {k: n - 1 for k, n in carried.items() if n > 1}
        if cells:
            self.grid.rows.append(cells)
            self.grid.lines.append(" ".join(self.line))
        self.line.clear()

    def _cell(self, td: Element, column: int, span: int, style: str | None) -> Cell | None:
        self._reset()
        if style:
            info = style_info(style)
            if info.hidden:
                return None
            self.indent, self.bold = info.indent, info.bold
        raw = self._text(td)
        text = _short(raw) if len(raw) < 8 else normalise(raw)
        if not text or (self.lifted and text == _LIFT + _DROP):
            return None
        self.line.append(text.replace(_LIFT, "").replace(_DROP, "") if self.lifted else text)
        if raw[0] == "\xa0":
            self.indent += 3.0 * raw[: len(raw) - len(raw.lstrip())].count("\xa0")
        cell = Cell(column, column + span - 1, text, facts=self.facts, indent=self.indent, bold=self.bold)
        return _lifted(cell) if self.lifted else classify(cell)

    def _text(self, element: Element) -> str:
        """The text of a cell; most hold one element within one, down to the text, and need no walk."""
        while len(element) == 1 and not (element.text and not element.text.isspace()):
            child = element[0]
            tag, style = child.tag, child.attrib.get("style")
            info = style_info(style) if style else PLAIN
            if (child.tail and not child.tail.isspace()) or info.raised or info.hidden or tag in _WALKED:
                break
            self.indent += info.indent
            self.bold = self.bold or info.bold or tag in _BOLD_TAGS
            if ":" in tag:
                self._fact(child)
            element = child
        if len(element) == 0:
            return element.text or ""
        self._walk(element, 0)
        return "".join(self.parts)

    def _fact(self, element: Element) -> None:
        fact = self.fact_of(element) if self.fact_of else None
        if fact:
            self.facts.append(fact)

    def _walk(self, element: Element, depth: int) -> None:
        """Adds the text below `element` to `parts`, with a space at breaks, and the facts on the way."""
        parts = self.parts
        if element.text:
            parts.append(element.text)
            self.seen = self.seen or not element.text.isspace()
        for child in element:
            tag = child.tag
            if tag == "br":
                parts.append(" ")
            elif depth < MAX_DEPTH:
                self._child(child, tag, depth)
            if child.tail:
                parts.append(child.tail)
                self.seen = self.seen or not child.tail.isspace()

    def _child(self, child: Element, tag: str, depth: int) -> None:
        style = child.attrib.get("style")
        info = style_info(style) if style else PLAIN
        if info.hidden:
            return
        if not self.seen:
            self.indent += info.indent
            self.bold = self.bold or info.bold or tag in _BOLD_TAGS
        if ":" in tag:
            self._fact(child)
        block, raised = tag in _BLOCKS, tag == "sup" or info.raised
        if tag == "table":
            self.grid.nested = True
        if block or raised:
            self.parts.append(_LIFT if raised else " ")
        self._walk(child, depth + 1)
        if block or raised:
            self.parts.append(_DROP if raised else " ")
            self.lifted = self.lifted or raised


def _lifted(cell: Cell) -> Cell:
    """A cell with superscripts: as footnote markers beside a number, as plain characters within words."""
    base: list[str] = []
    markers: list[str] = []
    inside = False
    for piece in cell.text.replace(_DROP, _LIFT).split(_LIFT):
        (markers if inside else base).append(piece.strip() if inside else piece)
        inside = not inside
    markers = [m for m in markers if m]
    plain = " ".join("".join(base).split())
    if not plain:
        cell.text = " ".join(markers)
        return classify(cell, superscript=True)
    whole = " ".join(cell.text.replace(_LIFT, "").replace(_DROP, "").split())
    cell.text = plain
    classify(cell)
    if cell.kind == 0:
        cell.text = whole
    cell.notes = [m for m in markers if len(m) <= 8] or cell.notes
    return cell


def _span(text: str, limit: int) -> int:
    """A span attribute as HTML reads it: 1 where it is not a positive number, never above `limit`."""
    text = text.strip()[:8]
    return min(max(int(text), 1), limit) if text.isascii() and text.isdigit() else 1
