"""Reads a filing's HTML of any age in one pass: paragraphs with their looks, tables handed to the table reader, page breaks, anchors."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from filingforest.parse.blocks import Block
from filingforest.parse.build import build_document
from filingforest.parse.facts import FactBook
from filingforest.parse.html_looks import Looks
from filingforest.parse.html_tables import data_table, rows_of
from filingforest.parse.layout import row_blocks
from filingforest.parse.markup import tree_of
from filingforest.parse.model import DocumentHint, Parsed
from filingforest.parse.paragraph import Paragraph
from filingforest.parse.pretables import pre_blocks
from filingforest.parse.styles import Effect, Look
from filingforest.text import normalise

SKIPPED = frozenset({"script", "style", "head", "ix:header", "ix:hidden", "noscript", "template", "object", "xml", "title"})
MARKED = frozenset({"ix:nonfraction", "ix:nonnumeric", "ix:fraction"})
MAX_NESTED_TABLES = 20
Element = Any


def parse_html(text: str, hint: DocumentHint, explain: bool = False) -> Parsed:
    """A decoded HTML page, parsed."""
    tree = tree_of(text)
    book = FactBook.collect(tree)
    reader = HtmlReader(tree, book)
    blocks = reader.read()
    return build_document(blocks, hint, book if book else None, explain=explain, warnings=reader.warnings)


class HtmlReader:
    """Walks a tree into blocks. One reader a document; `blocks` is complete after `read`."""

    def __init__(self, tree: Element, book: FactBook | None = None) -> None:
        self.tree, self.book = tree, book
        self.blocks: list[Block] = []
        self.page = 0
        self.warnings: list[str] = []
        self._looks = Looks(tree)
        self._targets = {h[1:] for h in tree.xpath("//a/@href[starts-with(., '#')]")}
        self._pending: list[str] = []
        self._page_open = False  # something was written since the last page break
        self._row_tables = 0
        self._nested = 0

    def read(self) -> list[Block]:
        """All blocks in reading order."""
        body = self.tree.find("body") if self.tree.tag == "html" else self.tree
        self._walk(self.tree if body is None else body, Effect(Look(), True, below=self._looks.inside(Look())), self.blocks)
        return self.blocks

    # -- walking -----------------------------------------------------------------------------------------------

    def _walk(self, root: Element, outer: Effect, out: list[Block], edge: str = "") -> None:
        """Explicit stack: old filings nest thousands deep where a tag was never closed."""
        para = Paragraph(out)
        stack: list[tuple[Element, Iterator[Element], Effect, str, int]] = []
        read = self._read(root, outer)
        effect = read[0]
        self._enter(root.tag, len(root) > 0, read, para, "")
        stack.append((root, iter(root), effect, edge, -1))
        if root.text:
            para.add(root.text, effect.look)
        while stack:
            element, children, effect, edge, mark = stack[-1]
            child = next(children, None)
            if child is None:
                stack.pop()
                self._leave(element, effect, para, edge, mark)
                if stack and element.tail:
                    para.add(element.tail, stack[-1][2].look)
                continue
            tag = child.tag
            if not isinstance(tag, str) or tag in SKIPPED:
                if child.tail:
                    para.add(child.tail, effect.look)
                continue
            read = self._read(child, effect)
            inner = read[0]
            if inner.hidden:
                if child.tail:
                    para.add(child.tail, effect.look)
                continue
            if tag == "br":
                if para.line_break():
                    self._flush(para, edge)
                if child.tail:
                    para.add(child.tail, effect.look)
                if child.text or len(child):  # unclosed in XHTML
                    para.add("".join(child.itertext()), effect.look)
                continue
            self._enter(tag, len(child) > 0, read, para, edge)
            lines = pre_blocks(child) if tag == "pre" else None
            if tag == "table" or lines:
                if lines:
                    self._lines(lines, out, edge)
                else:
                    self._table(child, inner, out, edge)
                self._leave(child, inner, para, edge, -1)
                if child.tail:
                    para.add(child.tail, effect.look)
                continue
            start = para.mark(child) if tag in MARKED else -1
            stack.append((child, iter(child), inner, inner.edge or edge, start))
            if child.text:
                para.add(child.text, inner.look)
        self._flush(para, edge)

    def _read(self, element: Element, outer: Effect) -> tuple[Effect, list[str], str]:
        """An element's effect inside `outer`, the anchors that it sets, and where it links to on this page."""
        tag = element.tag
        style = align = size = names = None
        anchors: list[str] = []
        href = ""
        for name, value in element.items():  # one call for all attributes: each costs a third of that
            if name == "style":
                style = value
            elif name == "class":
                names = value
            elif name == "align":
                align = value
            elif name == "size":
                size = value
            elif name in ("id", "name"):
                if value in self._targets:
                    anchors.append(value)
            elif name == "href" and tag == "a" and value.startswith("#"):
                href = value
        key = (tag, style, align, size, names)
        found = outer.below.get(key)
        if found is None:
            found = outer.below[key] = self._looks.effect(key, outer.look)
        return found, anchors, href

    def _enter(self, tag: str, filled: bool, read: tuple[Effect, list[str], str], para: Paragraph, edge: str) -> None:
        effect, anchors, href = read
        if effect.page_before:
            self._flush(para, edge)
            self._break()
        if effect.block:
            self._flush(para, edge)
            if tag == "li" and filled:
                para.bullet = True
            elif len(tag) == 2 and tag[0] == "h" and tag[1].isdigit():
                para.level = int(tag[1])
        if anchors:
            self._pending += anchors
        if href:
            para.links.append(href)

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
        result = data_table(table, self.book, out, self.warnings) if not edge else None
        if isinstance(result, Block):
            self._emit(result, out, edge)
            return
        if self._nested >= MAX_NESTED_TABLES:
            text = normalise("".join(table.itertext()))
            if text:
                self._emit(Block(text, kind="error"), out, edge)
            return
        self._row_tables += 1
        number = self._row_tables
        self._nested += 1
        for row in rows_of(table):
            row_effect = self._read(row, effect)[0]
            if row_effect.hidden:
                continue
            if row_effect.page_before:
                self._break()
            cells: list[list[Block]] = []
            for cell in row:
                if not isinstance(cell.tag, str) or cell.tag not in ("td", "th"):
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
