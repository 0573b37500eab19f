"""A table region as rows and columns, handed on as a `<table>` element: what a table means is decided in one place for all formats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from filingforest.parse.elements import Element, element
from filingforest.parse.page_heads import Column
from filingforest.parse.page_lines import Cell, Line
from filingforest.parse.page_regions import Region
from filingforest.text import visible

OPEN_END = ("and", "or", "of", "for", "the", "to", "in", "on", "by", "with", "from", "at", "than", "net", "—", "–", ",", "(", "-")


@dataclass(slots=True)
class Row:
    """A table row: `cells` as (first column, number of columns, text); `x0` is where its label starts."""

    label: str
    x0: float
    x1: float
    cells: list[tuple[int, int, str]] = field(default_factory=list)
    bold: bool = False
    y: float = 0.0
    head: bool = False  # names columns
    span: tuple[int, int] = (-1, -1)  # its place in the source, where that is text


def rows_of(lines: Sequence[Line], region: Region) -> list[Row]:
    """The region's rows, wrapped labels and wrapped cells joined to the row that they belong to."""
    columns = region.columns
    left = min(line.x0 for line in lines[region.body : region.end])
    heads = [_header_row(line, columns, left) for line in lines[region.start : region.body]]
    body = [_body_row(line, columns) for line in lines[region.body : region.end]]
    return heads + _unwrapped(body, [line.size for line in lines[region.body : region.end]])


def _label(line: Line, columns: Sequence[Column]) -> Cell | None:
    first = line.cells[0]
    over = [column.overlap(first) for column in columns]
    numeric_place = first.numeric and max(over) > 0
    if numeric_place or first.x0 >= columns[0].x0 - 0.5 * line.size:
        return None
    return first


def _body_row(line: Line, columns: Sequence[Column]) -> Row:
    label = _label(line, columns)
    cells = line.cells[1:] if label else line.cells
    placed: dict[int, str] = {}
    for cell in cells:
        k = max(range(len(columns)), key=lambda i: (columns[i].overlap(cell), -abs(columns[i].mid - cell.mid)))
        placed[k] = f"{placed[k]} {cell.text}" if k in placed else cell.text
    row = Row(label.text if label else "", label.x0 if label else line.x0, label.x1 if label else line.x0, bold=line.bold > 0.5, y=line.y)
    row.span = (line.start, line.end)
    row.cells = [(k, 1, placed[k]) for k in sorted(placed)]
    return row


def _header_row(line: Line, columns: Sequence[Column], left: float) -> Row:
    """Each header cell over the run of columns that it is centred on; a cell never takes a column under its neighbour.

    Only a cell that starts at the labels' left margin is a label.
    """
    label = _label(line, columns)
    if label and (any(column.overlap(label) > 0 for column in columns) or label.x0 > left + 3 * line.size):
        label = None
    cells = line.cells[1:] if label else line.cells
    near = [_under(cell, columns) for cell in cells]
    row = Row(label.text if label else "", label.x0 if label else line.x0, label.x1 if label else line.x0, bold=line.bold > 0.5, y=line.y)
    row.span = (line.start, line.end)
    for i, cell in enumerate(cells):
        low = near[i - 1][1] + 1 if i else 0
        high = near[i + 1][0] - 1 if i + 1 < len(cells) else len(columns) - 1
        first, last = _centred(cell, columns, near[i], (low, high), alone=len(cells) < len(columns))
        near[i] = (first, last)
        if row.cells and row.cells[-1][0] + row.cells[-1][1] > first:
            k, span, text = row.cells[-1]
            row.cells[-1] = (k, max(span, last - k + 1), f"{text} {cell.text}")
        else:
            row.cells.append((first, last - first + 1, cell.text))
    row.head = bool(row.cells)
    return row


def _under(cell: Cell, columns: Sequence[Column]) -> tuple[int, int]:
    """The columns that the cell stands over, else the nearest."""
    over = [i for i, column in enumerate(columns) if column.overlap(cell) > 1.0]
    if not over:
        nearest = min(range(len(columns)), key=lambda i: min(abs(columns[i].mid - cell.mid), abs(columns[i].x1 - cell.x1)))
        return nearest, nearest
    return over[0], over[-1]


