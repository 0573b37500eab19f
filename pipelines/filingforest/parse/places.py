"""Where each block lies in the document's text: in a text made of the blocks, or in the source itself where that is kept as it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from filingforest.parse.blocks import Block


@dataclass(slots=True)
class Layout:
    """The document's text and where each block starts and ends in it.

    Where a source is kept (a text file: every character stays where it was) blocks say their place by `span`, and inside one the places of
    its text are found by counting what is no white space.
    """

    text: str
    starts: list[int]
    ends: list[int]
    kept: bool = False

    @classmethod
    def of(cls, blocks: Sequence[Block], source: str | None = None) -> Layout:
        if source is not None:
            return cls(source, *_spans(blocks), kept=True)
        starts, ends, at = [], [], 0
        for block in blocks:
            starts.append(at)
            ends.append(at + len(block.text))
            at += len(block.text) + 1
        return cls("\n".join(b.text for b in blocks), starts, ends)

    def place(self, blocks: Sequence[Block], i: int, at: int) -> int:
        """The place of character `at` of block `i`."""
        if not self.kept:
            return self.starts[i] + at
        count = sum(not c.isspace() for c in blocks[i].text[:at])
        for place in range(self.starts[i], self.ends[i]):
            if not self.text[place].isspace():
                if count == 0:
                    return place
                count -= 1
        return self.ends[i]


def _spans(blocks: Sequence[Block]) -> tuple[list[int], list[int]]:
    """A block without a place of its own (there should be none) stands where the last one ended."""
    starts, ends, at = [], [], 0
    for block in blocks:
        start, end = block.span if block.span is not None else (at, at)
        starts.append(start)
        ends.append(end)
        at = end
    return starts, ends


def united(parts: Sequence[Block]) -> tuple[int, int] | None:
    """The place of several blocks made one."""
    spans = [p.span for p in parts if p.span is not None]
    return (min(s[0] for s in spans), max(s[1] for s in spans)) if spans else None
