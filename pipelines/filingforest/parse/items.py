"""Decides which headings start the items and where each item's text lies. Headings in the body decide; lists of items are hints."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from filingforest.parse.blocks import Block
from filingforest.parse.candidates import Candidate, labelled
from filingforest.parse.contents import Listing, listings
from filingforest.parse.forms import Form
from filingforest.parse.labels import NO_MATCH, match_title, read_part
from filingforest.parse.looks import Body, strength
from filingforest.parse.sections import AUDITOR, STATEMENT

ACCEPT = 4.5  # evidence that makes a labelled block a heading
STRONG = 7.5  # evidence that makes one a heading even out of order
SIGNATURES = re.compile(
    r"^\W*signatures?\W*(?:page)?\W*(?:$|pursuant to the requirements|in accordance with (?:section|the))", re.IGNORECASE
)
OFFICERS = re.compile(
    r"^\W*(?:(?:supplement(?:ary|al)|unnumbered|additional)\s+item\W*)?(?:(?:information|certain|about|regarding|concerning|our|the|names?|of)\s+){0,6}"
    r"executive\s+officers(?:\s+of\s+(?:the\s+)?\S+(?:\s\S+){0,4})?\W*$",
    re.IGNORECASE,
)
FINANCIAL = ("1", "7", "8", "17", "18")  # items that hold the statements: of 10-Q, 10-KSB, 10-K, 20-F
STATEMENTS_ITEM = ("8", "18", "17")  # of 10-K and 20-F
INDEX_OF_STATEMENTS = re.compile(
    r"^\W*(?:index|table\s+of\s+contents)?\W*(?:to|of)?\W*(?:the\s+)?(?:consolidated\s+)?financial\s+statements\b", re.IGNORECASE
)
EXHIBIT_INDEX = re.compile(r"^\W*(?:index (?:to|of) exhibits|exhibits? index|exhibit list)\W*$", re.IGNORECASE)


@dataclass(slots=True)
class Span:
    """Blocks [start, end) of one item; `offset` characters of the first belong to its heading."""

    start: int
    end: int
    offset: int = 0


@dataclass(slots=True)
class FoundItem:
    """One item: where its heading is (`at` to `spans[0].start`), and its text in one or more spans."""

    code: str
    part: str | None
    covers: tuple[str, ...]
    label: str
    heading: str
    at: int | None  # block of the heading; None where only an index names the item
    spans: list[Span] = field(default_factory=list)
    confidence: float = 1.0
    status: str | None = None
    stub: str = ""  # text of an item that stands only in an index ("Not applicable")
    why: list[str] = field(default_factory=list)
    told: list[Span] | None = None  # what the item's text is, where it is more (or less) than its spans
    extra: list[tuple[int, int]] = field(
        default_factory=list
    )  # blocks elsewhere whose units are the item's (statements behind the signatures)


@dataclass(slots=True)
class Outline:
    """The items of a document and the block ranges that belong to none."""

    items: list[FoundItem]
    lists: list[Listing]
    signatures: int | None = None
    closed: bool = False  # the spans' ends are known already

    def renumber(self, moved: Sequence[int]) -> None:
        """Block numbers after some blocks were cut in two: `moved[old]` is the new number; a span starts behind its heading's cut."""
        for item in self.items:
            item.at = None if item.at is None else moved[item.at]
            for span in [*item.spans, *(item.told or [])]:
                cut, span.offset = bool(span.offset), 0
                span.start = moved[span.start] + cut
                span.end = moved[span.end] if span.end >= 0 else -1
        self.lists = [replace(x, start=moved[x.start], end=moved[x.end]) for x in self.lists]


def find_items(blocks: Sequence[Block], form: Form, body: Body) -> Outline:
    """Items by their labelled headings, in document order."""
    candidates = labelled(blocks, form, body)
    lists = listings(blocks, candidates)
    usable = [c for c in candidates if not c.in_list and c.score >= ACCEPT]
    chosen = _sequence(usable, form)
    chosen = _add_strays(chosen, usable, form)
    chosen = _add_untitled(blocks, chosen, lists, form, body)
    chosen = _add_statements(blocks, chosen, lists, form, body)
    chosen = _add_officers(blocks, chosen, form, body)
    return Outline([_found(c) for c in chosen], lists)


def _rank(candidate: Candidate, form: Form) -> int:
    ranks = form.ranks
    part = candidate.part if form.by_part else None
    return ranks.get((part, candidate.code), ranks.get((None, candidate.code), len(ranks)))


