"""Reading order of pages set in two columns: the left one down to its end, then the right one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from filingforest.parse.page_lines import Line, cells_of

FEWEST = 8  # lines with prose on both sides of the gutter that make a page two-columned
STEP = 6.0  # points within which gutters count as one


def reading_order(lines: Sequence[Line]) -> list[list[Line]]:
    """The page as one run of lines, or as runs to be read one after the other where prose stands in two columns."""
    gutter = _gutter(lines)
    if gutter is None:
        return [list(lines)]
    out: list[list[Line]] = [[]]
    left: list[Line] = []
    right: list[Line] = []
    for line in lines:
        sides = _sides(line, gutter)
        if sides is None:
            out += [left, right, [line]]
            left, right = [], []
        else:
            left += sides[0]
            right += sides[1]
    return [run for run in _whole([*out, left, right]) if run]


def _whole(runs: Sequence[list[Line]]) -> Iterator[list[Line]]:
    """Lines over the whole width that follow each other are one run."""
    wide: list[Line] = []
    for run in runs:
        if len(run) == 1:
            wide += run
        elif run:
            yield wide
            wide = []
            yield run
    yield wide


def _gutter(lines: Sequence[Line]) -> float | None:
    """The middle of the gap that many lines share, with words and no figures on either side of it."""
    seen: Counter[int] = Counter()
    for line in lines:
        for x in _gaps(line):
            seen[round(x / STEP)] += 1
    if not seen:
        return None
    best = max(seen, key=lambda k: (seen[k - 1] + seen[k] + seen[k + 1], -k))
    count = seen[best - 1] + seen[best] + seen[best + 1]
    return best * STEP if count >= FEWEST and count >= 0.35 * len(lines) else None


def _gaps(line: Line) -> list[float]:
    cells = line.cells
    if len(cells) != 2 or any(len(cell.text.split()) < 4 or sum(c.isdigit() for c in cell.text) > 0.2 * len(cell.text) for cell in cells):
        return []
    return [cells[1].x0]


def _sides(line: Line, gutter: float) -> tuple[list[Line], list[Line]] | None:
    """The line's two halves; None where its words run over the gutter (which ends where the right column starts)."""
    left = [word for word in line.words if word.x1 < gutter - 2]
    right = [word for word in line.words if word.x0 >= gutter - STEP]
    if len(left) + len(right) < len(line.words) or (left and right and right[0].x0 - left[-1].x1 < 0.7 * line.size):
        return None
    halves = [
        [Line(words, line.y, line.size, line.page, edge=line.edge, cells=cells_of(words))] if words else [] for words in (left, right)
    ]
    return halves[0], halves[1]
