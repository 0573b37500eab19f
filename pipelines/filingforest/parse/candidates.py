"""Every place where an item might start, each with its evidence: label, title, looks, and signs that it is only a mention."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from filingforest.parse.blocks import Block
from filingforest.parse.forms import Form, ItemDef
from filingforest.parse.labels import CONTINUED, NO_MATCH, SEPARATOR, WORD, Label, Match, match_title, read_label, read_part, words_of
from filingforest.parse.looks import LONGEST_HEADING, Body, strength

PAGE_CELL = re.compile(
    r"^(?:pages?\s*)?(?:[A-Z]{1,2}-)?\d{1,3}(?:\s*(?:[-–—,&]|and|to)+\s*(?:[A-Z]{1,2}-)?\d{1,3})*(?:\s*[,;]?\s*\(\w{1,2}\))*$",
    re.IGNORECASE,
)
LEADERS = re.compile(r"(?:\.\s?){4,}|_{4,}|…{2,}")
ENDS_IN_PAGE = re.compile(r"\D\s((?:[A-Z]{1,2}-)?\d{1,3}|[ivx]{1,5})$")
PROSE = re.compile(
    r"^(?:of|in|on|to|and|or|as|is|are|was|were|for|from|with|by|that|which|above|below|herein|hereof|contains?|includes?|under|shall|may|will|has|have"
    r"|entitled|titled|captioned|through|at|also|we|this|\d+[A-C]?\s+of)\b"
)
UNFINISHED = re.compile(r"[a-z,]$|\b(?:see|in|of|and|or|to|under|with|our|the)$", re.IGNORECASE)
DANGLING = re.compile(r"(?:\b(?:of|and|or|to|in|on|about|for|with|the|by|issuer|related)|[,&])$", re.IGNORECASE)
SENTENCE_END = re.compile(r"[a-z]{2}[.;]$")
SENTENCE_AFTER = re.compile(r"^[\s.:;–—-]*[.:–—-]\s*(?=[A-Z“\"(])")


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
    entry, rest_title = _page_entry(block, rest)
    meanings = tuple(m for code in label.codes for m in form.defs(code))
    match = match_title(rest_title, meanings) if rest_title else NO_MATCH
    looks = strength(block, body)
    why = [f'label "{label.written}"']
    after, offset, heading = i + 1, 0, block.text[place:]
    if not rest.strip(SEPARATOR):
        title_block = _title_after(blocks, i, meanings, body)
        if title_block is not None:
            match = match_title(blocks[title_block].text, meanings)
            heading, after = f"{text.strip()} {blocks[title_block].text}", title_block + 1
            looks = max(looks, strength(blocks[title_block], body))
            why.append("title in the next block")
    else:
        offset = _body_start(block, place + label.end, rest, match)
        if offset:
            heading = block.text[place:offset].strip()
            looks = max(looks, _lead_strength(block, place + label.end, offset))
            why.append("the body runs on in the heading's paragraph")
        else:
            after, heading, match = _continue_title(blocks, i, heading, rest_title, meanings, match, body)
    score = 3.0 + 4.0 * match.score + min(looks, 3.0)
    if not rest.strip(SEPARATOR) and match is NO_MATCH:
        score += 1.0
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


def _page_entry(block: Block, rest: str) -> tuple[str, str]:
    """What a table of contents says after the title ("12-14"), and the title without it."""
    if len(block.cells) > 1:
        last = block.cells[-1]
        if PAGE_CELL.match(last) and rest.endswith(last):
            return last, rest[: -len(last)].rstrip(" ._…")
        if PAGE_CELL.match(block.cells[0]):
            return block.cells[0], rest
    leaders = LEADERS.search(rest)
    if leaders:
        return rest[leaders.end() :].strip() or "-", rest[: leaders.start()].strip()
    found = ENDS_IN_PAGE.search(rest)
    if found and len(rest) < LONGEST_HEADING and not re.search(r"form (?:10|8)\W?[kq] \d+$|note \d+$", rest, re.IGNORECASE):
        return found[1], rest[: found.start() + 1].rstrip(" ._…")
    return "", rest


def _title_after(blocks: Sequence[Block], i: int, meanings: tuple[ItemDef, ...], body: Body) -> int | None:
    """The block that holds the title of a label that stands alone."""
    if i + 1 >= len(blocks):
        return None
    block = blocks[i + 1]
    if block.kind == "table" or len(block.text) > LONGEST_HEADING or re.match(r"\W*(?:item|part)s?\b", block.text, re.IGNORECASE):
        return None
    match = match_title(block.text, meanings)
    return i + 1 if match.cover >= 0.5 or (strength(block, body) >= 1.5 and len(block.text) < 160) else None


def _body_start(block: Block, start: int, rest: str, match: Match) -> int:
    """Where the body starts in a heading's own paragraph; 0 where the block is all heading."""
    text = block.text
    for at in block.breaks:  # a line break after the title
        if (
            at > start
            and at < len(text)
            and len(text) - at > 40
            and match_title(text[start:at], (match.meaning,) if match.meaning else ()).cover >= 0.5
        ):
            return at
    lead = block.style.lead
    if start + 3 < lead < len(text) - 1 and len(text) - lead >= 8:
        return lead if text[lead:].strip(SEPARATOR) else 0
    if match.meaning is None or match.cover < 0.7:
        return 0
    end = start + _title_end(rest, match.meaning)
    if end <= start:
        return 0
    tail = text[end:]
    found = SENTENCE_AFTER.match(tail)
    emphasised = block.style.bold > 0.85 or block.style.underline > 0.85
    if found and len(tail) - found.end() >= 8 and (len(text) > LONGEST_HEADING or not emphasised) and " " in tail[found.end() :].strip():
        return end + found.end()
    return 0