def _sequence(candidates: Sequence[Candidate], form: Form) -> list[Candidate]:
    """The heaviest run of candidates in the form's order; the earlier of equals. One pass, with the best run that ends in each item."""
    best: dict[int, tuple[float, int]] = {}  # rank -> (weight of the run that ends there, its last candidate)
    back: list[int] = []
    for i, candidate in enumerate(candidates):
        rank = _rank(candidate, form)
        before = max(((w, j) for r, (w, j) in best.items() if r < rank), key=lambda x: (x[0], -x[1]), default=(0.0, -1))
        back.append(before[1])
        weight = before[0] + candidate.score
        if rank not in best or weight > best[rank][0] + 1e-9:
            best[rank] = (weight, i)
    at = max(best.values(), key=lambda x: (x[0], -x[1]), default=(0.0, -1))[1]
    out = []
    while at >= 0:
        out.append(candidates[at])
        at = back[at]
    return out[::-1]


def _add_strays(chosen: list[Candidate], candidates: Sequence[Candidate], form: Form) -> list[Candidate]:
    """Well-attested headings out of the form's order (an item moved by the filer)."""
    have = {_identity(c, form) for c in chosen}
    have |= {(part, code) for c in chosen for part, _ in (_identity(c, form),) for code in c.codes}
    for candidate in candidates:
        if candidate.score >= STRONG and candidate.match.cover >= 0.6 and _identity(candidate, form) not in have:
            have.add(_identity(candidate, form))
            candidate.why.append("out of the form's order")
            chosen = [*chosen, candidate]
    return sorted(chosen, key=lambda c: c.index)


def _identity(candidate: Candidate, form: Form) -> tuple[str | None, str]:
    return (candidate.part if form.by_part else None), candidate.code


def _add_untitled(blocks: Sequence[Block], chosen: list[Candidate], lists: Sequence[Listing], form: Form, body: Body) -> list[Candidate]:
    """Items whose headings carry the title only, where a list of items names them and their neighbours leave room."""
    if not chosen or not lists:
        return chosen
    have = {code for c in chosen for code in c.codes}
    for entry in (row for listing in lists if listing.pages for row in listing.rows):
        if entry.code in have or form.by_part:
            continue
        rank = _rank(entry, form)
        before = [c for c in chosen if _rank(c, form) < rank]
        after = [c for c in chosen if _rank(c, form) > rank]
        low = before[-1].after if before else max(x.end for x in lists if x.pages)
        high = after[0].index if after else len(blocks)
        found = _titled(blocks, range(low, high), entry, form, body)
        if found is not None:
            have.add(entry.code)
            chosen = sorted([*chosen, found], key=lambda c: c.index)
    return chosen


def _add_statements(blocks: Sequence[Block], chosen: list[Candidate], lists: Sequence[Listing], form: Form, body: Body) -> list[Candidate]:
    """Statements without a heading of their item: they begin with their own, between their neighbours."""
    item = next((x for x in form.items if x.code in FINANCIAL and "financial statements" in x.titles[0].lower()), None)
    if item is None or not chosen or any(item.code in c.codes and (not form.by_part or c.part == item.part) for c in chosen):
        return chosen
    rank = form.ranks[(item.part if form.by_part else None, item.code)]
    before = [c for c in chosen if _rank(c, form) < rank]
    after = [c for c in chosen if _rank(c, form) > rank]
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


def _add_officers(blocks: Sequence[Block], chosen: list[Candidate], form: Form, body: Body) -> list[Candidate]:
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


def _found(candidate: Candidate) -> FoundItem:
    confidence = round(min(1.0, candidate.score / 9.0), 2)
    item = FoundItem(candidate.code, candidate.part, candidate.codes, candidate.label, candidate.heading, candidate.index)
    item.spans = [Span(candidate.after - 1 if candidate.offset else candidate.after, -1, candidate.offset)]
    item.confidence, item.why = confidence, candidate.why
    return item


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
    for i in range(start, end):
        block = blocks[i]
        if len(block.text) <= 100 and block.kind != "table" and read_part(block.text) and i > start:
            if strength(block, body) >= 0.7 or (i + 1 < len(blocks) and (i + 1 == end or blocks[i + 1].text[:4].lower() == "item")):
                return i
    for listing in outline.lists:
        if start < listing.start < end:
            return list_head(blocks, listing.start, start)
    return end


def list_head(blocks: Sequence[Block], at: int, low: int) -> int:
    """A list's own title lines belong to it."""
    while at - 1 > low and re.match(
        r"^\W*(?:table of contents|page\W*$|page reference|.{0,30}cross.?reference|index\W*$|part i\b|item\W*$)", blocks[at - 1].text, re.I
    ):
        at -= 1
    return at


def signatures(blocks: Sequence[Block], after: int) -> int | None:
    """The block of the SIGNATURES heading behind the last item's heading."""
    for i in range(after + 1, len(blocks)):
        block = blocks[i]
        if block.kind != "table" and SIGNATURES.match(block.text):
            return i
    return None
