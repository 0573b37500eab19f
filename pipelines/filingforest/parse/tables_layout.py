"""Tells tables that only lay out text (bullets, signatures, whole pages) from tables of data."""

from __future__ import annotations

import re

from filingforest.parse.tables_cells import Cell, Kind
from filingforest.parse.tables_grid import Grid

_LIST_MARK = re.compile(r"(?:[•●▪◦·■□○➢*–—-]|\(?[a-z0-9]{1,4}[.)]|\(?[ivxl]{1,5}\)?|item\s+\d+[a-c]?\.?)\Z", re.IGNORECASE)
_BOXES = frozenset("☐☒☑□■þ¨")
PROSE = 250  # characters: a cell of that length is a paragraph


def is_layout(grid: Grid) -> bool:
    """True where a walk over the cells as blocks tells more than rows and columns would."""
    rows = grid.rows
    if not rows or grid.nested:
        return True
    amounts = sum(_amounts(row) for row in rows)
    if amounts * 8 >= len(rows) or any(c.tagged for row in rows for c in row if c.kind is Kind.NUMBER):
        return False
    if all(len(row) == 1 for row in rows) or len(rows) == 1:
        return True
    cells = [c for row in rows for c in row]
    captions = sum(len(c.text) > 8 and c.text[0] == "(" and c.text[-1] == ")" for c in cells)
    if captions * 3 >= len(cells):
        return True  # a form's cover page: answers over "(State of incorporation)"
    if sum(_is_list(row) for row in rows) * 2 > len(rows):
        return True
    if any(c.text[0] in _BOXES for c in cells) or any(c.text.startswith("/s/") for c in cells):
        return True
    columns = {c.start for row in rows if len(row) > 1 for c in row}
    prose = sum(len(c.text) > PROSE for c in cells)
    return prose * 3 > len(rows) or (len(columns) < 3 and len(rows) < 3)


def _amounts(row: list[Cell]) -> bool:
    """A row with a number beside other cells that is no footnote, post code or telephone number."""
    return any(
        c.kind is Kind.NUMBER and (c.tagged or (i > 0 and not c.footnote_like and not (c.text.isdecimal() and len(c.text) > 4)))
        for i, c in enumerate(row)
    )


def _is_list(row: list[Cell]) -> bool:
    return len(row) <= 2 and bool(_LIST_MARK.match(row[0].text)) and all(c.kind is not Kind.NUMBER for c in row[1:])
