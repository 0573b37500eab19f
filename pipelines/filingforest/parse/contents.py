"""Finds lists of items (tables of contents, part dividers, cross-reference indexes), so that their rows are not taken for headings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from filingforest.parse.blocks import Block
from filingforest.parse.candidates import Candidate
from filingforest.parse.heading_parts import LEADERS, PAGE_CELL
from filingforest.parse.labels import words_of

ELSEWHERE = re.compile(r"(?:\(\w{1,2}\)|\*+|†|not applicable|n/a|none|proxy statement)\W*$", re.IGNORECASE)
CLOSE = 700  # characters between two rows of one list, sub-entries included
MENTION = 0.0  # less evidence than this is prose that speaks of an item, no row of a list
LONG_TEXT = 420  # a paragraph this long is body text


@dataclass(frozen=True, slots=True)
class Listing:
    """A run of rows: block numbers [start, end), its candidates, and whether rows carry page numbers."""

    start: int
    end: int
    rows: tuple[Candidate, ...]
    pages: bool

    @property
    def codes(self) -> set[str]:
        return {c for row in self.rows for c in row.codes}


def listings(blocks: Sequence[Block], candidates: Sequence[Candidate]) -> list[Listing]:
    """Marks candidates that stand in a list (`in_list`) and returns the lists."""
    out = []
    later: set[tuple[str | None, str]] = set()  # what is named behind the run
    waiting = [c for c in candidates if not c.page_sign and c.score >= 4]
    for run in reversed(_runs(blocks, candidates)):
        while waiting and waiting[-1].index > run[-1].index:
            later.add(_key(waiting.pop()))
        while run and not (_key(run[0]) in later or blocks[run[0].index].links or _paged(blocks, run[:2])[0]):
            run = run[1:]
        again = sum(_key(row) in later for row in run)
        if _is_list(blocks, run, again):
            for row in run:
                row.in_list = True
                row.why.append("stands in a list of items")
            out.append(Listing(run[0].index, _tail(blocks, run[-1]), tuple(run), _numbered(blocks, run) >= 0.5))
    _compare(candidates)
    return out[::-1]


def _tail(blocks: Sequence[Block], last: Candidate) -> int:
    """The end of a list: rows behind its last item that give pages too ("Signatures 69") belong to it."""
    end = last.index + 1
    while end < min(len(blocks), last.index + 12) and len(blocks[end].text) < 160 and _row(blocks[end]):
        end += 1
    return end


def _row(block: Block) -> bool:
    return (len(block.cells) > 1 and PAGE_CELL.match(block.cells[-1]) is not None) or LEADERS.search(block.text) is not None


def _is_list(blocks: Sequence[Block], run: Sequence[Candidate], again: int) -> bool:
    """Rows carry pages, or what they name comes again further on."""
    codes = {c for row in run for c in row.codes}
    if len(codes) < 3:
        return bool(run) and again == len(run) and all(b.index == a.after for a, b in pairwise(run)) and _nothing_below(blocks, run)
    signs = sum(row.page_sign or bool(blocks[row.index].links) for row in run)
    share = again / len(run)
    return _numbered(blocks, run) >= 0.5 or share >= 0.6 or (signs >= 0.6 * len(run) and share >= 0.3)


def _nothing_below(blocks: Sequence[Block], run: Sequence[Candidate]) -> bool:
    """A divider page's one or two entries: the heading itself follows at once."""
    at = run[-1].after
    return at < len(blocks) and blocks[at].text[:4].lower() in ("item", "part")


def _compare(candidates: Sequence[Candidate]) -> None:
    """A heading that says what a list of items says of the same item is the better for it, whatever the SEC calls the item."""
    named = {(row.code, words) for row in candidates if row.in_list and (words := words_of(row.title))}
    for candidate in candidates:
        words = words_of(candidate.title)
        if not candidate.in_list and words and candidate.match.cover < 0.9 and (candidate.code, words) in named:
            candidate.score += 2.0
            candidate.why.append("titled as in the list of items")


def _numbered(blocks: Sequence[Block], run: Sequence[Candidate]) -> float:
    """Share of rows that say where: by a page, in a row below, or, where some rows do, by a footnote or "not applicable"."""
    paged = _paged(blocks, run)
    if sum(paged) < max(3, 0.25 * len(run)):
        return sum(paged) / len(run)
    return sum(p or ELSEWHERE.search(blocks[row.index].text) is not None for row, p in zip(run, paged, strict=True)) / len(run)


def _paged(blocks: Sequence[Block], run: Sequence[Candidate]) -> list[bool]:
    """Whether each row, or a row without a label below it, gives a page."""
    ends = [row.index for row in run[1:]] + [run[-1].after + 4]
    return [row.page_sign or _paged_below(blocks[row.after : end]) for row, end in zip(run, ends, strict=True)]


def _paged_below(rows: Sequence[Block]) -> bool:
    return any(len(b.cells) > 1 and PAGE_CELL.match(b.cells[-1]) for b in rows)


def _key(candidate: Candidate) -> tuple[str | None, str]:
    meaning = candidate.match.meaning
    return (meaning.part if meaning is not None and candidate.match.cover >= 0.5 else candidate.part), candidate.code


def _runs(blocks: Sequence[Block], candidates: Sequence[Candidate]) -> list[list[Candidate]]:
    """Candidates that follow each other with next to nothing between them; an item named a second time begins another list, or the body."""
    runs: list[list[Candidate]] = []
    named: set[tuple[str | None, str]] = set()
    for candidate in candidates:
        if candidate.score < MENTION:
            continue
        run = runs[-1] if runs else None
        if run and _key(candidate) not in named and _close(blocks, run[-1], candidate):
            run.append(candidate)
        else:
            runs.append([candidate])
            named = set()
        named.add(_key(candidate))
    return runs


def _close(blocks: Sequence[Block], a: Candidate, b: Candidate) -> bool:
    if a.offset or b.index - a.index > 40:
        return False
    one, two = blocks[a.index], blocks[b.index]
    if abs(one.style.size - two.style.size) > 1 or (one.row_of is None) != (two.row_of is None):
        return False
    between = blocks[a.after : b.index]
    if any(x.kind == "table" or len(x.text) > LONG_TEXT for x in between):
        return False
    size = sum(len(x.text) for x in between)
    return size <= CLOSE or all(len(x.text) < 120 and (x.row_of is not None or x.links) for x in between)
