"""Reads `<pre>` text within a page: there the columns of a table are places in a line, as in the plain-text filings of the 1990s."""

from __future__ import annotations

import re

from filingforest.parse.blocks import Block
from filingforest.parse.elements import Element
from filingforest.parse.plain import read_plain

MIN_LINES = 3
_PRE = re.compile(r"(<pre\b[^<>]*>)(.*?)(</pre\s*>|\Z)", re.IGNORECASE | re.DOTALL)
_MARK = re.compile(r"<(/?(?:TABLE|CAPTION|S|C|PAGE|FN|F\d+))>", re.IGNORECASE)
_COLUMN_MARKS = ("<S>", "<C>", "<s>", "<c>")


def keep_marks(source: str) -> str:
    """A page with the marks that `<pre>` text has from EDGAR's plain text (`<TABLE>`, `<S>`, `<C>`) as text: no HTML parser knows them."""
    if not any(mark in source for mark in _COLUMN_MARKS):
        return source
    return _PRE.sub(lambda m: m[1] + _MARK.sub(r"&lt;\1&gt;", m[2]) + m[3], source)


def pre_blocks(element: Element) -> list[Block] | None:
    """The blocks of a `<pre>` element, tables among them, pages from 0; None where it is a line or two, or carries inline XBRL."""
    text = element.string()
    if text.strip("\n").count("\n") + 1 < MIN_LINES or any(":" in e.tag for e in element.iter()):
        return None
    blocks = read_plain(text)
    for block in blocks:
        block.span = None  # a place in this element is no place in the document
    return blocks
