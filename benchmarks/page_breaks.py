"""Scores what a parser left at page breaks: running headers and page numbers in its text, and paragraphs cut in two.

Truth comes from the source: where CSS breaks pages, lines next to the break that stand next to many breaks are furniture.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import lxml.html

BREAK = re.compile(r"(?:page-)?break-(?:before|after)\s*:\s*(?:always|page)", re.IGNORECASE)
BLOCKS = frozenset({"div", "p", "tr", "li", "h1", "h2", "h3", "h4", "h5", "h6", "table", "hr", "br"})
REACH, OFTEN = 4, 5  # lines from a break; breaks that a line stands at
TAIL = 30  # letters and digits by which a place is found again


@dataclass(frozen=True)
class Break:
    """One page break: the last body line before it, the first after it, and the furniture between, as letters and digits."""

    before: str
    after: str
    furniture: str

    @property
    def cuts(self) -> bool:
        """A paragraph goes on over it."""
        return len(self.before) > 40 and self.before[-1:] not in '.!?:;)”"' and self.after[:1].islower()

    @property
    def parts(self) -> bool:
        """One paragraph, or heading, ends before it, and the next begins behind it."""
        return self.before[-1:] in ".!?:;" or (len(self.before) <= 40 and self.after[:1].isupper())


def breaks_of(html: str) -> list[Break]:
    """The page breaks of a filing that have text on both sides."""
    lines = _lines(html)
    places = [i for i, line in enumerate(lines) if line is None]
    near = Counter(key for i in places for key in {_key(x) for x in _around(lines, i)})
    out = []
    for i in places:
        before, after, between = "", "", []
        for side, step in ((lines[:i][::-1], 0), (lines[i + 1 :], 1)):
            for line in side[: REACH + 3]:
                if line is None:
                    break
                if near[_key(line)] >= OFTEN and len(line) < 120:
                    between.append((step, line))
                    continue
                before, after = (line, after) if step == 0 else (before, line)
                break
        furniture = [x for s, x in between[::-1] if s == 0] + [x for s, x in between if s == 1]
        if before and after:
            out.append(Break(before, after, plain("".join(furniture))))
    return out


@dataclass
class Score:
    """Counts over breaks that could be found again in the parser's text."""

    furniture: int = 0
    left: int = 0
    cuts: int = 0
    rejoined: int = 0
    parted: int = 0
    glued: int = 0

    def add(self, breaks: Sequence[Break], texts: Sequence[str]) -> None:
        whole = "\n".join(texts)
        letters = plain(whole)
        for b in breaks:
            head, tail = plain(b.before)[-TAIL:], plain(b.after)[:TAIL]
            at = letters.find(head)
            if len(head) < TAIL or len(tail) < TAIL or at < 0:
                continue
            between = letters[at + TAIL : at + TAIL + len(b.furniture) + TAIL]
            if tail not in between:
                continue
            if b.furniture:
                self.furniture += 1
                self.left += not between.startswith(tail)
            if b.cuts:
                self.cuts += 1
                self.rejoined += _rejoined(whole, b)
            elif b.parts:
                self.parted += 1
                self.glued += _rejoined(whole, b)


def _rejoined(text: str, b: Break) -> bool:
    """The words on both sides stand in one paragraph."""
    left, right = b.before.split()[-4:], b.after.split()[:4]
    found = re.search(r"\s+".join(map(re.escape, left)) + r"(\s*)" + r"\s+".join(map(re.escape, right)), text)
    return found is not None and "\n" not in found[1]


def plain(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


def _key(line: str) -> str:
    return re.sub(r"\d+", "#", line.lower())


def _around(lines: Sequence[str | None], i: int) -> list[str]:
    out: list[str] = []
    for side in (lines[max(0, i - REACH) : i][::-1], lines[i + 1 : i + 1 + REACH]):
        for line in side:
            if line is None:
                break
            out.append(line)
    return out


def _lines(html: str) -> list[str | None]:
    """The text line by line, None for a page break."""
    tree = lxml.html.fromstring(re.sub(r"^\s*<\?xml[^>]*\?>", "", html))
    out: list[str | None] = []
    parts: list[str] = []

    def flush() -> None:
        text = " ".join("".join(parts).replace("\xa0", " ").split())
        parts.clear()
        if text:
            out.append(text)

    def walk(element: lxml.html.HtmlElement) -> None:
        if (
            not isinstance(element.tag, str)
            or element.tag in ("script", "style", "ix:header")
            or "display:none" in (element.get("style") or "")
        ):
            return
        block = element.tag in BLOCKS
        style = element.get("style") or ""
        if block:
            flush()
        if BREAK.search(style) and "before" in BREAK.search(style)[0]:
            out.append(None)
        parts.append(element.text or "")
        for child in element:
            walk(child)
            parts.append(child.tail or "")
        if block or element.tag == "td":
            flush() if block else parts.append(" ")
        if BREAK.search(style) and "after" in BREAK.search(style)[0]:
            out.append(None)

    walk(tree)
    flush()
    return [x for i, x in enumerate(out) if x is not None or i == 0 or out[i - 1] is not None]
