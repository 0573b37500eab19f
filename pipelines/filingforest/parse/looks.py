"""How much a block looks like a heading, judged against the body text of its own document."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from filingforest.parse.blocks import Block

LONGEST_HEADING = 260
RUNNING = re.compile(r"[a-z]{2},? [a-z]{2}")
LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class Body:
    """What plain text looks like in this document: size in points (0: not known), and whether looks tell anything at all."""

    size: float = 0.0
    styled: bool = True


def body_of(blocks: Sequence[Block]) -> Body:
    """The commonest look, by characters."""
    sizes: Counter[float] = Counter()
    bold = plain = 0
    for block in blocks:
        if block.kind == "table":
            continue
        sizes[block.style.size] += len(block.text)
        if block.style.bold > 0.5 or block.style.underline > 0.5 or block.style.italic > 0.5 or block.level:
            bold += 1
        else:
            plain += 1
    size = sizes.most_common(1)[0][0] if sizes else 0.0
    return Body(size, bold >= 3)


def is_caps(text: str) -> bool:
    """All letters are capitals, and there are a few."""
    return text.isupper() and sum(map(str.isalpha, text)) >= 4


def strength(block: Block, body: Body) -> float:
    """0 for prose; about 1.5 for one sign of a heading, 3 and more for several."""
    text, style = block.text, block.style
    if block.kind in ("table", "error") or len(text) > LONGEST_HEADING or not LETTER.search(text):
        return 0.0
    signs = 0.0
    if block.level:
        signs += 3.0
    if style.bold > 0.85:
        signs += 2.0
    if is_caps(text):
        signs += 1.5
    if style.underline > 0.7:
        signs += 1.5
    if style.italic > 0.85:
        signs += 1.2
    if style.size >= (body.size or 10.0) + 1:
        signs += 1.5
    if style.align == "center" and len(text) < 120:
        signs += 0.7
    if block.kind == "list" and not block.level:
        signs -= 1.0
    if len(text) > 120 and text[-1] in ".;" and RUNNING.search(text):
        signs -= 1.0
    return max(0.0, signs)
