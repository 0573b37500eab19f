"""Plain text: filings of the 1990s, contracts, laws. Laid out on a grid of characters and then read like a printed page.

The text of the document is the file's own, so that every place in it is a place in the file.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import pairwise

from filingforest.parse.blocks import Block
from filingforest.parse.build import build_document
from filingforest.parse.model import DocumentHint, Parsed
from filingforest.parse.page_flow import Flow, Measure
from filingforest.parse.page_lines import CLOSING, CURRENCY, LEADER, NUMBER, Cell, Line, Word, joined_cells
from filingforest.text import visible

WIDTH, SIZE, STEP = 6.0, 10.0, 12.0  # points of a character, its type size, and from line to line
LINE = re.compile(r"[^\n\r\f\v\x85\u2028\u2029]*")
PAGE_MARK = re.compile(r"\f|^[ \t]*<PAGE>[ \t]*(?:\d{1,4}[ \t]*$)?", re.IGNORECASE | re.MULTILINE)
TABLE_MARK = re.compile(r"</?TABLE>", re.IGNORECASE)
MARKS = re.compile(r"</?(?:PAGE|TABLE|CAPTION|S|C|FN|F\d+|TEXT|B|I|U|CENTER|R|A HREF=[^>]{0,200})>|</A>", re.IGNORECASE)
RULE = re.compile(r"[\s\-=_*~.·|+]{3,}")
TABLE_GAP = 30 * STEP  # no paragraph and no table goes over the start or end of a marked table
MAX_COLUMNS = 400  # characters of a line that are laid out; what is beyond is one word


def parse_plain(text: str, hint: DocumentHint, explain: bool = False, items_only: bool = False) -> Parsed:
    """A decoded text file, parsed; its text stays as it is."""
    return build_document(read_plain(text), hint, source=text, explain=explain, items_only=items_only)


def read_plain(text: str) -> list[Block]:
    """The blocks of a text; pages, where form feeds or <PAGE> marks make any, count from 0."""
    pages = [list(_lines(text, start, end, page)) for page, (start, end) in enumerate(_pages(text))]
    if len(pages) == 1:
        for line in pages[0]:
            line.page = None
    flow = Flow(Measure.of(pages))
    for lines in pages:
        flow.add_page(lines)
    return flow.blocks


def _pages(text: str) -> list[tuple[int, int]]:
    """Places of the pages; a mark before the first words starts no page of its own."""
    marks = [(m.start(), m.end()) for m in PAGE_MARK.finditer(text)]
    starts, ends = [0], []
    for start, end in marks:
        if text[starts[-1] : start].strip() or len(starts) > 1:
            ends.append(start)
            starts.append(end)
        else:
            starts[-1] = end
    return list(zip(starts, [*ends, len(text)], strict=True))


def _lines(text: str, start: int, end: int, page: int) -> Iterator[Line]:
    y, at = 0.0, start
    while at < end:
        found = LINE.match(text, at, end)
        stop = found.end() if found else at
        y += STEP
        raw = text[at:stop]
        if "<" in raw:
            y += TABLE_GAP * len(TABLE_MARK.findall(raw))
            raw = MARKS.sub(lambda m: " " * len(m[0]), raw)
        words = _words(raw, y)
        if words and not RULE.fullmatch(raw):
            first, last = len(raw) - len(raw.lstrip()), len(raw.rstrip())
            yield Line(words, y, SIZE, page, at + first, at + last, cells=_cells(words))
        at = stop + (2 if text[stop : stop + 2] == "\r\n" else 1)


def _words(raw: str, y: float) -> list[Word]:
    """The words of a line on the grid: tabs go to the next eighth column, characters of East Asian scripts take two."""
    row = raw.expandtabs(8) if "\t" in raw else raw
    out: list[Word] = []
    shift, counted = 0, 0
    for match in re.finditer(r"\S+", row):
        wide = 0
        if not row.isascii():
            shift += sum(unicodedata.east_asian_width(c) in "WF" for c in row[counted : match.start()])
            wide, counted = sum(unicodedata.east_asian_width(c) in "WF" for c in match[0]), match.end()
        word = visible(html.unescape(match[0]))
        if word:
            x0 = min(match.start() + shift, MAX_COLUMNS) * WIDTH
            out.append(Word(word, x0, x0 + (len(match[0]) + wide) * WIDTH, y, SIZE))
        shift += wide
    return out


def _cells(words: Sequence[Word]) -> list[Cell]:
    """Cells stand three spaces apart, two where only numbers follow: two spaces also end a sentence. Justified prose has no cells."""
    groups: list[list[Word]] = []
    figures = _figures_from(words)
    if figures == len(words) > 6 and _justified(words):
        return joined_cells([words])
    for i, word in enumerate(words):
        if LEADER.fullmatch(word.text):
            continue
        gap = round((word.x0 - words[i - 1].x1) / WIDTH) if i else 9
        led = i > 0 and LEADER.search(words[i - 1].text) is not None
        if groups and gap < (2 if i >= figures else 3) and not (led and i >= figures):
            groups[-1].append(word)
        else:
            groups.append([word])
    return joined_cells(groups)


def _justified(words: Sequence[Word]) -> bool:
    """Spaces were spread over the whole line, and no more of them than that takes."""
    gaps = [round((b.x0 - a.x1) / WIDTH) for a, b in pairwise(words)]
    return max(gaps) <= 4 and sum(gap > 1 for gap in gaps) > 0.5 * len(gaps)


def _figures_from(words: Sequence[Word]) -> int:
    """Where the line's closing run of numbers and their signs begins."""
    at = len(words)
    while at > 0 and _figure(words[at - 1].text):
        at -= 1
    return at


def _figure(text: str) -> bool:
    return any(pattern.fullmatch(text) for pattern in (NUMBER, CURRENCY, CLOSING, LEADER))
