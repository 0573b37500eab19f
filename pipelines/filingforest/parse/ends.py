"""Where items end: the next heading, a part's heading, a list of items, the signatures; and statements that stand behind all of those."""

from __future__ import annotations

import re
from collections.abc import Sequence

from filingforest.parse.blocks import Block
from filingforest.parse.items import FoundItem, Outline
from filingforest.parse.labels import read_part
from filingforest.parse.looks import Body, strength
from filingforest.parse.sections import AUDITOR

SIGNATURES = re.compile(
    r"^\W*signatures?\W*(?:page)?\W*(?:$|pursuant to the requirements|in accordance with (?:section|the))", re.IGNORECASE
)
STATEMENTS_ITEM = ("8", "18", "17")  # of 10-K and 20-F
INDEX_OF_STATEMENTS = re.compile(
    r"^\W*(?:index|table\s+of\s+contents)?\W*(?:to|of)?\W*(?:the\s+)?(?:consolidated\s+)?financial\s+statements\b", re.IGNORECASE
)
EXHIBIT_INDEX = re.compile(r"^\W*(?:index (?:to|of) exhibits|exhibits? index|exhibit list)\W*$", re.IGNORECASE)

LIST_TITLE = re.compile(
    r"^\W*(?:table of contents|page\W*$|page reference|.{0,30}cross.?reference|index\W*$|part i\b|item\W*$|item (?:no|number)s?\b.{0,20}$)",
    re.IGNORECASE,
)


def close_items(blocks: Sequence[Block], outline: Outline, body: Body) -> None:
    """Sets where each item ends: the next heading, a part's heading before it, a list of items, SIGNATURES after the last."""
    if outline.closed:
        outline.signatures = signatures(blocks, max((s.end for x in outline.items for s in x.spans), default=0) - 1)
        return
    items = [x for x in outline.items if x.at is not None]
    starts = [x.at for x in items if x.at is not None]
    last = starts[-1] if starts else 0
    outline.signatures = signatures(blocks, last)
    stop = outline.signatures if outline.signatures is not None else len(blocks)
    for n, item in enumerate(items):
        span = item.spans[0]
        end = starts[n + 1] if n + 1 < len(starts) else stop
        span.end = max(span.start, _cut(blocks, span.start, end, outline, body))
    if items:
        _after_last(blocks, items, outline, body)


def _after_last(blocks: Sequence[Block], items: Sequence[FoundItem], outline: Outline, body: Body) -> None:
    """Statements that stand behind the last item, or behind the signatures, are those that Item 8 points to."""
    last = items[-1].spans[0]
    pointing = next((x for x in items if x.code in STATEMENTS_ITEM and x.spans[0].end - x.spans[0].start <= 4), None)
    low = last.start + 1 if pointing is not items[-1] else last.end
    start = _statements(blocks, low, body) if pointing is not None else None
    if start is not None and pointing is not None:
        stops = [i for i in range(start + 1, len(blocks)) if EXHIBIT_INDEX.match(blocks[i].text) or (i == outline.signatures)]
        end = stops[0] if stops else len(blocks)
        pointing.extra.append((start, end))
        pointing.why.append("the statements stand behind the last item")
        last.end = min(last.end, start)
    for i in range(last.start + 1, last.end):
        if items[-1].code == "16" and EXHIBIT_INDEX.match(blocks[i].text):
            last.end = i
            break


def _statements(blocks: Sequence[Block], low: int, body: Body) -> int | None:
    """Where the statements begin behind `low`: the auditor's report, an index on a page of its own, or the first statement's heading."""
    tables = [i for i in range(low, len(blocks)) if (t := blocks[i].table) is not None and t.statement and len(t.unit.rows) >= 6]
    if len({t.statement for i in tables if (t := blocks[i].table) is not None}) < 2:
        return None
    first = tables[0]
    for i in range(low, first):
        text = blocks[i].text
        if len(text) < 160 and AUDITOR.match(text) and strength(blocks[i], body) >= 1:
            return _page_top(blocks, i, low)
    for i in range(low, first):
        if len(blocks[i].text) < 160 and INDEX_OF_STATEMENTS.match(blocks[i].text) and blocks[i].page != blocks[i - 1].page:
            return i
    return _page_top(blocks, max(low, first - 3), low)


def _page_top(blocks: Sequence[Block], i: int, low: int) -> int:
    """An index of the statements on the page before goes with them."""
    page = blocks[i].page
    start = i
    while start > low and page is not None and blocks[start - 1].page == page:
        start -= 1
    back = start
    while back > low and back > start - 12:
        back -= 1
        if INDEX_OF_STATEMENTS.match(blocks[back].text) and len(blocks[back].text) < 160:
            return back
    return start


def _cut(blocks: Sequence[Block], start: int, end: int, outline: Outline, body: Body) -> int:
    for i in range(start + 1, end):
        if _is_part(blocks, i, end, body):
            return i
    for listing in outline.lists:
        if start < listing.start < end:
            return list_head(blocks, listing.start, start)
    return end


def _is_part(blocks: Sequence[Block], i: int, end: int, body: Body) -> bool:
    """A part's heading by its looks, or by the item that follows it at once."""
    block = blocks[i]
    if len(block.text) > 100 or block.kind == "table" or not read_part(block.text):
        return False
    return strength(block, body) >= 0.7 or i + 1 == end or (i + 1 < len(blocks) and blocks[i + 1].text[:4].lower() == "item")


def list_head(blocks: Sequence[Block], at: int, low: int) -> int:
    """A list's own title lines belong to it."""
    while at - 1 > low and LIST_TITLE.match(blocks[at - 1].text):
        at -= 1
    return at


def signatures(blocks: Sequence[Block], after: int) -> int | None:
    """The block of the SIGNATURES heading behind the last item's heading."""
    for i in range(after + 1, len(blocks)):
        block = blocks[i]
        if block.kind != "table" and SIGNATURES.match(block.text):
            return i
    return None
