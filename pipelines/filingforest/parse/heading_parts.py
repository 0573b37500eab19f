"""Takes an item's heading apart: label, title, page number of an entry, and where the body begins if it runs on in the same paragraph."""

from __future__ import annotations

import re
from collections.abc import Sequence

from filingforest.parse.blocks import Block
from filingforest.parse.forms import ItemDef
from filingforest.parse.labels import SEPARATOR, WORD, Match, match_title, words_of
from filingforest.parse.looks import LONGEST_HEADING, Body, strength

PAGE_CELL = re.compile(
    r"^(?:pages?\s*)?(?:[A-Z]{1,2}-)?\d{1,3}(?:\s*(?:[-–—,&]|and|to)+\s*(?:[A-Z]{1,2}-)?\d{1,3})*(?:\s*[,;]?\s*\(\w{1,2}\))*$",
    re.IGNORECASE,
)
LEADERS = re.compile(r"(?:\.\s?){4,}|_{4,}|…{2,}")
ENDS_IN_PAGE = re.compile(r"\D\s((?:[A-Z]{1,2}-)?\d{1,3}|[ivx]{1,5})$")
UNFINISHED = re.compile(r"[a-z,]$|\b(?:see|in|of|and|or|to|under|with|our|the)$", re.IGNORECASE)
DANGLING = re.compile(r"(?:\b(?:of|and|or|to|in|on|about|for|with|the|by|issuer|related)|[,&])$", re.IGNORECASE)
SENTENCE_END = re.compile(r"[a-z]{2}[.;]$")
NOTHING = re.compile(r"(?<=[.:–—-]) *\b(?:None|NONE|Not applicable|NOT APPLICABLE|Not Applicable|N/A)\.?$")
SENTENCE_AFTER = re.compile(r"^[\s.:;–—-]*[.:–—-]\s*(?=[A-Z“\"(])")


def page_entry(block: Block, rest: str) -> tuple[str, str]:
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


def title_after(blocks: Sequence[Block], i: int, meanings: tuple[ItemDef, ...], body: Body) -> int | None:
    """The block that holds the title of a label that stands alone."""
    if i + 1 >= len(blocks):
        return None
    block = blocks[i + 1]
    if block.kind == "table" or len(block.text) > LONGEST_HEADING or re.match(r"\W*(?:item|part)s?\b", block.text, re.IGNORECASE):
        return None
    match = match_title(block.text, meanings)
    return i + 1 if match.cover >= 0.5 or (strength(block, body) >= 1.5 and len(block.text) < 160) else None


def body_start(block: Block, start: int, rest: str, match: Match) -> int:
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
    nothing = NOTHING.search(text) if len(block.cells) <= 1 else None
    if nothing and match.cover >= 0.7 and nothing.start() > start:
        return nothing.start()
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


def continue_title(
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
