"""Every place where an item might start, each with its evidence: label, title, looks, and signs that it is only a mention."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from filingforest.parse.blocks import Block
from filingforest.parse.forms import Form
from filingforest.parse.heading_parts import UNFINISHED, body_start, continue_title, page_entry, title_after
from filingforest.parse.labels import CONTINUED, NO_MATCH, SEPARATOR, Label, Match, match_title, read_label, read_number, read_part
from filingforest.parse.looks import LONGEST_HEADING, Body, strength

NUMBER_COVER = 0.7  # of a title's words, where nothing but a number stands before them
PROSE = re.compile(
    r"^(?:of|in|on|to|and|or|as|is|are|was|were|for|from|with|by|that|which|above|below|herein|hereof|contains?|includes?|under|shall|may|will|has|have"
    r"|entitled|titled|captioned|through|at|also|we|this|\d+[A-C]?\s+of)\b"
)


@dataclass(slots=True)
class Candidate:
    """A block that may be an item's heading. `after` is the first block after the heading; `offset` where the body starts in the
    heading's last block, where it runs on there (0: it does not)."""

    index: int
    codes: tuple[str, ...]
    part: str | None
    label: str
    heading: str
    after: int
    offset: int
    match: Match
    strength: float
    score: float
    page_sign: bool = False
    in_list: bool = False  # stands in a table of contents or index
    entry: str = ""  # what the entry says of pages, where it is one
    why: list[str] = field(default_factory=list)
    title: str = ""  # the words after the label, without pages

    @property
    def code(self) -> str:
        return self.codes[0]


def labelled(blocks: Sequence[Block], form: Form, body: Body) -> list[Candidate]:
    """All blocks that start with an item label, scored. Parts of 10-Q items come from label, title, then the last part heading."""
    out: list[Candidate] = []
    part: str | None = None
    for i, block in enumerate(blocks):
        if block.kind in ("table", "error"):
            continue
        text = block.text
        if len(text) <= 100 and text[:1] in "Pp(-–— *" and (found := read_part(text)):
            part = found
            continue
        place = _label_place(block)
        if place is None:
            continue
        label = read_label(text[place:], form)
        if label is None:
            continue
        candidate = _judge(blocks, i, place, label, form, body, part)
        if label.part:
            part = label.part
        out.append(candidate)
    return out


def numbered(blocks: Sequence[Block], form: Form, body: Body) -> list[Candidate]:
    """Headings without the word, "1A. Risk Factors": number and title must agree, since every list has numbers."""
    out: list[Candidate] = []
    part: str | None = None
    for i, block in enumerate(blocks):
        if block.kind in ("table", "error") or len(block.text) > LONGEST_HEADING:
            continue
        part = read_part(block.text) or part
        label = read_number(block.text, form)
        if label is None:
            continue
        candidate = _judge(blocks, i, 0, label, form, body, part)
        if candidate.match.cover >= NUMBER_COVER:
            candidate.why[0] = f'number "{label.written}"'
            out.append(candidate)
    return out


def _label_place(block: Block) -> int | None:
    """Where a label may start: at the start of the text, or of a cell after page numbers and part names."""
    head = block.text[:24].lstrip("*•[ \u201c\"'").lower()
    if head.startswith(("item", "part")):
        return len(block.text[:24]) - len(block.text[:24].lstrip("*•[ "))
    if len(block.cells) > 1:
        at = 0
        for cell in block.cells:
            if cell[:4].lower() == "item":
                return at
            if len(cell) > 12:
                return None
            at += len(cell) + 1
    return None


def _judge(blocks: Sequence[Block], i: int, place: int, label: Label, form: Form, body: Body, context: str | None) -> Candidate:
    block = blocks[i]
    text = block.text[place:]
    rest = text[label.end :]
    entry, rest_title = page_entry(block, rest)
    meanings = tuple(m for code in label.codes for m in form.defs(code))
    match = match_title(rest_title, meanings) if rest_title else NO_MATCH
    looks = strength(block, body)
    why = [f'label "{label.written}"']
    after, offset, heading = i + 1, 0, block.text[place:]
    if not rest.strip(SEPARATOR):
        title_block = title_after(blocks, i, meanings, body)
        if title_block is not None:
            match = match_title(blocks[title_block].text, meanings)
            heading, after = f"{text.strip()} {blocks[title_block].text}", title_block + 1
            looks = max(looks, strength(blocks[title_block], body))
            why.append("title in the next block")
    else:
        offset = body_start(block, place + label.end, rest, match)
        if offset:
            heading = block.text[place:offset].strip()
            looks = max(looks, _lead_strength(block, place + label.end, offset))
            why.append("the body runs on in the heading's paragraph")
        else:
            after, heading, match = continue_title(blocks, i, heading, rest_title, meanings, match, body)
    score = 3.0 + 4.0 * match.score + min(looks, 3.0)
    if not rest.strip(SEPARATOR) and match is NO_MATCH:
        score += 1.0 if len(label.codes) == 1 else 2.0  # "Items 10, 11, 12 and 13." on a line of its own has no title to show
    if match.score:
        why.append(f"title agrees {match.cover:.2f}")
    score -= _mention(blocks, i, place, label, rest, offset, match, looks, body, why)
    part = _part(label, match, context, form)
    return Candidate(
        i, label.codes, part, label.written, heading, after, offset, match, looks, score, bool(entry), False, entry, why, rest_title
    )


def _part(label: Label, match: Match, context: str | None, form: Form) -> str | None:
    if label.part:
        return label.part
    if match.meaning is not None and match.cover >= 0.6:
        return match.meaning.part
    meanings = form.defs(label.codes[0])
    parts = {m.part for m in meanings}
    return context if context in parts else meanings[0].part


def _lead_strength(block: Block, start: int, offset: int) -> float:
    return 2.5 if block.style.lead > start else 0.0


def _mention(
    blocks: Sequence[Block],
    i: int,
    place: int,
    label: Label,
    rest: str,
    offset: int,
    match: Match,
    looks: float,
    body: Body,
    why: list[str],
) -> float:
    """What speaks against a heading: quotes, a sentence that goes on, a sentence that was begun before, "(continued)"."""
    against = 0.0
    block = blocks[i]
    said = rest.lstrip(SEPARATOR)
    if block.text[label.start + place :][:1].islower():
        against += 2.0
        why.append("in lower case")
    if said and said[0] in "“\"'‘" and looks < 2:
        against += 4.0
        why.append("a quotation follows")
    if PROSE.match(said) or (said[:1].islower() and match.cover < 0.5):
        against += 5.0
        why.append("a sentence goes on")
    elif "," in label.gap and looks < 2:
        against += 3.0
        why.append("a comma follows")
    if len(block.text) > LONGEST_HEADING and not offset:
        against += 4.0
        why.append("long, and no title parts it")
    if i and looks < 2 and _unfinished(blocks[i - 1], body):
        against += 2.5
        why.append("the sentence before is not finished")
    if CONTINUED.search(said[-16:]):
        against += 6.0
        why.append("continued")
    return against


def rank_of(candidate: Candidate, form: Form) -> int:
    """The item's place in the form's order."""
    ranks = form.ranks
    part = candidate.part if form.by_part else None
    return ranks.get((part, candidate.code), ranks.get((None, candidate.code), len(ranks)))


def _unfinished(block: Block, body: Body) -> bool:
    """Prose that the next block may go on with."""
    if block.kind not in ("text", "list") or block.row_of is not None or block.edge or read_part(block.text):
        return False
    return UNFINISHED.search(block.text) is not None and strength(block, body) < 1.5
