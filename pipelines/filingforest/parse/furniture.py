"""Finds what repeats in the margins of pages (running headers, page numbers, links back to the contents) before anything is read.

What is left in the text would be taken for headings, split paragraphs in two and repeat in every unit. A block is furniture only at a
page's edge, and only for a reason that is logged.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from filingforest.parse.blocks import Block

REACH = 6  # blocks from a page's edge that may be furniture
LONGEST = 200
NUMBER = re.compile(
    r"^(?:page\b\s*)?[-–—|\[(\s]*((?:[A-Z]{1,2}[-–. ])?\d{1,3}|[ivxlc]{1,7})(?:\s*of\s*\d{1,3})?[-–—|\])\s]*$", re.IGNORECASE
)
BACK_LINK = re.compile(r"^(?:\W*(?:back to\s+)?(?:table of contents?|index|contents)\W*)+(?:[A-Z]{0,2}-?\d{1,3})?$", re.IGNORECASE)
NUMBER_AT_END = re.compile(r"(?:^|[\s|–—-])((?:[A-Z]{1,2}-)?\d{1,3})\W*$")
NUMBER_AT_START = re.compile(r"^\W*((?:[A-Z]{1,2}-)?\d{1,3})(?=[\s|–—-])")
LABELLED = re.compile(r"^\W*items?\s*\d", re.IGNORECASE)
ITEM_WORDS = re.compile(r"^items?\s*(\d{1,2}[a-c]?)", re.IGNORECASE)
TITLES = re.compile(
    r"^\W*(?:(?:condensed|consolidated|unaudited|combined)\s+)*(?:statements?\s+of|balance\s+sheets?|notes?\s+to|note\s+\d)"
    r"|^\W*(?:reports?\s+of\s+(?:independent|management)|signatures?\W*$|exhibit\s+index|index\s+to\s+(?:exhibits|consolidated|financial))",
    re.IGNORECASE,
)
NOTES_BELOW = re.compile(  # what stands under each statement, and says nothing of its own
    r"^\W*(?:(?:see|refer to|the|these)\b.{0,30}\bnotes\b.{0,60}(?:financial\s+(?:statements|information)|integral\s+part).{0,80}"
    r"|see\s+(?:the\s+)?(?:accompanying\s+)?notes\b.{0,40})$",
    re.IGNORECASE,
)
DIGIT = re.compile(r"\d")
PAGE_DIGITS = re.compile(r"^\W*(?:[a-z]{1,2}-)?\d{1,3}(?=\W)|(?:[a-z]{1,2}-)?\d{1,3}\W*$|\bpage \d{1,3} of \d{1,3}\W*$")


@dataclass(slots=True)
class Cleaned:
    """Blocks without furniture, and what the furniture told: the page numbers as printed."""

    blocks: list[Block]
    labels: dict[int, str] = field(default_factory=dict)  # page -> printed number
    removed: list[tuple[Block, str]] = field(default_factory=list)


def clean(blocks: Sequence[Block]) -> Cleaned:
    """Takes furniture out. Documents without pages lose only stray page numbers and links back to the contents."""
    pages: dict[int, list[Block]] = defaultdict(list)
    for block in blocks:
        pages[block.page or 0].append(block)
    why: dict[int, str] = {}
    labels: dict[int, str] = {}
    if len(pages) > 1:
        _Margins(pages, why, labels).mark()
    for block in blocks:
        if id(block) not in why and BACK_LINK.match(block.text) and block.links and len(block.text) < 60:
            why[id(block)] = "link back to the contents"
    kept = [b for b in blocks if id(b) not in why]
    return Cleaned(kept, labels, [(b, why[id(b)]) for b in blocks if id(b) in why])


class _Margins:
    """The edges of all pages looked at together."""

    def __init__(self, pages: dict[int, list[Block]], why: dict[int, str], labels: dict[int, str]) -> None:
        self.pages, self.why, self.labels = pages, why, labels
        self.numbers = sorted(pages)
        self.signs = {id(b): signature(b) for near in pages.values() for b in near if len(b.text) <= LONGEST}
        self.repeats = {edge: self._count(edge) for edge in (0, -1)}
        self.inside, self.body_looks = self._inside()

    def mark(self) -> None:
        """Marks from the edge inwards, as long as what is met is furniture."""
        for edge in (-1, 0):
            looks = self._running_looks(edge)
            counted: set[int] = set()  # pages that have shown their number at this edge
            for page in self.numbers:
                for block in self._edge(page, edge):
                    reason = self._reason(block, edge, page, looks)
                    numbered = NUMBER.match(block.text) is not None and not block.edge
                    if reason is None or (numbered and page in counted):
                        break
                    self.why[id(block)] = reason
                    if numbered:
                        counted.add(page)
        self._give_back()
        self._read_labels()

    def _give_back(self) -> None:
        """The first of a running header's repeats is the heading itself, where no other block says the same."""
        firsts: dict[str, Block] = {}
        kept: set[str] = set()
        for page in reversed(self.numbers):
            for block in reversed(self.pages[page]):
                words = _title_words(block.text)
                if not words:
                    continue
                if id(block) in self.why:
                    firsts[words] = block
                elif not block.links:  # an entry of the contents is no heading
                    kept.add(words)
        for words, block in firsts.items():
            if words not in kept:
                del self.why[id(block)]
                block.edge = ""

    def _edge(self, page: int, edge: int) -> list[Block]:
        """Up to REACH blocks of a page from its top (0) or bottom (-1), outermost first, those already marked left out."""
        blocks = [b for b in self.pages[page] if id(b) not in self.why]
        return blocks[:REACH] if edge == 0 else blocks[: -REACH - 1 : -1]

    def _count(self, edge: int) -> Counter[str]:
        seen: Counter[str] = Counter()
        for page in self.numbers:
            seen.update({self.signs[id(b)] for b in self._edge(page, edge) if b.kind != "table" and len(b.text) <= LONGEST})
        return seen

    def _inside(self) -> tuple[Counter[str], Counter[tuple[object, ...]]]:
        """How often a text, and a look, stands away from the edges, where the same words are content."""
        seen: Counter[str] = Counter()
        looks: Counter[tuple[object, ...]] = Counter()
        for page in self.numbers:
            middle = self.pages[page][REACH:-REACH]
            seen.update(self.signs[id(b)] for b in middle if len(b.text) <= LONGEST)
            looks.update(look(b) for b in middle)
        return seen, looks

    def _running_looks(self, edge: int) -> dict[int, set[tuple[object, ...]]]:
        """Looks (size, weight, place) that the n-th block from this edge has on most pages, short each time: a running header's."""
        out: dict[int, set[tuple[object, ...]]] = {}
        edges = {page: self._edge(page, edge) for page in self.numbers}
        for n in range(REACH):
            looks: Counter[tuple[object, ...]] = Counter()
            texts: dict[tuple[object, ...], set[str]] = defaultdict(set)
            for page in self.numbers:
                near = edges[page]
                if len(near) > n and len(near[n].text) <= 120 and near[n].kind != "table":
                    looks[look(near[n])] += 1
                    texts[look(near[n])].add(self.signs[id(near[n])])
            common = {k for k, c in looks.items() if c >= 4 and c >= 0.5 * len(self.numbers) and len(texts[k]) <= 0.5 * c}
            out[n] = {k for k in common if self.body_looks[k] < 0.2 * looks[k]}
        return out

    def _reason(self, block: Block, edge: int, page: int, looks: dict[int, set[tuple[object, ...]]]) -> str | None:
        text = block.text
        if block.kind == "table" or len(text) > LONGEST:
            return None
        if block.edge:
            return f"in the page's {block.edge} box"
        if NUMBER.match(text) and self._is_page_number(text):
            return "page number"
        if BACK_LINK.match(text) and len(text) < 60:
            return "link back to the contents" if block.links or self.repeats[edge][self.signs[id(block)]] >= 3 else None
        sign = self.signs[id(block)]
        times = self.repeats[edge][sign]
        if times >= 3 and times >= 0.05 * len(self.numbers) and self.inside[sign] <= 0.34 * times and not _is_content(block):
            return f"stands at the edge of {times} pages"
        if edge == -1 and times >= 3 and NOTES_BELOW.match(text):
            return "refers to the notes below each statement"
        position = next((n for n, b in enumerate(self.pages[page] if edge == 0 else self.pages[page][::-1]) if b is block), REACH)
        named = times >= 2 or LABELLED.match(text) is not None
        if named and look(block) in looks.get(position, ()):
            return "looks like the running header of most pages"
        return None

    def _is_page_number(self, text: str) -> bool:
        found = NUMBER.match(text)
        if found is None:
            return False
        return not found[1].isalpha() or found[1].islower()

    def _read_labels(self) -> None:
        for page in self.numbers:
            for block in reversed(self.pages[page]):
                if id(block) in self.why and page not in self.labels:
                    label = page_label(block.text)
                    if label:
                        self.labels[page] = label


