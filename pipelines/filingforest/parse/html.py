"""Reads a filing's HTML of any age in one pass: paragraphs with their looks, tables handed to the table reader, page breaks, anchors."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from filingforest.parse.blocks import Block
from filingforest.parse.build import build_document
from filingforest.parse.elements import Element, Page
from filingforest.parse.facts import FactBook
from filingforest.parse.html_looks import Looks
from filingforest.parse.html_tables import data_table, rows_of
from filingforest.parse.layout import row_blocks
from filingforest.parse.markup import page_of
from filingforest.parse.model import DocumentHint, Parsed
from filingforest.parse.paragraph import Paragraph
from filingforest.parse.pretables import pre_blocks
from filingforest.parse.styles import Effect, Look
from filingforest.text import normalise

SKIPPED = frozenset({"script", "style", "head", "ix:header", "ix:hidden", "noscript", "template", "object", "xml", "title"})
MARKED = frozenset({"ix:nonfraction", "ix:nonnumeric", "ix:fraction"})
MAX_NESTED_TABLES = 20
HIDDEN = Effect(Look(), False, hidden=True)


def parse_html(text: str, hint: DocumentHint, explain: bool = False, items_only: bool = False) -> Parsed:
    """A decoded HTML page, parsed."""
    page = page_of(text)
    book = FactBook.collect(page, items_only=items_only)
    reader = HtmlReader(page, book, items_only)
    blocks = reader.read()
    return build_document(blocks, hint, book if book else None, explain=explain, items_only=items_only, warnings=reader.warnings)


class HtmlReader:
    """Walks a page into blocks. One reader a document; `blocks` is complete after `read`."""

    def __init__(self, page: Page, book: FactBook | None = None, items_only: bool = False) -> None:
        self.root, self.book, self.items_only = page.root, book, items_only
        self.blocks: list[Block] = []
        self.page = 0
        self.warnings: list[str] = []
        self._looks = Looks()
        links = [e.attrib.get("href", "") for e in page.named if e.tag == "a"]
        self._targets = {h[1:] for h in links if h.startswith("#")}
        self._pending: list[str] = []
        self._page_open = False  # something was written since the last page break
        self._row_tables = 0
        self._nested = 0

    def read(self) -> list[Block]:
        """All blocks in reading order."""
        body = next((e for e in self.root if e.tag == "body"), self.root) if self.root.tag == "html" else self.root
        self._walk(body, Effect(Look(), True, below=self._looks.inside(Look())), self.blocks)
        return self.blocks

    # -- walking -----------------------------------------------------------------------------------------------

    def _walk(self, root: Element, outer: Effect, out: list[Block], edge: str = "") -> None:
        """Explicit stack: old filings nest thousands deep where a tag was never closed."""
        para = Paragraph(out)
        effect = self._effect(root, outer)
        self._enter(root, effect, para, "")
        stack: list[tuple[Element, Iterator[Element], Effect, str, int]] = [(root, iter(root), effect, edge, -1)]
        if root.text:
            para.add(root.text, effect.look)
        while stack:
            element, children, effect, edge, mark = stack[-1]
            for child in children:
                inner = HIDDEN if child.tag in SKIPPED else self._effect(child, effect)
                if not inner.hidden and self._opens(child, inner, para, edge, effect):
                    start = para.mark() if child.tag in MARKED else -1
                    stack.append((child, iter(child), inner, inner.edge or edge, start))
                    if child.text:
                        para.add(child.text, inner.look)
                    break
                if child.tail:
                    para.add(child.tail, effect.look)
            else:
                stack.pop()
                if mark >= 0 or not effect.inline:
                    self._leave(element, effect, para, edge, mark)
                if stack and element.tail:
                    para.add(element.tail, stack[-1][2].look)
        self._flush(para, edge)

    def _effect(self, element: Element, outer: Effect) -> Effect:
        """What an element does inside `outer`. Elements that look alike share their attributes, which live as long as the page."""
        tag, attrib = element.tag, element.attrib
        met = (tag, id(attrib))
        found = outer.met.get(met)
        if found is None:
            get = attrib.get
            key = (tag, get("style"), get("align"), get("size"))
            found = outer.below.get(key)
            if found is None:
                found = outer.below[key] = self._looks.effect(key, outer.look)
            outer.met[met] = found
        return found

    def _opens(self, child: Element, inner: Effect, para: Paragraph, edge: str, outer: Effect) -> bool:
        """Begins an element, True where the walk goes on inside it; False where all of it has been read."""
        tag = child.tag
        if tag == "br":
            self._line_break(child, para, edge, outer)
            return False
        if child.attrib or not inner.inline:
            self._enter(child, inner, para, edge)
        if tag != "table" and tag != "pre":
            return True
        lines = pre_blocks(child) if tag == "pre" else None
        if tag == "pre" and not lines:
            return True
        if lines:
            self._lines(lines, para.out, edge)
        else:
            self._table(child, inner, para.out, edge)
        self._leave(child, inner, para, edge, -1)
        return False

    def _line_break(self, br: Element, para: Paragraph, edge: str, outer: Effect) -> None:
        if para.line_break():
            self._flush(para, edge)
        if br.text or len(br):  # unclosed in XHTML
            para.add(br.string(), outer.look)

    def _enter(self, element: Element, effect: Effect, para: Paragraph, edge: str) -> None:
        if effect.page_before:
            self._flush(para, edge)
            self._break()
        tag, get = element.tag, element.attrib.get
        if effect.block:
            self._flush(para, edge)
            if tag == "li" and len(element):
                para.bullet = True
            elif len(tag) == 2 and tag[0] == "h" and tag[1].isdigit():
                para.level = int(tag[1])
        self._pending += [x for x in (get("id"), get("name")) if x in self._targets]
        if tag == "a" and get("href", "").startswith("#"):
            para.links.append(get("href", ""))

    def _leave(self, element: Element, effect: Effect, para: Paragraph, edge: str, mark: int) -> None:
        if mark >= 0:
            para.close_mark(mark, element)
        if effect.block:
            self._flush(para, edge)
            para.level = None
            if element.tag == "hr" and not effect.page_after and _printed_page(self.blocks):
                self._break()
        elif element.tag == "td":
            para.space()
        if effect.page_after:
            self._flush(para, edge)
            self._break()

    def _flush(self, para: Paragraph, edge: str) -> None:
        if para.size:
            block = para.take()
            if block is not None:
                self._emit(block, para.out, edge)
        para.broken = False

    def _emit(self, block: Block, out: list[Block], edge: str) -> None:
        block.page, block.edge = self.page, edge
        if self._pending:
            block.anchors = tuple(self._pending)
            self._pending.clear()
        self._page_open = True
        out.append(block)

    def _break(self) -> None:
        if self._page_open:
            self.page += 1
            self._page_open = False

    def _lines(self, blocks: Sequence[Block], out: list[Block], edge: str) -> None:
        """Emits what was read from `<pre>`; a form feed in it is a page break."""
        page = 0
        for block in blocks:
            if (block.page or 0) > page:
                page = block.page or 0
                self._break()
            self._emit(block, out, edge)

    # -- tables ------------------------------------------------------------------------------------------------

    def _table(self, table: Element, effect: Effect, out: list[Block], edge: str) -> None:
        result = data_table(table, self.book, out, self.warnings, self.items_only) if not edge else None
        if isinstance(result, Block):
            self._emit(result, out, edge)
            return
        if self._nested >= MAX_NESTED_TABLES:
            text = normalise(table.string())
            if text:
                self._emit(Block(text, kind="error"), out, edge)
            return
        self._row_tables += 1
        number = self._row_tables
        self._nested += 1
        for row in rows_of(table):
            row_effect = self._effect(row, effect)
            if row_effect.hidden:
                continue
            if row_effect.page_before:
                self._break()
            cells: list[list[Block]] = []
            for cell in row:
                if cell.tag not in ("td", "th"):
                    continue
                inside: list[Block] = []
                self._walk(cell, row_effect, inside, edge)
                if inside:
                    cells.append(inside)
            out.extend(row_blocks(cells, number))
            if row_effect.page_after:
                self._break()
        self._nested -= 1


PAGE_NUMBER = re.compile(r"^\W*(?:page\s*)?(?:[A-Z]{1,2}-)?\d{1,3}\W*$|^[ivx]{1,6}$", re.IGNORECASE)


def _printed_page(blocks: Sequence[Block]) -> bool:
    """A rule under a page number is a page's end in filings older than style sheets."""
    return bool(blocks) and PAGE_NUMBER.match(blocks[-1].text) is not None
