"""Decides which headings start the items and where each item's text lies. Headings in the body decide; lists of items are hints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from filingforest.parse.blocks import Block
from filingforest.parse.candidates import Candidate, labelled, numbered, rank_of
from filingforest.parse.contents import Listing, listings
from filingforest.parse.forms import Form
from filingforest.parse.looks import Body
from filingforest.parse.untitled import add_officers, add_statements, add_untitled

ACCEPT = 4.5  # evidence that makes a labelled block a heading
FEWEST = 3  # headings that make an outline: with fewer labels, numbers and titles are looked at
STRONG = 7.5  # evidence that makes one a heading even out of order


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
    if len({c.codes for c in candidates if c.score >= ACCEPT}) < FEWEST:
        candidates = sorted([*candidates, *numbered(blocks, form, body)], key=lambda c: c.index)
    lists = listings(blocks, candidates)
    usable = [c for c in candidates if not c.in_list and c.score >= ACCEPT]
    chosen = _sequence(usable, form)
    chosen = _add_strays(chosen, usable, form)
    chosen = add_untitled(blocks, chosen, lists, form, body) if chosen else chosen
    chosen = add_statements(blocks, chosen, lists, form, body)
    chosen = add_officers(blocks, chosen, form, body)
    return Outline([_found(c) for c in chosen], lists)


def find_by_titles(blocks: Sequence[Block], outline: Outline, form: Form, body: Body) -> Outline:
    """Items of a body that has titles without numbers throughout, by the titles that its list of items gives."""
    found = add_untitled(blocks, [], outline.lists, form, body)
    return Outline([_found(c) for c in found], outline.lists) if len(found) >= FEWEST else outline


def _sequence(candidates: Sequence[Candidate], form: Form) -> list[Candidate]:
    """The heaviest run of candidates in the form's order; the earlier of equals. One pass, with the best run that ends in each item."""
    best: dict[int, tuple[float, int]] = {}  # rank -> (weight of the run that ends there, its last candidate)
    back: list[int] = []
    for i, candidate in enumerate(candidates):
        rank = rank_of(candidate, form)
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


def _found(candidate: Candidate) -> FoundItem:
    confidence = round(min(1.0, candidate.score / 9.0), 2)
    item = FoundItem(candidate.code, candidate.part, candidate.codes, candidate.label, candidate.heading, candidate.index)
    item.spans = [Span(candidate.after - 1 if candidate.offset else candidate.after, -1, candidate.offset)]
    item.confidence, item.why = confidence, candidate.why
    return item
