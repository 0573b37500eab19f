"""Tables that only arrange text: lists of items with pages, headings in cells, bullets beside their text, columns of paragraphs."""

from __future__ import annotations

import re

from filingforest.parse.blocks import Block, Style
from filingforest.parse.elements import Element
from filingforest.parse.paragraph import BULLET
from filingforest.parse.places import united

ITEM_ROW = re.compile(r"items?\s*(?:no\.?\s*)?\d", re.IGNORECASE)
# titles that stand together only where a form's items are listed, with their numbers or without the word "Item"
TITLES = (
    "risk factors", "unresolved staff comments", "cybersecurity", "properties", "legal proceedings", "mine safety disclosures",
    "executive compensation", "controls and procedures", "other information", "selected financial data",
)  # fmt: skip
LABEL_CHARS = 60  # a cell no longer than this is a label beside the text to its right


def is_index_table(table: Element) -> bool:
    """A table whose rows are entries of a table of contents, a cross-reference index or headings, so that its rows are read as text."""
    links: list[Element] = []
    head = table.string(links, "a")
    if len(head) < 400 and ITEM_ROW.search(head[:120]) and len(_filled_rows(table)) <= 2:
        return True
    items = len(ITEM_ROW.findall(head[:20_000])) or _titles(head[:20_000])
    if not items and not (links and "#" in _target(links[0])):
        return False
    rows = len(_filled_rows(table))
    linked = sum(any(_target(e).startswith("#") for e in row.iter()) for row in table.iter() if row.tag == "tr")
    return (items >= 3 and items >= 0.25 * rows) or (items == 2 and rows <= 4) or (linked >= 3 and linked >= 0.5 * rows)


def _titles(text: str) -> int:
    """How many different items the table names by their titles; 0 where they are too few to be a list of items."""
    low = text.lower()
    named = sum(title in low for title in TITLES)
    return named if named >= 3 else 0


def _filled_rows(table: Element) -> list[Element]:
    return [e for e in table.iter() if e.tag == "tr" and e.string().strip(" \t\r\n")]


def _target(element: Element) -> str:
    """Where a link leads to, "" for what is no link."""
    return element.attrib.get("href", "") if element.tag == "a" else ""


def row_blocks(cells: list[list[Block]], table: int) -> list[Block]:
    """The blocks of one row of a layout table: one line where every cell is short, else the cells one after the other."""
    if not cells:
        return []
    if len(cells) == 1:
        for block in cells[0]:
            if block.row_of is None:
                block.row_of, block.cells = table, (block.text,)
        return cells[0]
    *labels, body = cells
    if any(b.kind == "table" for cell in cells for b in cell):
        return [b for cell in cells for b in cell]
    short = all(len(cell) == 1 and len(cell[0].text) <= LABEL_CHARS for cell in labels)
    if short or all(len(cell) == 1 for cell in cells):
        return [joined([cell[0] for cell in cells], table), *body[1:]]
    if sum(len(b.text) for cell in cells for b in cell) <= 400:
        merged = [joined(cell, table, spread=False) if len(cell) > 1 else cell[0] for cell in cells]
        return [joined(merged, table)]
    return [b for cell in cells for b in cell]


def joined(parts: list[Block], table: int | None, spread: bool = True) -> Block:
    """Several blocks as one line of text, marks moved along."""
    first = parts[0]
    text, marks, breaks = "", [], []
    for part in parts:
        shift = len(text) + 1 if text else 0
        text = f"{text} {part.text}" if text else part.text
        marks += [(a + shift, b + shift, e) for a, b, e in part.marks]
        breaks += [x + shift for x in part.breaks]
    weight = [max(1, len(p.text)) for p in parts]
    share = [
        sum(w * v for w, v in zip(weight, values, strict=True)) / sum(weight)
        for values in zip(*[_shares(p.style) for p in parts], strict=True)
    ]
    main = max(parts, key=lambda p: len(p.text)).style
    lead = _lead(parts)
    style = Style(share[0], share[1], share[2], main.size, main.align, first.style.indent, lead)
    anchors = tuple(a for p in parts for a in p.anchors)
    links = tuple(a for p in parts for a in p.links)
    kind = first.kind if len(parts) == 1 else "list" if first.kind == "list" or BULLET.match(text) else "text"
    cells = tuple(p.text for p in parts) if spread else ()
    return Block(
        text, first.page, kind, style, first.level, cells=cells, anchors=anchors, links=links, marks=marks, row_of=table,
        edge=first.edge, breaks=tuple(breaks), span=united(parts),
    )  # fmt: skip


def _shares(style: Style) -> tuple[float, float, float]:
    return style.bold, style.italic, style.underline


def _lead(parts: list[Block]) -> int:
    lead = 0
    for i, part in enumerate(parts):
        if i:
            lead += 1
        lead += part.style.lead
        if part.style.lead < len(part.text):
            break
    return lead
