"""Where the headers of a table begin that has no lines around it: above its first row, over its columns and not over the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from filingforest.parse.page_lines import Cell, Line, data_row, dated, period_row

MAX_HEADERS = 9  # lines between the first header and the first row
LONGEST = 90  # characters of a line with one cell: more is prose
LARGER = 1.12  # times the rows' type size: more is a title


@dataclass(slots=True)
class Column:
    """A column's extent over its numbers, without far currency signs; `left` is the extent with them."""

    x0: float
    x1: float
    numeric: bool = True
    left: float = 0.0

    @property
    def mid(self) -> float:
        return (self.x0 + self.x1) / 2

    def overlap(self, cell: Cell) -> float:
        return min(self.x1, cell.x1) - max(self.x0, cell.core0)


def first_header(lines: Sequence[Line], body: int, end: int, floor: int, columns: Sequence[Column]) -> int:
    """The first header line above row `body`, not above `floor`; names of groups of rows may stand between headers and rows."""
    over = _Over.of(lines, body, end, columns)
    start, at = body, body - 1
    while at >= floor and body - at <= MAX_HEADERS and not breaks(lines[at], lines[at + 1]):
        if over.header(lines[at]):
            start = at
        elif start < body or not over.group(lines[at]):
            break
        at -= 1
    return start


def breaks(above: Line, line: Line) -> bool:
    """No table goes over a page, a wide gap, or a running header."""
    return line.page != above.page or line.y - above.y > 5 * max(line.size, above.size) or bool(line.edge)


@dataclass(slots=True)
class _Over:
    """The place of a table on its page: labels from `left` to `label`, columns from `edge` to `right`; `page` is the page's middle."""

    columns: Sequence[Column]
    left: float
    label: float
    size: float
    page: float

    @classmethod
    def of(cls, lines: Sequence[Line], body: int, end: int, columns: Sequence[Column]) -> _Over:
        rows = lines[body:end]
        labels = sorted(row.cells[0].x1 for row in rows if data_row(row) and row.cells[0].x1 <= columns[0].x0)
        left = min(row.x0 for row in rows)
        page = (min(line.x0 for line in lines) + max(line.x1 for line in lines)) / 2
        return cls(columns, left, labels[len(labels) * 3 // 4] if labels else left, LARGER * max(row.size for row in rows[:3]), page)

    def header(self, line: Line) -> bool:
        """Cells over the columns; a first cell at the left margin (a scale note, "Millions") may stand beside them."""
        if line.size > self.size:
            return False
        cells = [cell for cell in line.cells if cell.x0 > self.left + line.size or cell.x1 > self.columns[0].x0]
        if not cells or len(line.cells) - len(cells) > 1 or not all(self._over(cell, line.size) for cell in cells):
            return False
        if len(cells) == 1 and (line.text.endswith((".", ";")) or len(line.text) > LONGEST):
            return False
        return len(cells) > 1 or dated(cells[0]) or period_row(line) or not self._centred_on_page(cells[0], line.size)

    def group(self, line: Line) -> bool:
        """A short label left of the numbers: the name of a group of rows, or the first line of a wrapped label."""
        return len(line.cells) == 1 and line.x1 <= self.columns[0].x0 and not line.text.endswith(".")

    def _over(self, cell: Cell, size: float) -> bool:
        edge, right = self.columns[0].left, self.columns[-1].x1
        if cell.x0 <= self.left + 2 * size or cell.x1 > right + 6 * size:
            return False
        if dated(cell) and cell.x0 > self.label:
            return True
        aligned = any(abs(cell.x1 - column.x1) < 1.5 * size for column in self.columns) and cell.x0 > self.label
        return aligned or (cell.x0 >= edge - 6 * size and (cell.x0 + cell.x1) / 2 >= edge - 2 * size)

    def _centred_on_page(self, cell: Cell, size: float) -> bool:
        middle = (cell.x0 + cell.x1) / 2
        columns = (self.columns[0].left + self.columns[-1].x1) / 2
        return abs(middle - self.page) < size and abs(middle - columns) > 2 * size and cell.x1 - cell.x0 > 8 * size
