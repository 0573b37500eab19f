"""Lines and cells out of placed words: the one view of a page that tables, paragraphs and columns are read from, for PDF and plain text.

All lengths are points; plain text is laid out as if printed in 10-point type, 6 points a character.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

GAP = 0.75  # of the type size: a wider gap inside a line separates cells
NUMBER = re.compile(
    r"[($€£¥+\-–—\s]*(?:(?:US|C|A)?[$€£¥]\s*)?[(\-–—]?\s*(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?\s*(?:[)%xX]|bps?|pts?)*(?:\s*\(\w{1,2}\))?(?:\*+)?"
    r"|[($\s]*\.\d+[)%\s]*|[$\s]*[—–-]{1,3}\s*[%)]*|N/?[AM]|n/?[am]|n\.m\.|\*+|NM"
)
PERIOD = re.compile(
    r"(?:(?:for the )?(?:fiscal |calendar )?(?:years?|quarters?|(?:\w+ )?(?:months|weeks)) end|as (?:of|at) |at \w+ \d)", re.IGNORECASE
)
SIGNS = frozenset({"$", "€", "£", "¥", "$(", "US$", "C$", "R$"})
NUMBER_END = re.compile(r"[\d%)—–]$")
CURRENCY = re.compile(r"[($€£¥\s]*[$€£¥][(\s]*|\(|(?:US|C|A)\$|Rs\.?|RMB")
CLOSING = re.compile(r"[)%\s]+|\)%|%\)|pts?\.?|bps")
LEADER = re.compile(r"[._·…‧]{3,}|[_=]{2,}|-{3,}")
TRAIL = re.compile(r"(?<=[^._·…])\s?[._·…‧]{3,}$")
YEAR = re.compile(r"(?:fiscal |FY ?|CY ?)?(?:19|20)\d\d(?: ?\(\w\)|[*†])*", re.IGNORECASE)
DATE = re.compile(
    r"(?:as (?:of|at) |at )?(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\.? \d{1,2},?(?: (?:19|20)\d\d)?"
    r"|\d{1,2}/\d{1,2}/\d{2,4}",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Word:
    """A run of letters without a space. x from the left, y (its baseline) from the top; the page as it is read."""

    text: str
    x0: float
    x1: float
    y: float
    size: float
    bold: bool = False
    italic: bool = False
    glued: bool = False  # the gap before it is no space: a letter that stands off from its word


@dataclass(slots=True)
class Cell:
    """Neighbouring words of a line without a wide gap. `core0` is where its number starts, after a currency sign far to its left."""

    text: str
    x0: float
    x1: float
    bold: bool = False
    core0: float = 0.0

    @property
    def numeric(self) -> bool:
        return NUMBER.fullmatch(self.text) is not None

    @property
    def mid(self) -> float:
        return (self.core0 + self.x1) / 2


@dataclass(slots=True)
class Line:
    """Words on one baseline, from left to right. `start` and `end` are places in the source, where it is text."""

    words: list[Word]
    y: float
    size: float
    page: int | None = None
    start: int = -1
    end: int = -1
    edge: str = ""
    cells: list[Cell] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.cells = self.cells or cells_of(self.words) or [Cell(self.text, self.words[0].x0, self.words[-1].x1)]

    @property
    def x0(self) -> float:
        return self.words[0].x0

    @property
    def x1(self) -> float:
        return max(word.x1 for word in self.words)

    @property
    def text(self) -> str:
        return join_words(self.words)

    @property
    def bold(self) -> float:
        """Share of the letters that are bold."""
        letters = sum(len(word.text) for word in self.words)
        return sum(len(word.text) for word in self.words if word.bold) / max(1, letters)


def join_words(words: Sequence[Word]) -> str:
    """The words with a space between them where one stands."""
    return "".join(("" if word.glued or i == 0 or word.text in ".," else " ") + word.text for i, word in enumerate(words))


def lines_of(words: Sequence[Word], page: int | None = None) -> list[Line]:
    """Words gathered on baselines, from top to bottom; a raised footnote mark stays with the line that it overlaps."""
    rows: list[list[Word]] = []
    main: Word | None = None  # the largest word of the last row: it has the baseline
    for word in sorted(words, key=lambda w: (w.y, w.x0)):
        if main is not None and word.y - main.y <= 0.4 * max(word.size, main.size):
            rows[-1].append(word)
            main = word if word.size > main.size else main
        else:
            rows.append([word])
            main = word
    return [_line(row, page) for row in rows]


def _line(row: list[Word], page: int | None) -> Line:
    words = sorted(row, key=lambda w: w.x0)
    main = max(words, key=lambda w: (len(w.text), w.size))
    return Line(words, main.y, main.size, page)


def cells_of(words: Sequence[Word]) -> list[Cell]:
    """A line's cells: words with narrow gaps between them; a sign of the next column's currency never belongs to this one's number."""
    groups: list[list[Word]] = []
    for word in words:
        if LEADER.fullmatch(word.text):
            continue
        before = groups[-1][-1] if groups else None
        next_column = before is not None and word.text in SIGNS and NUMBER_END.search(before.text) is not None
        if before and not next_column and word.x0 - before.x1 <= GAP * min(word.size, before.size):
            groups[-1].append(word)
        else:
            groups.append([word])
    return joined_cells(groups)


def joined_cells(groups: Sequence[Sequence[Word]]) -> list[Cell]:
    """Cells of word groups; currency signs join the number on their right, closing signs the one on their left."""
    cells: list[Cell] = []
    for group in groups:
        cell = Cell(TRAIL.sub("", join_words(group)), group[0].x0, group[-1].x1, sum(w.bold for w in group) * 2 > len(group), group[0].x0)
        last = cells[-1] if cells else None
        if last and CURRENCY.fullmatch(last.text) and (cell.numeric or CLOSING.fullmatch(cell.text)):
            cells[-1] = Cell(last.text + cell.text, last.x0, cell.x1, cell.bold, cell.core0)
        elif last and last.numeric and CLOSING.fullmatch(cell.text) and cell.x0 - last.x1 < 4 * group[0].size:
            cells[-1] = Cell(last.text + cell.text, last.x0, cell.x1, last.bold, last.core0)
        else:
            cells.append(cell)
    return cells


def year_row(line: Line) -> bool:
    """A header of years or dates: every number in it is one, with words such as "Change" between at most."""
    years = [i for i, cell in enumerate(line.cells) if dated(cell)]
    return bool(years) and all(dated(cell) or not cell.numeric for cell in line.cells) and (years != [0] or len(line.cells) == 1)


def dated(cell: Cell) -> bool:
    """A year or a date and nothing else."""
    return YEAR.fullmatch(cell.text) is not None or DATE.fullmatch(cell.text) is not None


def data_row(line: Line) -> bool:
    """A row of a table: a number that stands apart from what is left of it (or two numbers), and not a header of years."""
    numbers = [i for i, cell in enumerate(line.cells) if cell.numeric]
    return bool(numbers) and (numbers[-1] > 0) and not year_row(line)


def period_row(line: Line) -> bool:
    """A header such as "Year ended December 31, 2021" that stands by itself."""
    return len(line.cells) == 1 and len(line.text) < 60 and PERIOD.match(line.text) is not None
