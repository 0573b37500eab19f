"""Which lines of a page are a table: rows whose numbers stand in columns, the labels between them, and the headers above."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from filingforest.parse.page_heads import Column, breaks, first_header
from filingforest.parse.page_lines import Line, data_row, period_row, year_row

MAX_LABELS = 8  # label-only lines between two rows
TOUCH = 1.5  # points by which cells of neighbouring columns may come near each other


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
            start = first_header(lines, at, end, regions[-1].end if regions else 0, columns)
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
    edge, right = _numbers_from(lines[at]), lines[at].x1
    for i in range(at + 1, len(lines)):
        line = lines[i]
        if breaks(lines[i - 1], line):
            break
        if data_row(line):
            last, labels, edge, right = i, 0, min(edge, _numbers_from(line)), max(right, line.x1)
        elif _new_header(lines[i - 1], line, edge):
            break
        elif line.x1 <= edge + line.size or _hanging(line, edge, right):
            labels += 1
            if labels > MAX_LABELS:
                break
        else:
            break
    return _with_tail(lines, last + 1, edge, right)


def _new_header(above: Line, line: Line, edge: float) -> bool:
    """The next table begins: years, periods, or names of columns set off from the row above."""
    if year_row(line) and len(line.cells) > 1:
        return True
    over = line.x0 >= edge - 4 * line.size
    apart = line.y - above.y > 1.5 * line.size or line.bold > 0.5
    return over and (period_row(line) or (apart and len(line.cells) > 1 and not year_row(line)))


def _numbers_from(row: Line) -> float:
    """Where a row's numbers begin on the left; its first cell is its label."""
    return min(cell.x0 for i, cell in enumerate(row.cells) if i > 0)


def _hanging(line: Line, edge: float, right: float) -> bool:
    """Wrapped cells right of the labels, without a label of their own: text columns of officers, exhibits, debts."""
    return line.x0 >= edge - line.size and line.x1 <= right + line.size


def _with_tail(lines: Sequence[Line], end: int, edge: float, right: float) -> int:
    """The last row's wrapped label and cells belong to it: close below, left of the numbers in lower case, or right of the labels."""
    while end < len(lines) and not breaks(lines[end - 1], lines[end]):
        line, above = lines[end], lines[end - 1]
        label = len(line.cells) == 1 and line.x1 <= edge and line.text[:1].islower() and above.text[-1:] not in ".:"
        if line.y - above.y > 1.5 * line.size or not (label or _hanging(line, edge, right)):
            break
        end += 1
    return end


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