def _centred(cell: Cell, columns: Sequence[Column], core: tuple[int, int], bounds: tuple[int, int], alone: bool) -> tuple[int, int]:
    """The run of columns around `core`, within `bounds`, whose middle is nearest the cell's; of equals the widest for a spanner."""
    best, score = core, float("inf")
    mid = (cell.x0 + cell.x1) / 2
    for first in range(core[0], bounds[0] - 1, -1):
        for last in range(core[1], bounds[1] + 1):
            off = abs((columns[first].left + columns[last].x1) / 2 - mid)
            if first == last and abs(columns[last].x1 - cell.x1) < off:
                off = abs(columns[last].x1 - cell.x1)  # right-aligned over its numbers
            value = round(off / 8) - (0.1 * (last - first) if alone else -0.1 * (last - first))
            if value < score:
                best, score = (first, last), value
    return best


def _unwrapped(rows: list[Row], sizes: Sequence[float]) -> list[Row]:
    """Labels wrapped over lines, with their numbers on the first or the last of them, and cells wrapped likewise, are one row."""
    out: list[Row] = []
    widest = max((row.x1 for row in rows if row.label), default=0.0)
    for row, size in zip(rows, sizes, strict=True):
        last = out[-1] if out else None
        near = last is not None and row.y - last.y <= 1.8 * size
        if last and _same_line(last, row, size):
            _join(last, row)
        elif last and near and not row.label and row.cells and last.cells and not any(_number(text) for _, _, text in row.cells):
            _join_cells(last, row)
        elif last and near and row.label and _goes_on(last, row, widest, size):
            _join(last, row)
        else:
            out.append(row)
            continue
        last.y, last.span = row.y, (last.span[0], row.span[1])
    return out


def _same_line(last: Row, row: Row, size: float) -> bool:
    """A label and its numbers set a little above or below it."""
    return row.y - last.y < 0.9 * size and ((not row.label and not last.cells) or (not row.cells and not last.label))


def _goes_on(last: Row, row: Row, widest: float, size: float) -> bool:
    """Whether `row`'s label is the rest of `last`'s."""
    if last.cells and row.cells:
        return False
    if not last.label or last.label.endswith(":"):
        return False
    small = row.label[:1].islower() or row.label.startswith(("(", "$", "—", "–"))
    if last.cells:  # numbers stood on the label's first line
        return row.label[:1].islower() and row.x0 >= last.x0 - 1
    open_end = last.label.endswith((",", "-", "—", "–")) or last.label.split()[-1].lower() in OPEN_END
    full = last.x1 >= widest - 4 * size
    return row.label[:1].islower() or open_end or (full and small)


def _number(text: str) -> bool:
    return Cell(text, 0, 0).numeric


def _join(last: Row, row: Row) -> None:
    last.label, last.x0 = f"{last.label} {row.label}".strip(), last.x0 if last.label else row.x0
    last.cells = last.cells or row.cells
    last.x1 = max(last.x1, row.x1)


def _join_cells(last: Row, row: Row) -> None:
    more = {k: text for k, _, text in row.cells}
    last.cells = [(k, span, f"{text} {more.pop(k)}" if k in more else text) for k, span, text in last.cells]
    last.cells = sorted([*last.cells, *((k, 1, text) for k, text in more.items())])


def table_element(rows: Sequence[Row], columns: Sequence[Column]) -> Element:
    """The rows as `<table>`: one `<td>` for the label, indented as printed, and one or more for each column."""
    table = element("table")
    left = min((row.x0 for row in rows if row.label), default=0.0)
    for row in rows:
        tr = element("tr", inside=table)
        style = f"padding-left:{row.x0 - left:.0f}pt" + (";font-weight:bold" if row.bold else "")
        _cell(tr, "td", row.label, style=style if row.label else "")
        at = 0
        for first, span, text in row.cells:
            for _ in range(at, first):
                element("td", inside=tr)
            _cell(tr, "th" if row.head else "td", text, colspan=str(span))
            at = first + span
        for _ in range(at, len(columns)):
            element("td", inside=tr)
    return table


def _cell(tr: Element, tag: str, text: str, **attributes: str) -> None:
    """A filled cell; the space after it keeps words of neighbouring cells apart when all text is read at once."""
    cell = element(tag, attributes, tr)
    cell.text, cell.tail = visible(text), "\n"