def _title_end(rest: str, meaning: ItemDef) -> int:
    """Where the longest run of a title's words ends in `rest`."""
    best = 0
    lowered = rest.lower().replace("’", "'")
    for title in meaning.titles:
        want = set(words_of(title))
        at, seen = 0, set()
        for m in WORD.finditer(lowered[:300]):
            word = m[0]
            if word in want and word not in seen:
                seen.add(word)
                at = m.end()
            elif len(seen) == len(want):
                break
        if len(seen) == len(want):
            best = max(best, at)
    return best


def _lead_strength(block: Block, start: int, offset: int) -> float:
    return 2.5 if block.style.lead > start else 0.0


def _continue_title(
    blocks: Sequence[Block], i: int, heading: str, title: str, meanings: tuple[ItemDef, ...], match: Match, body: Body
) -> tuple[int, str, Match]:
    """A title that goes on in the next block ("... ANALYSIS OF" / "FINANCIAL CONDITION")."""
    if i + 1 < len(blocks):
        following = blocks[i + 1]
        alike = abs(following.style.bold - blocks[i].style.bold) < 0.3 and following.style.size == blocks[i].style.size
        if (
            following.kind == "text"
            and len(following.text) < 120
            and alike
            and not re.match(r"\W*(?:item|part)s?\b", following.text, re.IGNORECASE)
        ):
            both = match_title(f"{title} {following.text}", meanings)
            better = both.cover >= match.cover + 0.2 and both.score > match.score
            dangling = DANGLING.search(title) is not None and len(following.text) < 100 and not SENTENCE_END.search(following.text)
            if dangling or (better and (strength(following, body) >= 1.5 or UNFINISHED.search(title))):
                return i + 2, f"{heading} {following.text}", both
    return i + 1, heading, match


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
    if not block.text[label.start + place :][:1].isupper():
        against += 2.0
        why.append("in lower case")
    if said[:1] in "“\"'‘" and looks < 2:
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
    if i and looks < 2:
        before = blocks[i - 1]
        if (
            before.kind in ("text", "list")
            and UNFINISHED.search(before.text)
            and strength(before, body) < 1.5
            and before.row_of is None
            and not before.edge
        ):
            against += 2.5
            why.append("the sentence before is not finished")
    if CONTINUED.search(said[-16:]):
        against += 6.0
        why.append("continued")
    return against
