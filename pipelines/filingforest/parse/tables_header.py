"""Splits a table into titles, headers and body, and flattens stacked headers over each column."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from filingforest.parse.tables_cells import Cell, Kind, commonest
from filingforest.parse.tables_columns import Column

_MONTH = r"(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\.?"
DATE_LIKE = re.compile(
    rf"(?:.*\b(?:19|20)\d\d\b|{_MONTH}\s+\d{{1,2}},?|q[1-4]\b.*|\d\d?/\d\d?/\d{{2,4}}"
    r"|(?:fiscal|year|quarter|months?|weeks?|three|six|nine|twelve|as of|at|for the)\b.*)",
    re.IGNORECASE,
)
SCALE = re.compile(
    r"\b(?:in|of)\s+(?:(?:u\.?s\.?\s+)?dollars\s+in\s+)?(?:[a-z.]+\s+){0,3}?(thousand|million|billion)s?\b|\$000s?\b|\(000s?\)|\(000's\)|000s?\s+omitted"
    r"|\b(thousand|million|billion)s\s+of\s+[a-z.\s]{0,20}(?:dollars|euros|yen|pesos|rmb)|\bin\s+(?:u\.?s\.?\s+)?dollars\b",
    re.IGNORECASE,
)
_JOINED = re.compile(r"(?:,|\b(?:and|of|the|to|in|per|for|-))$", re.IGNORECASE)
HAS_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
PERIOD_WORD = re.compile(r"\d|\bend(?:ed|ing)\b|\bas (?:of|at)\b", re.IGNORECASE)
MAX_HEADER = 300
MAX_TITLE = 120


@dataclass(slots=True)
class Split:
    """Row numbers: headers lie in `head`, titles in `titles`, the body begins at `body`."""

    titles: list[int] = field(default_factory=list)
    head: list[int] = field(default_factory=list)
    body: int = 0
    dated: list[int] = field(default_factory=list)  # titles that give the period of the columns below


def split(rows: Sequence[Sequence[Cell]], label_end: int) -> Split:
    """Where the headers end. `label_end` is the last grid column of the labels (-1 where there are none)."""
    first = next((i for i, row in enumerate(rows) if is_data(row, label_end)), len(rows))
    out = Split()
    last_head = -1
    words_only, labelled = first == len(rows), False
    for i in range(first):
        values = [c for c in rows[i] if c.start > label_end]
        if not values:
            continue
        label = rows[i][0].text if rows[i][0].start <= label_end else ""
        named = bool(label) and not is_scale_note(label) and not is_date(label)
        first_named = named and not labelled and not words_only and len(values) > 1 and all(len(c.text) < 60 for c in values)
        if (last_head >= 0 or words_only) and not first_named and not _header_like(rows[i], values, label_end, words_only):
            break
        if labelled and named and not all(c.head or c.year_like for c in values):
            break  # a second row with a label of its own is a row of words
        labelled = labelled or named
        last_head = i
    for i in range(last_head + 1):
        has_values = any(c.start > label_end for c in rows[i])
        (out.head if has_values else out.titles).append(i)
    out.body = last_head + 1
    out.dated = [i for i in out.titles if any(len(c.text) <= MAX_TITLE and HAS_YEAR.search(c.text) for c in rows[i])]
    _leading_titles(rows, out, label_end)
    return out


def _leading_titles(rows: Sequence[Sequence[Cell]], out: Split, label_end: int) -> None:
    """Wide single cells above the body, where no header stands: a title or a scale note."""
    right = max((c.end for row in rows for c in row), default=0)
    while not out.head and out.body < len(rows):
        row = rows[out.body]
        if len(row) != 1 or row[0].kind is not Kind.TEXT or not (row[0].end >= right > label_end or is_scale_note(row[0].text)):
            return
        if out.body + 1 >= len(rows):
            return
        out.titles.append(out.body)
        out.body += 1


def is_data(row: Sequence[Cell], label_end: int) -> bool:
    """A row with an amount: a tagged number, or a number or dash that is no year, outside the label."""
    for cell in row:
        if cell.kind is Kind.NUMBER and (cell.fact is not None or ((cell.start > label_end or len(row) == 1) and not cell.year_like)):
            return not (cell.footnote_like and not cell.tagged and all(c.kind is not Kind.NUMBER or c.footnote_like for c in row))
        if cell.kind is Kind.DASH and cell.start > label_end and (cell.tagged or row[0].start <= label_end):
            return True
    return False


def is_date(text: str) -> bool:
    """A date, a year or a period, as headers give them."""
    return len(text) < 60 and bool(DATE_LIKE.match(text))


def _header_like(row: Sequence[Cell], values: Sequence[Cell], label_end: int, strict: bool) -> bool:
    label = [c for c in row if c.start <= label_end]
    if all(c.head for c in values):
        return True
    if not strict and (not label or is_scale_note(label[0].text) or is_date(label[0].text)):
        return True
    if all(c.year_like or is_date(c.text) for c in values):
        return True
    return all(c.bold or c.head for c in values) and all(len(c.text) < 120 for c in values)


def is_mid_header(row: Sequence[Cell], label_end: int) -> bool:
    """A row within the body that names the columns again: years or dates over the values, and no amounts."""
    values = [c for c in row if c.start > label_end]
    if not values or any(c.tagged for c in row):
        return False
    label = [c for c in row if c.start <= label_end]
    if label and not (is_scale_note(label[0].text) or is_date(label[0].text)):
        return False
    if not all(c.year_like or c.kind is Kind.TEXT for c in values):
        return False
    if all(c.year_like or is_date(c.text) for c in values):
        return not label or len(values) > 1
    return not label and all(c.bold or c.head for c in values) and len(values) > 1


def is_scale_note(text: str) -> bool:
    """ "(In millions, except per share amounts)": says the scale, and nothing much else."""
    return len(text) < 250 and (text[0] == "(" or len(text) < 120) and has_scale(text)


def has_scale(text: str) -> bool:
    """Whether a scale is named; the words that none can be without are looked for first, which is cheaper than the pattern."""
    low = text.lower()
    return ("illion" in low or "thousand" in low or "000" in low or "dollar" in low) and SCALE.search(text) is not None


def flatten(head: Sequence[Sequence[Cell]], columns: Sequence[Column], label_end: int) -> list[str]:
    """One header a column: the header cells over its right edge, from top to bottom, joined with " / "."""
    stacks: list[list[Cell]] = [[] for _ in columns]
    placed_rows = [_over([c for c in row if c.end > label_end], columns) for row in head]
    for r, placed in enumerate(placed_rows):
        _extend_groups(placed, placed_rows[r + 1 :])
        for i, cell in enumerate(placed):
            if cell is not None and (not stacks[i] or stacks[i][-1].text != cell.text):
                stacks[i].append(cell)
    return [join_stack(s) for s in stacks]


def _extend_groups(placed: list[Cell | None], below: Sequence[Sequence[Cell | None]]) -> None:
    """A group's header drawn too narrow also takes the next column: a new year beside its years, or a name that other groups have too."""
    names = [tuple(cell.text for row in below if (cell := row[i]) is not None) for i in range(len(placed))]
    alone = len({id(c) for c in placed if c is not None}) == 1
    for i in range(1, len(placed)):
        group = placed[i - 1]
        if placed[i] is not None or group is None or not names[i]:
            continue
        inside = [names[k] for k in range(i) if placed[k] is group]
        years = alone and all(n and HAS_YEAR.fullmatch(n[-1]) for n in (*inside, names[i]))
        if names[i] not in inside and (years or (names.count(names[i]) > 1 and inside[0] in names[i:])):
            placed[i] = group


