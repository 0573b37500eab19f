"""Cuts the blocks of a section into units: whole paragraphs, a few hundred tokens, lists with their lead-in, tables by themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from filingforest.parse.blocks import Block
from filingforest.text import sentences
from filingforest.tokens import count_tokens

TOLD = 20  # tokens of a line that may be a table's own title
AIM, MOST = 200, 350  # tokens: neighbours are joined up to AIM, nothing but one sentence goes beyond MOST


@dataclass(slots=True)
class Unit:
    """Blocks [first, last] of one unit; `start` and `end` are characters in the first and last, for a piece of a long paragraph."""

    kind: str  # text, table, error
    first: int
    last: int
    tokens: int
    start: int = 0
    end: int | None = None

    def text(self, blocks: Sequence[Block]) -> str:
        """Its paragraphs, one a line."""
        parts = [b.text for b in blocks[self.first : self.last + 1]]
        if self.end is not None:
            parts[-1] = parts[-1][: self.end]
        parts[0] = parts[0][self.start :]
        return "\n".join(parts)


def cut(blocks: Sequence[Block], indices: Iterable[int]) -> Iterator[Unit]:
    """Units over these blocks, in order; blocks that are not neighbours are never joined."""
    unit: Unit | None = None
    for i in indices:
        block = blocks[i]
        tokens = count_tokens(block.text)
        if block.kind in ("table", "error"):
            if unit is not None:
                yield unit
            unit = None
            yield Unit(block.kind, i, i, tokens)
            continue
        if tokens <= TOLD and _told_by_table(blocks, i):
            continue
        if unit is not None and unit.last == i - 1 and unit.tokens + tokens <= _room(blocks, unit, block):
            unit.last, unit.tokens = i, unit.tokens + tokens
            continue
        if unit is not None:
            yield unit
        unit = None
        if tokens > MOST:
            yield from _pieces(block, i)
        else:
            unit = Unit("text", i, i, tokens)
    if unit is not None:
        yield unit


def _told_by_table(blocks: Sequence[Block], i: int) -> bool:
    """A scale note or title that the table below carries itself."""
    table = next((b for b in blocks[i + 1 : i + 3] if b.kind == "table"), None)
    return table is not None and not blocks[i].marks and blocks[i].text in table.text


def _room(blocks: Sequence[Block], unit: Unit, block: Block) -> int:
    """A list stays with its lead-in as far as it fits."""
    before = blocks[unit.last]
    together = block.kind == "list" and (before.kind == "list" or before.text.rstrip().endswith((":", "—", "–")))
    return MOST if together else AIM


def _pieces(block: Block, i: int) -> Iterator[Unit]:
    """A long paragraph in pieces at the ends of sentences."""
    start, end, tokens = 0, 0, 0
    for a, b in sentences(block.text):
        n = count_tokens(block.text[a:b])
        if tokens and tokens + n > MOST:
            yield Unit("text", i, i, tokens, start, end)
            start, tokens = a, 0
        end, tokens = b, tokens + n
    if tokens:
        yield Unit("text", i, i, tokens, start, end)
