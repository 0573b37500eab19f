"""Headings below items and how deep each is, from looks alone: sizes, weight, case; notes to the statements by their numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from filingforest.parse.blocks import Block
from filingforest.parse.looks import Body, is_caps, strength

NOTE = re.compile(r"^(?:note\s+(?P<n>\d{1,2}[A-Z]?)|(?P<bare>\d{1,2})\.)\s*[-–—:.|]?\s*(?P<title>\S.{0,150})?$", re.IGNORECASE)
NOTES_TITLE = re.compile(
    r"^(?:condensed\s+)?notes?\s+to\s+(?:the\s+)?(?:unaudited\s+)?(?:condensed\s+)?(?:consolidated\s+)?financial\s+statements",
    re.IGNORECASE,
)
STATEMENT = re.compile(
    r"^(?:(?:unaudited|condensed|consolidated|combined|interim)\s+){0,4}(?:statements?\s+of\s+(?:consolidated\s+)?(?:operations|income|earnings|cash\s+flows?|comprehensive|"
    r"(?:changes\s+in\s+)?(?:share|stock)(?:holders|owners)|equity|financial\s+(?:position|condition))|balance\s+sheets?|income\s+statements?|cash\s+flows?\s+statements?)",
    re.IGNORECASE,
)
AUDITOR = re.compile(
    r"^reports?\s+of\s+(?:the\s+)?independent\s+(?:registered\s+)?(?:public\s+)?(?:account|audit)|^independent\s+auditors?.{0,3}\s+report",
    re.IGNORECASE,
)
NOT_TITLES = re.compile(
    r"^\W*(?:(?:in|dollars|amounts|u\.?s\.?)\b.{0,60}(?:millions?|thousands?|billions?|dollars).{0,80}|page(?:\s+(?:no\.?|number|reference))?"
    r"|or|mark one|unaudited|audited"
    r"|continued|to the (?:share|stock)(?:holders|owners).{0,80}|/s/.{0,60}|by:?.{0,60}|\d.{0,3}|[a-z]{1,2})\W*$",
    re.IGNORECASE,
)
LONGEST = 200
LONGEST_SENTENCE = 500  # of a heading that is a bold sentence or two, as risk factors have them
SHORTEST_PROSE = 20  # characters; "None." below a bold sentence is an answer to it, not what it introduces
USUAL_SIZE = 10.0  # points, where the body does not say
SENTENCE = re.compile(r"[.;,]$")


@dataclass(frozen=True, slots=True)
class Heading:
    """A section heading: block number, weight (heavier stands higher), label as written ("Note 7") where it has one."""

    index: int
    weight: float
    label: str | None = None


def headings(blocks: Sequence[Block], start: int, end: int, body: Body) -> list[Heading]:
    """The headings among blocks [start, end), in order. Lines under one another that look the same are one heading each."""
    out = []
    in_notes = False
    for i in range(start, end):
        block = blocks[i]
        if block.kind in ("table", "error") or len(block.text) > LONGEST_SENTENCE:
            continue
        if not _is_title(block, strength(block, body)) and not _introduces(blocks, i, end, body):
            continue
        text = block.text
        weight, label = weigh(block, body), None
        note = NOTE.match(text)
        if NOTES_TITLE.match(text) or STATEMENT.match(text) or AUDITOR.match(text):
            in_notes = in_notes or NOTES_TITLE.match(text) is not None
            weight = 2_000.0
        elif note and (note["n"] or in_notes) and (note["title"] or note["n"]):
            weight, label, in_notes = 1_000.0, f"Note {note['n'] or note['bare']}", True
        out.append(Heading(i, weight, label))
    return out


def weigh(block: Block, body: Body) -> float:
    """Bigger, then bolder, then capitals, then underlined, then italic."""
    style = block.style
    if block.level:
        return 700.0 - 100 * block.level
    weight = 10.0 * max(0.0, style.size - (body.size or USUAL_SIZE))
    weight += 8.0 * (style.bold > 0.85) + 5.0 * is_caps(block.text) + 2.0 * (style.underline > 0.85) + 1.5 * (style.align == "center")
    return weight - 1.0 * (style.italic > 0.85) - 0.05 * min(style.indent, 72.0)


def _is_title(block: Block, looks: float) -> bool:
    text = block.text
    if looks < 1.2 or len(text) > LONGEST or NOT_TITLES.match(text):
        return False
    if block.kind == "list" and not (block.style.bold > 0.85 and len(text) < 120):
        return False
    if len(block.cells) > 2 or (len(block.cells) == 2 and any(c.isdigit() for c in block.cells[-1])):
        return False
    if SENTENCE.search(text):
        return looks >= 1.9 and len(text) < 150 and text[-1] == "."
    return not text.endswith(":") or looks >= 2.0


def _introduces(blocks: Sequence[Block], i: int, end: int, body: Body) -> bool:
    """A bold sentence or two with plain prose directly below: a risk factor's heading, which says the whole risk."""
    block = blocks[i]
    if not body.styled or block.kind != "text" or block.style.bold <= 0.85 or block.text[-1:] not in ".?!" or i + 1 >= end:
        return False
    below = blocks[i + 1]
    prose = below.kind in ("text", "list") and below.style.bold < 0.5 and len(below.text) > SHORTEST_PROSE
    return prose and not is_caps(block.text) and not NOT_TITLES.match(block.text)


def depth_path(stack: list[Heading], heading: Heading) -> list[Heading]:
    """The open headings above, after this one has closed those that weigh no more than it does."""
    while stack and stack[-1].weight <= heading.weight + 0.01:
        stack.pop()
    return [*stack, heading]


def section_ends(found: Sequence[Heading], end: int) -> dict[int, int]:
    """Heading's block -> the block where its section ends: the next heading that weighs as much, or `end`."""
    out: dict[int, int] = {}
    stack: list[Heading] = []
    for heading in found:
        while stack and stack[-1].weight <= heading.weight + 0.01:
            out[stack.pop().index] = heading.index
        stack.append(heading)
    return out | {heading.index: end for heading in stack}
