"""From lines to blocks, for formats that know only where letters stand: paragraphs rejoined, headings set apart, tables handed on."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from filingforest.parse.blocks import Block, Style
from filingforest.parse.layout import is_index_table
from filingforest.parse.page_grid import Row, rows_of, table_element
from filingforest.parse.page_lines import PERIOD, Line, Word
from filingforest.parse.page_regions import Region, find_regions
from filingforest.parse.tables import read_table
from filingforest.text import normalise

BULLET = re.compile(r"^(?:[•●○◦▪▫■□◾⚫‣⁃∙·➢➤✓✔]|[–—*-](?=\s))")
ENUMERATED = re.compile(r"^(?:\((?:[a-z]{1,2}|[ivx]{1,5}|\d{1,2})\)|\d{1,2}[.)]|[a-z][.)])(?=\s)", re.IGNORECASE)
CJK = "\u2e80"  # from here on, scripts without spaces between words
WIDE = 1.6  # of the type size: a gap that no justified line has
LOOSE = 1.28  # of the usual distance between lines: more is a new paragraph
BEFORE = 4  # blocks above a table that may name it


@dataclass(slots=True)
class Measure:
    """What is usual in the document: distance of lines as a multiple of the type size, and its words (for hyphens at line ends)."""

    pitch: float = 1.2
    words: frozenset[str] = frozenset()

    @classmethod
    def of(cls, pages: Sequence[Sequence[Line]]) -> Measure:
        steps: Counter[float] = Counter()
        words: set[str] = set()
        for lines in pages:
            for above, line in pairwise(lines):
                if 0.9 * line.size < line.y - above.y < 2.5 * line.size and abs(line.size - above.size) < 0.5 and line.x1 - line.x0 > 200:
                    steps[round((line.y - above.y) / line.size, 1)] += 1
            words.update(word.text.lower().strip(".,;:()") for line in lines for word in line.words)
        enough = 0.25 * max(steps.values(), default=0)  # short paragraphs make the gap between them the commonest distance
        return cls(min((step for step, count in steps.items() if count >= enough), default=1.2), frozenset(words))


@dataclass(slots=True)
class Flow:
    """Blocks of one document, page after page. `number` counts layout tables."""

    measure: Measure
    blocks: list[Block] = field(default_factory=list)
    number: int = 0

    def add_page(self, lines: Sequence[Line]) -> None:
        """The blocks of one page (or of one column of it)."""
        at, regions = 0, find_regions(lines)
        margins = _margins([line for i, line in enumerate(lines) if not any(r.start <= i < r.end for r in regions)] or lines)
        for region in regions:
            self._text(lines[at : region.start], margins)
            self._table(lines, region)
            at = region.end
        self._text(lines[at:], margins)

    def _table(self, lines: Sequence[Line], region: Region) -> None:
        rows = rows_of(lines, region)
        element = table_element(rows, region.columns)
        before = [
            block.text for block in self.blocks[-BEFORE:] if block.kind != "table" and not block.edge and not PERIOD.match(block.text)
        ]
        result = None if is_index_table(element) else read_table(element, None, before)
        if result is None:
            self._rows(rows, lines[region.start])
            return
        span = _span(lines[region.start].start, lines[region.end - 1].end)
        plain = "\n".join(normalise(line.text) for line in lines[region.start : region.end])
        self.blocks.append(Block(result.text, lines[region.start].page, "table", table=result, plain=plain, span=span))

    def _rows(self, rows: Sequence[Row], first: Line) -> None:
        """A table that only lays out text: one block a row, its cells remembered."""
        self.number += 1
        for row in rows:
            cells = tuple(normalise(text) for text in (row.label, *(text for _, _, text in row.cells)) if text.strip())
            if cells:
                style = Style(bold=float(row.bold), size=first.size)
                text, span = " ".join(cells), _span(*row.span)
                self.blocks.append(Block(text, page=first.page, style=style, cells=cells, row_of=self.number, span=span))

    def _text(self, lines: Sequence[Line], margins: tuple[float, float]) -> None:
        left, right = margins
        for paragraph in _paragraphs(lines, left, right, self.measure):
            block = self._block(paragraph, left, right)
            if block.text:
                self.blocks.append(block)

    def _block(self, lines: Sequence[Line], left: float, right: float) -> Block:
        first = lines[0]
        text = normalise(_joined(lines, self.measure))
        words = [word for line in lines for word in line.words]
        listed = BULLET.match(text) is not None
        block = Block(text, page=first.page, kind="list" if listed else "text", style=_style(lines, words, left, right), edge=first.edge)
        block.span = _span(first.start, lines[-1].end)
        if len(lines) == 1 and _laid_out(first):
            block.cells = tuple(normalise(cell.text) for cell in first.cells)
            self.number += 1
            block.row_of = self.number
        return block


def _span(start: int, end: int) -> tuple[int, int] | None:
    return (start, end) if start >= 0 else None


def _margins(lines: Sequence[Line]) -> tuple[float, float]:
    """Left and right margin of a page's lines; stray lines beyond the right one do not count, nor do short ones."""
    left = min((line.x0 for line in lines), default=0.0)
    rights = sorted(line.x1 for line in lines if line.x1 - line.x0 > 200)
    return left, rights[-1 - len(rights) // 12] if len(rights) > 4 else max((line.x1 for line in lines), default=0.0)


def _paragraphs(lines: Sequence[Line], left: float, right: float, measure: Measure) -> Iterator[list[Line]]:
    group: list[Line] = []
    for line in lines:
        if group and (_titles(group[-1], line, left, right) or not _follows(group, line, right, measure)):
            yield group
            group = []
        group.append(line)
    if group:
        yield group


def _titles(last: Line, line: Line, left: float, right: float) -> bool:
    """Two centred lines, the upper one not full: a title and what stands under it."""
    return all(_centred(x, left, right) for x in (last, line)) and last.x1 - last.x0 < 0.75 * (right - left)


def _centred(line: Line, left: float, right: float) -> bool:
    before, after = line.x0 - left, right - line.x1
    return before > 2 * line.size and abs(before - after) < max(4.0, 0.1 * (before + after))


def _follows(group: Sequence[Line], line: Line, right: float, measure: Measure) -> bool:
    """Whether `line` goes on with the paragraph: close below, of the same looks, and the line above was full."""
    last, size = group[-1], max(line.size, group[-1].size)
    step = line.y - last.y
    if line.page != last.page or line.edge != last.edge or step > LOOSE * measure.pitch * size or step < 0:
        return False
    if abs(line.size - last.size) > 0.09 * size or _laid_out(line) or _laid_out(last):
        return False
    if (BULLET.match(line.text) or ENUMERATED.match(line.text)) and not last.text.endswith((",", "-")):
        return False
    if max(last.bold, line.bold) > 0.95 and min(last.bold, line.bold) < 0.05:
        return False
    first_word = line.words[0].x1 - line.words[0].x0
    if last.x1 + first_word + 0.3 * size < right - 0.5 * size:  # the word would have found room: the line was ended on purpose
        return line.text[:1].islower() and last.text[-1:] not in ".:;" and last.x1 > 0.6 * right
    if len(group) == 1:
        return True
    body = group[-1].x0
    if line.x0 > body + 0.8 * size and abs(group[-1].x0 - group[-2].x0) < size:
        return line.text[:1].islower()  # a first line's indent
    return not (line.x0 < body - 0.8 * size and len(group) > 2)


def _laid_out(line: Line) -> bool:
    """Cells side by side that are no bullet or number before its text."""
    if len(line.cells) < 2 or (len(line.cells) == 2 and len(line.cells[0].text) <= 5 and not line.cells[0].text[:1].isalpha()):
        return False
    gaps = [right.x0 - left.x1 for left, right in pairwise(line.cells)]
    return max(gaps) > WIDE * line.size


def _joined(lines: Sequence[Line], measure: Measure) -> str:
    """The lines as one text; a hyphen at a line's end stays where the word is known with it, and goes where it is known without."""
    out = ""
    for line in lines:
        text = line.text
        if not out:
            out = text
        elif out.endswith("-") and len(out) > 1 and out[-2].isalpha() and text[:1].islower():
            head, tail = out.rsplit(None, 1)[-1][:-1].lower(), text.split(None, 1)[0].lower().strip(".,;:()")
            known = head.lstrip('(“"') + tail in measure.words and f"{head}-{tail}" not in measure.words
            out = (out[:-1] if known else out) + text
        elif (out.endswith(("—", "/")) and not out.endswith((" —", " /"))) or (out[-1] >= CJK and text[0] >= CJK):
            out += text
        else:
            out += " " + text
    return out


def _style(lines: Sequence[Line], words: Sequence[Word], left: float, right: float) -> Style:
    letters = sum(len(word.text) for word in words) or 1
    lead = 0
    for word in words:
        if not (word.bold or word.italic):
            break
        lead += len(word.text) + 1
    first = lines[0]
    centred = all(_centred(line, left, right) for line in lines)
    return Style(
        bold=sum(len(word.text) for word in words if word.bold) / letters,
        italic=sum(len(word.text) for word in words if word.italic) / letters,
        size=round(first.size * 2) / 2,
        align="center" if centred else "",
        indent=0.0 if centred else round(min(line.x0 for line in lines) - left),
        lead=max(0, lead - 1),
    )
