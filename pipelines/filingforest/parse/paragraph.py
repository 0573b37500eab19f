"""Gathers the pieces of one paragraph into normalised text while keeping where bold, tagged and broken places are."""

from __future__ import annotations

import re

from filingforest.parse.blocks import Block, Style
from filingforest.parse.elements import Element
from filingforest.parse.styles import Look
from filingforest.text import normalise, visible

BULLET = re.compile(r"^[•●○◦▪▫■□◾⚫‣⁃∙·➢➤✓✔–—*o-](?=\s|[A-Z“\"])")
GLYPHS = "•●○◦▪▫■□◾⚫‣⁃∙·➢➤✓✔"


class Paragraph:
    """The paragraph being read. `take` hands it over as a Block and starts the next."""

    def __init__(self, out: list[Block]) -> None:
        self.out = out
        self.level: int | None = None
        self.bullet = False
        self.serial = 0
        self._clear()

    def _clear(self) -> None:
        self.serial += 1
        self.parts: list[str] = []
        self.size = 0  # characters so far
        self.open = False  # the last character is a space, or nothing was written
        self.weights: dict[Look, int] = {}
        self.lead = 0
        self.leading = True
        self.breaks: list[int] = []
        self.broken = False
        self.links: list[str] = []
        self.marks: list[tuple[int, int, Element]] = []

    def add(self, piece: str, look: Look) -> None:
        """More text. White space is collapsed across pieces."""
        words = (piece if piece.isascii() and piece.isprintable() else visible(piece)).split()
        if not words:
            self.space()
            return
        if piece[0].isspace():
            self.space()
        if self.broken:
            self.space()
            self.breaks.append(self.size)
            self.broken = False
        text = " ".join(words)
        self.parts.append(text)
        self.size += len(text)
        self.weights[look] = self.weights.get(look, 0) + len(text)
        if self.leading and (look[0] or look[1] or look[2]):
            self.lead = self.size
        else:
            self.leading = False
        self.open = False
        if piece[-1].isspace() or (self.size <= 1 and text in GLYPHS):
            self.space()

    def space(self) -> None:
        """At most one space, never at the start."""
        if self.size and not self.open:
            self.parts.append(" ")
            self.size += 1
            self.open = True

    def line_break(self) -> bool:
        """<br>: one keeps the paragraph together, its place remembered; True for the second of two, which ends it."""
        if self.broken:
            return True
        self.broken = self.size > 0
        return False

    def mark(self) -> int:
        """Where a tagged element starts; to be handed back to `close_mark`."""
        return self.serial << 32 | self.size

    def close_mark(self, start: int, element: Element) -> None:
        """The tagged element ends here; one that goes over paragraphs has no range of its own."""
        if start >> 32 == self.serial and self.size:
            self.marks.append((start & 0xFFFFFFFF, self.size, element))

    def take(self) -> Block | None:
        """The paragraph as a block, None when there is nothing in it."""
        text = "".join(self.parts)
        if text.endswith(" "):
            text = text[:-1]
        if not text:
            links, self.links = self.links, []
            self._clear()
            self.links = links
            return None
        style = self._style(len(text))
        marks = [(a, min(b, len(text)), e) for a, b, e in self.marks if a < len(text)]
        marks = [(a + (text[a] == " "), b - (text[b - 1] == " "), e) for a, b, e in marks if b > a]
        if not text.isascii() and text != normalise(text):  # a combining mark in an element of its own
            text, marks = normalise(text), []
        kind = "list" if self.bullet or BULLET.match(text) else "text"
        breaks = tuple(x for x in self.breaks if x < len(text))
        block = Block(text, kind=kind, style=style, level=self.level, links=tuple(self.links), marks=marks, breaks=breaks)
        self.bullet = False
        self._clear()
        return block

    def _style(self, size: int) -> Style:
        weights = self.weights
        if len(weights) == 1:
            look = next(iter(weights))
            return Style(float(look[0]), float(look[1]), float(look[2]), look[3], look[4], look[5], min(self.lead, size))
        total = sum(weights.values())
        main = max(weights, key=lambda k: weights[k])
        share = [sum(n for k, n in weights.items() if k[i]) / total for i in range(3)]
        return Style(share[0], share[1], share[2], main[3], main[4], main[5], min(self.lead, size))
