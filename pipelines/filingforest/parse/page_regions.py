"""Which lines of a page are a table: rows whose numbers stand in columns, the labels between them, and the headers above."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from filingforest.parse.page_lines import Cell, Line, data_row, period_row, year_row

MAX_LABELS = 8  # label-only lines between two rows
MAX_HEADERS = 7
TOUCH = 1.5  # points by which cells of neighbouring columns may come near each other


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


@dataclass(slots=True)
class Region:
    """Lines `start` to `end` (excluded) of a page; the rows from `body` on have numbers."""

    start: int
    body: int
    end: int
    columns: list[Column]


def find_regions(lines: Sequence[Line]) -> list[Region]:
    """The tables among a page's lines, from top to bottom."""
    regions: list[Region] = []
    at = 0
    while at < len(lines):
        if not data_row(lines[at]):
            at += 1
            continue
        end = _end(lines, at)
        columns = columns_of(lines[at:end])
        if _worth(lines[at:end], columns):
            start = _start(lines, at, regions[-1].end if regions else 0, columns)
            regions.append(Region(start, at, end, columns))
        at = end
    return regions


def _worth(rows: Sequence[Line], columns: Sequence[Column]) -> bool:
    """Two rows with numbers, or one with two: fewer are a sentence with a wide gap."""
    data = [line for line in rows if data_row(line)]
    return bool(columns) and (len(data) > 1 or (len(data) == 1 and sum(cell.numeric for cell in data[0].cells) > 1))


def _end(lines: Sequence[Line], at: int) -> int:
    """One past the last row of the table whose first row is `at`."""
    last, labels = at, 0
    edge = _numbers_from(lines[at])
    for i in range(at + 1, len(lines)):
        line = lines[i]
        if _breaks(lines[i - 1], line):
            break
        if data_row(line):
            last, labels, edge = i, 0, min(edge, _numbers_from(line))
        elif _new_header(line, edge):
            break
        elif line.x1 <= edge + line.size or _hanging(line, edge):
            labels += 1
            if labels > MAX_LABELS:
                break
        else:
            break
    return _with_tail(lines, last + 1, edge)


def _new_header(line: Line, edge: float) -> bool:
    """The next table begins: years, periods or column names over the numbers."""
    over = line.x0 >= edge - 4 * line.size
    return (year_row(line) and len(line.cells) > 1) or (over and (period_row(line) or (len(line.cells) > 1 and not year_row(line))))


def _breaks(above: Line, line: Line) -> bool:
    return line.page != above.page or line.y - above.y > 5 * max(line.size, above.size) or bool(line.edge)


def _numbers_from(row: Line) -> float:
    """Where a row's numbers begin on the left; its first cell is its label."""
    return min(cell.x0 for i, cell in enumerate(row.cells) if i > 0)


def _hanging(line: Line, edge: float) -> bool:
    """A wrapped cell right of the labels, without a label of its own."""
    return line.x0 >= edge - line.size and len(line.cells) > 0 and all(len(cell.text) < 60 for cell in line.cells)


def _with_tail(lines: Sequence[Line], end: int, edge: float) -> int:
    """The last row's wrapped label belongs to it: a line that goes on in lower case left of the numbers."""
    while end < len(lines) and not _breaks(lines[end - 1], lines[end]):
        line, above = lines[end], lines[end - 1]
        near = line.y - above.y <= 1.6 * line.size
        if not (near and len(line.cells) == 1 and line.x1 <= edge and line.text[:1].islower() and above.text[-1:] not in ".:"):
            break
        end += 1
    return end


def _start(lines: Sequence[Line], body: int, floor: int, columns: Sequence[Column]) -> int:
    """The first header line above `body`; the labels of groups may stand between the headers and the first row."""
    start, at = body, body - 1
    left = min((line.x0 for line in lines[body : body + 40]), default=0.0)
    size = 1.12 * max(line.size for line in lines[body : body + 3])
    while at >= floor and body - at <= MAX_HEADERS and not _breaks(lines[at], lines[at + 1]):
        if lines[at].size <= size and _header(lines[at], columns, left):
            start = at
        elif start < body or not _group(lines[at], columns):
            break
        at -= 1
    return start


def _group(line: Line, columns: Sequence[Column]) -> bool:
    """A short label left of the numbers: the name of a group of rows, or the first line of a wrapped label."""
    return len(line.cells) == 1 and line.x1 <= columns[0].x0 and not line.text.endswith(".")


def _header(line: Line, columns: Sequence[Column], left: float) -> bool:
    """Cells over the numbers' columns; a first cell at the left margin (a scale note, "Millions") may stand with them."""
    edge, right = columns[0].x0, columns[-1].x1
    cells = [cell for cell in line.cells if cell.x0 > left + line.size or cell.x1 > edge]
    over = [
        cell for cell in cells if cell.x0 >= edge - 6 * line.size and cell.x0 > left + 2 * line.size and cell.x1 <= right + 6 * line.size
    ]
    if not over or len(over) < len(cells) or len(line.cells) - len(cells) > 1:
        return False
    prose = len(line.cells) == 1 and (line.text.endswith((".", ";")) or len(line.text) > 90)
    return not prose and all(any(column.overlap(cell) > -3 * line.size for column in columns) for cell in over)


def columns_of(rows: Sequence[Line]) -> list[Column]:
    """Columns of the cells right of the labels: numbers that overlap share one; texts that touch none make more."""
    body = [line for line in rows if data_row(line)]
    numbers = [cell for line in body for cell in line.cells[1:] if cell.numeric]
    columns = _merged([Column(cell.core0, cell.x1, True, cell.x0) for cell in numbers])
    texts = [cell for line in rows for cell in line.cells[1:] if not cell.numeric and not any(c.overlap(cell) > 0 for c in columns)]
    return sorted([*columns, *_merged([Column(cell.x0, cell.x1, False, cell.x0) for cell in texts])], key=lambda c: c.x0)


def _merged(spans: list[Column]) -> list[Column]:
    out: list[Column] = []
    for span in sorted(spans, key=lambda c: c.x0):
        if out and span.x0 <= out[-1].x1 - TOUCH:
            out[-1].x1, out[-1].left = max(out[-1].x1, span.x1), min(out[-1].left, span.left)
        else:
            out.append(replace(span))
    return out
