"""Puts paragraphs together again that a page break cut in two, and never neighbours that only stand side by side."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from filingforest.parse.blocks import Block
from filingforest.parse.layout import joined
from filingforest.parse.looks import Body, strength
from filingforest.parse.places import united
from filingforest.parse.tables import merge_continued

ENDS = re.compile(r"[.!?:;][\"'”’)\]]*$|(?<!\d)[.!?][\"'”’)\]]*\d{1,2}$")  # a footnote's number may follow, a decimal is no end
HYPHEN = re.compile(r"[a-z]-$")
OPEN_END = re.compile(
    r"(?:,|\b(?:the|of|and|or|to|in|for|with|by|on|at|from|as|that|our|its|their|a|an|is|are|was|were|be|which|than|its|we|including|will|not|may|has|have))$",
    re.I,
)
STARTS_NEW = re.compile(
    r"^(?:[•●○◦▪■□–—*-]\s|\(?(?:[a-z]|\d{1,2}|[ivx]{1,4})[.)]\s|\([ivx]+\)\s|note\s+\d|item\s+\d|part\s+[iv])", re.IGNORECASE
)


def join_pages(blocks: Sequence[Block], body: Body) -> list[Block]:
    """Blocks with page-split paragraphs rejoined, marks moved along."""
    out: list[Block] = []
    for block in blocks:
        last = out[-1] if out else None
        if last is not None and _one_paragraph(last, block, body):
            whole = joined([last, block], None, spread=False)
            whole.page, whole.page_end = last.page, block.page_end if block.page_end is not None else block.page
            whole.kind, whole.style, whole.cells, whole.row_of = last.kind, last.style, last.cells, last.row_of
            out[-1] = whole
        else:
            out.append(block)
    return out


def join_tables(blocks: Sequence[Block]) -> list[Block]:
    """Blocks with tables made one that go on on the next page."""
    out: list[Block] = []
    for block in blocks:
        last = out[-1] if out else None
        if last is not None and last.table is not None and block.table is not None and _next_page(last, block):
            merged = merge_continued(last.table, block.table)
            if merged is not None:
                plain = f"{last.plain}\n{block.plain}"
                out[-1] = replace(
                    last,
                    text=merged.text,
                    table=merged,
                    plain=plain,
                    span=united([last, block]),
                    page_end=block.page,
                    anchors=last.anchors + block.anchors,
                )
                continue
        out.append(block)
    return out


def _next_page(a: Block, b: Block) -> bool:
    page = _last_page(a)
    return page is not None and b.page == page + 1


def _last_page(block: Block) -> int | None:
    return block.page_end if block.page_end is not None else block.page


def _one_paragraph(a: Block, b: Block, body: Body) -> bool:
    page, following = _last_page(a), b.page
    if page is None or following is None or following == page or following - page > 2:
        return False
    if a.kind not in ("text", "list") or b.kind != "text" or a.level or b.level or b.anchors:
        return False
    if b.row_of is not None or (a.row_of is not None and a.kind != "list"):
        return False
    if ENDS.search(a.text) or STARTS_NEW.match(b.text) or len(a.text) < 25:
        return False
    if strength(b, body) >= 1.5 or (strength(a, body) >= 1.5 and len(a.text) < 120):
        return False
    if abs(a.style.bold - b.style.bold) > 0.6 or (a.style.size and b.style.size and abs(a.style.size - b.style.size) > 1):
        return False
    first = b.text[0]
    if first.islower() or OPEN_END.search(a.text) or HYPHEN.search(a.text):
        return True
    return len(a.text) >= 80 and len(b.text) >= 40 and a.kind == "text" and (first.isalnum() or first in '$(“"')