def _title_words(text: str) -> str:
    """What a heading says, for comparison: an item's number alone, else the letters without "(continued)"; "" for what is no heading."""
    if len(text) > LONGEST:
        return ""
    item = ITEM_WORDS.match(text)
    if item:
        return "item" + item[1].lower()
    return re.sub(r"[^a-z0-9]", "", re.sub(r"\(?continued\)?", "", text.lower())) if TITLES.match(text) else ""


def page_label(text: str) -> str | None:
    """The printed page number in a footer: "2023 Annual Report 5" -> "5"."""
    found = NUMBER.match(text) or NUMBER_AT_END.search(text) or NUMBER_AT_START.search(text)
    return found[1] if found else None


def signature(block: Block) -> str:
    """A text with its page number blotted out, and its size and weight: a running header repeats a heading's words in other type."""
    text = block.text.casefold()
    text = PAGE_DIGITS.sub("#", text) if DIGIT.search(text) else text
    return text + _type(block.style.size, block.style.bold > 0.5)


@lru_cache(maxsize=1_000)
def _type(size: float, bold: bool) -> str:
    return f"|{size:g}|{bold:d}"


def look(block: Block) -> tuple[object, ...]:
    """What a reader sees of a block at a glance."""
    s = block.style
    return s.size, s.bold > 0.5, s.italic > 0.5, s.underline > 0.5, s.align, block.row_of is not None, block.text.isupper()


def _is_content(block: Block) -> bool:
    """Repeated lines that belong to statements, not to pages: scale notes, signatures, "(continued)" tables' titles stay."""
    return bool(re.match(r"^\(?(?:in|dollars|amounts|\$)\b.{0,80}(?:million|thousand|billion|except|amounts)", block.text, re.IGNORECASE))