def _over(values: Sequence[Cell], columns: Sequence[Column]) -> list[Cell | None]:
    """For each column the header cell over it: over its right edge, else overlapping; in order where nothing overlaps at all."""
    placed: list[Cell | None] = []
    for column in columns:
        found = next((c for c in values if c.start <= column.edge <= c.end), None)
        placed.append(found or next((c for c in values if c.start <= column.edge and column.start <= c.end), None))
    missed = [c for c in values if not any(p is c for p in placed)]
    if missed:
        empty = [i for i, p in enumerate(placed) if p is None]
        if len(values) == len(columns) and len(empty) == len(missed):
            return list(values)
        for cell in missed:
            near = [
                i for i in empty if placed[i] is None and (abs(columns[i].start - cell.end) <= 2 or abs(cell.start - columns[i].edge) <= 2)
            ]
            if near:
                placed[min(near, key=lambda i: abs(columns[i].edge - cell.edge))] = cell
    return placed


def join_stack(cells: Sequence[Cell]) -> str:
    """Stacked header cells as one text: " / " between them, a space where one header was only broken over rows."""
    out = ""
    for i, cell in enumerate(cells):
        broken = i > 0 and (_JOINED.search(out) or _same_header(cells[i - 1], cell))
        out += cell.text if not out else (" " if broken else " / ") + cell.text
    return out[:MAX_HEADER]


def _same_header(above: Cell, below: Cell) -> bool:
    """ "Retained" over "earnings": words over the same columns, and no period or number of its own in either."""
    if (above.start, above.end) != (below.start, below.end):
        return below.text[0].islower() and below.end - below.start == above.end - above.start
    return not any(c.isdigit() for c in above.text + below.text)


def label_span(rows: Sequence[Sequence[Cell]]) -> int:
    """The last grid column of the label column; -1 where the leftmost column holds amounts or there is only one column."""
    firsts = [row[0] for row in rows if any(c.kind is Kind.NUMBER and not c.year_like for c in row[1:])]
    firsts = firsts or [row[0] for row in rows if len(row) > 1 and not all(c.year_like or c.head or is_date(c.text) for c in row)]
    if not firsts:
        return max((row[0].end for row in rows), default=-1) if all(len(r) == 1 and r[0].kind is Kind.TEXT for r in rows) else -1
    values = min((c.start for row in rows for c in row[1:] if c.kind is Kind.NUMBER and not c.year_like), default=None)
    left = min(c.start for c in firsts)
    words = [c for c in firsts if c.kind is Kind.TEXT or c.year_like]
    if words and (values is None or any(c.start < values for c in words)):
        end = commonest([c.end for c in words if values is None or c.end < values or c.start < values])
        return end if values is None else max(left, min(end, values - 1))
    if values is not None and any(
        c.tagged or "." in c.text or "," in c.text or c.mark for c in firsts if c.kind is Kind.NUMBER and c.start == left
    ):
        return -1
    return commonest([c.end for c in firsts if c.start == left])
