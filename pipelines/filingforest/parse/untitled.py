"""Items whose headings carry no number: found by the title that the contents give, by their statements, or by their place."""

from __future__ import annotations

import re
from collections.abc import Sequence

from filingforest.parse.blocks import Block
from filingforest.parse.candidates import Candidate, rank_of
from filingforest.parse.contents import Listing
from filingforest.parse.forms import Form
from filingforest.parse.labels import NO_MATCH, match_title
from filingforest.parse.looks import Body, strength
from filingforest.parse.sections import AUDITOR, STATEMENT

OFFICERS = re.compile(
    r"^\W*(?:(?:supplement(?:ary|al)|unnumbered|additional)\s+item\W*)?(?:(?:information|certain|about|regarding|concerning|our|the|names?|of)\s+){0,6}"
    r"executive\s+officers(?:\s+of\s+(?:the\s+)?\S+(?:\s\S+){0,4})?\W*$",
    re.IGNORECASE,
)
FINANCIAL = ("1", "7", "8", "17", "18")  # items that hold the statements: of 10-Q, 10-KSB, 10-K, 20-F


def add_untitled(blocks: Sequence[Block], chosen: list[Candidate], lists: Sequence[Listing], form: Form, body: Body) -> list[Candidate]:
    """Items whose headings carry the title only, where a list of items names them and their neighbours leave room."""
    if not lists:
        return chosen
    have = {code for c in chosen for code in c.codes}
    for entry in (row for listing in lists if listing.pages for row in listing.rows):
        if entry.code in have or form.by_part:
            continue
        rank = rank_of(entry, form)
        before = [c for c in chosen if rank_of(c, form) < rank]
        after = [c for c in chosen if rank_of(c, form) > rank]
        low = before[-1].after if before else max(x.end for x in lists if x.pages)
        high = after[0].index if after else len(blocks)
        found = _titled(blocks, range(low, high), entry, form, body)
        if found is not None:
            have.add(entry.code)
            chosen = sorted([*chosen, found], key=lambda c: c.index)
    return chosen


def add_statements(blocks: Sequence[Block], chosen: list[Candidate], lists: Sequence[Listing], form: Form, body: Body) -> list[Candidate]:
    """Statements without a heading of their item: they begin with their own, between their neighbours."""
    item = next((x for x in form.items if x.code in FINANCIAL and "financial statements" in x.titles[0].lower()), None)
    if item is None or not chosen or any(item.code in c.codes and (not form.by_part or c.part == item.part) for c in chosen):
        return chosen
    rank = form.ranks[(item.part if form.by_part else None, item.code)]
    before = [c for c in chosen if rank_of(c, form) < rank]
    after = [c for c in chosen if rank_of(c, form) > rank]
    low = before[-1].after if before else max((x.end for x in lists), default=0)
    high = min((c.index for c in after), default=len(blocks))
    for i in range(low, high):
        text = blocks[i].text
        if len(text) >= 160 or not (STATEMENT.match(text) or AUDITOR.match(text)):
            continue
        if _statement_near(blocks, i, min(high, i + (40 if strength(blocks[i], body) >= 1 else 8))):
            part = item.part
            why = ["the first statement's own heading"]
            start = i - 1 if i - 1 > low and strength(blocks[i - 1], body) >= 1 and blocks[i - 1].page == blocks[i].page else i
            found = Candidate(start, (item.code,), part, "", item.titles[0], start, 0, NO_MATCH, 0.0, 5.0, why=why)
            return sorted([*chosen, found], key=lambda c: c.index)
    return chosen


def add_officers(blocks: Sequence[Block], chosen: list[Candidate], form: Form, body: Body) -> list[Candidate]:
    """The unnumbered item on executive officers that stands between Items 4 and 5 (Form 10-K, General Instruction G(3)): Item 4A."""
    place = next((n for n, c in enumerate(chosen) if c.code == "4"), None)
    if place is None or "4A" not in form.codes or any("4A" in c.codes for c in chosen):
        return chosen
    end = chosen[place + 1].index if place + 1 < len(chosen) else len(blocks)
    for i in range(chosen[place].after + 1, end):
        if len(blocks[i].text) <= 100 and OFFICERS.match(blocks[i].text) and strength(blocks[i], body) >= 1:
            why = ["executive officers between Items 4 and 5"]
            found = Candidate(i, ("4A",), "I", "", blocks[i].text, i + 1, 0, NO_MATCH, strength(blocks[i], body), 6.0, why=why)
            return sorted([*chosen, found], key=lambda c: c.index)
    return chosen


def _statement_near(blocks: Sequence[Block], i: int, high: int) -> bool:
    return any((t := b.table) is not None and t.statement for b in blocks[i:high])


def _titled(blocks: Sequence[Block], where: range, entry: Candidate, form: Form, body: Body) -> Candidate | None:
    meanings = form.defs(entry.code)
    for i in where:
        looks = strength(blocks[i], body)
        if looks < 2 or len(blocks[i].text) > 200:
            continue
        match = match_title(blocks[i].text, meanings)
        if match.cover >= 0.99 and match.fill >= 0.8:
            why = ["the title alone, as the contents name it"]
            return Candidate(i, entry.codes, entry.part, "", blocks[i].text, i + 1, 0, match, looks, 5.0, why=why)
    return None
