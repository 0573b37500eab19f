"""Reads the rows of a cross-reference index: for each item its pages ("36, (a)", "4-8, 10-20"), footnotes, or "Not applicable"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from filingforest.parse.blocks import Block
from filingforest.parse.candidates import Candidate
from filingforest.parse.contents import Listing
from filingforest.parse.labels import read_part

PAGES = re.compile(
    r"(?<![\w.-])(?P<from>(?:F|A|S)-\d{1,3}|\d{1,3})(?:\s*(?:[-–—]|to|through)\s*(?P<to>(?:(?:F|A|S)-)?\d{1,3}))?(?![\w%.]|-\w)",
    re.IGNORECASE,
)
TAIL = re.compile(
    r"(?:(?:pages?|pp?\.)\s*)?(?:(?:(?:F|A|S)-)?\d{1,3}(?:\s*(?:[-–—]|to|through)\s*(?:(?:F|A|S)-)?\d{1,3})?|\(\w{1,2}\)|[,;&\s]|and\b)+$",
    re.IGNORECASE,
)
NOTHING = re.compile(r"\b(?:not applicable|n/?a|none|omitted|not required)\W*$", re.IGNORECASE)
FOOTNOTE = re.compile(r"\((\w{1,2})\)|(\*+|†+)")
BY_REFERENCE = re.compile(r"\b(?:proxy statement|incorporated|annual report to)\b", re.IGNORECASE)


@dataclass(slots=True)
class Entry:
    """What the index says of one item: printed page ranges (the end None where only a start is given), and words."""

    row: Candidate
    heading: str
    ranges: list[tuple[str, str | None]] = field(default_factory=list)
    words: str = ""  # "Not applicable", a footnote's text
    by_reference: bool = False

    @property
    def code(self) -> str:
        return self.row.code

    @property
    def key(self) -> tuple[str | None, str]:
        """Part and code: numbers start again in each part of a 10-Q."""
        return self.row.part, self.row.code


def entries(blocks: Sequence[Block], listing: Listing) -> list[Entry]:
    """The index's items in order; rows without a label add their pages to the item above."""
    rows = {row.index: row for row in listing.rows}
    notes = footnotes(blocks, listing.end)
    out: list[Entry] = []
    for i in range(listing.start, min(listing.end + 30, len(blocks))):
        row = rows.get(i)
        if row is not None:
            out.append(_entry(blocks[i], row, notes))
        elif i >= listing.end and (blocks[i].row_of is None or blocks[i].row_of != blocks[listing.end - 1].row_of):
            break
        elif out and not out[-1].words and not read_part(blocks[i].text) and blocks[i].row_of is not None:
            pages = _pages(_tail(blocks[i], blocks[i].text))
            own = out[-1].row.index == i - 1 or out[-1].ranges or not out[-1].words
            if own and (not out[-1].ranges or out[-1].row.entry == ""):
                out[-1].ranges += [p for p in pages if p not in out[-1].ranges]
    return out


def footnotes(blocks: Sequence[Block], at: int) -> dict[str, str]:
    """Marker -> text of the footnotes below an index."""
    out: dict[str, str] = {}
    for block in blocks[at : at + 12]:
        m = re.match(r"^(?:\((\w{1,2})\)|(\*+|†+))\W*(?=\w)", block.text)
        if m:
            out[m[1] or m[2]] = block.text[m.end() :]
    return out


def _entry(block: Block, row: Candidate, notes: dict[str, str]) -> Entry:
    words = _tail(block, row.title or row.heading) if not row.entry else row.entry
    if len(block.cells) > 2:
        words = block.cells[-1]
    entry = Entry(row, _heading(block, row, words), _pages(words))
    marks = [m[1] or m[2] for m in FOOTNOTE.finditer(words)]
    said = [notes[m] for m in marks if m in notes]
    whole = block.text
    if said:
        entry.words, entry.by_reference = " ".join(said), any(BY_REFERENCE.search(s) for s in said)
    elif NOTHING.search(whole):
        found = NOTHING.search(whole)
        entry.words = found[0].strip() if found else ""
    elif not entry.ranges and BY_REFERENCE.search(whole):
        entry.words, entry.by_reference = words, True
    return entry


def _heading(block: Block, row: Candidate, words: str) -> str:
    """Label and title, without what the row says of pages."""
    if len(block.cells) > 2:
        return " ".join(block.cells[:-1])
    return row.heading.removesuffix(words).rstrip(" .,;") if words else row.heading


def _tail(block: Block, text: str) -> str:
    if len(block.cells) > 1:
        return block.cells[-1]
    found = TAIL.search(text)
    return found[0] if found else ""


def _pages(words: str) -> list[tuple[str, str | None]]:
    return [(m["from"].upper(), m["to"].upper() if m["to"] else None) for m in PAGES.finditer(words)]
