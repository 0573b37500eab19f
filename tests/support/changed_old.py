"""Filings of today written as those of the 1990s were: HTML 3.2 in capitals, and plain text with <PAGE> marks."""

from __future__ import annotations

import html as entities
import re
import textwrap
from collections.abc import Iterator

from lxml import etree

BREAK = re.compile(r"(?:page-)?break-(before|after)\s*:\s*(?:always|page)", re.IGNORECASE)
BOLD = re.compile(r"font-weight\s*:\s*(?:bold|[6-9]00)")
ITALIC, UNDERLINE = re.compile(r"font-style\s*:\s*italic"), re.compile(r"text-decoration[^;]*underline")
SIZE = re.compile(r"font-size\s*:\s*([\d.]+)pt")
ALIGN = re.compile(r"text-align\s*:\s*(center|right)")
LEFT_OUT = frozenset({"ix:header", "script", "style", "head", "title"})
KEPT = frozenset({"body", "table", "tr", "td", "th", "br", "hr", "a", "p", "div", "ul", "ol", "li"})
BLOCKS = frozenset({"div", "p", "table", "tr", "li", "hr", "ul", "ol", "h1", "h2", "h3", "h4"})
WIDTH, LABEL, FIGURE = 78, 48, 13  # characters of a line, of a row's label, of a column


def tree_of(page: str) -> etree._Element:
    source = re.sub(r"^\s*<\?xml[^>]*\?>", "", page)
    return etree.fromstring(source.encode(), etree.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True))


def style_of(element: etree._Element) -> str:
    return (element.get("style") or "").lower()


def gone(element: etree._Element) -> bool:
    return not isinstance(element.tag, str) or element.tag in LEFT_OUT or "display:none" in style_of(element).replace(" ", "")


def html_32(page: str) -> str:
    """Without style sheets, ids of tags and inline XBRL."""
    body = tree_of(page).find("body")
    assert body is not None
    return "<HTML>\n" + "".join(_old(body)) + "\n</HTML>\n"


def _old(element: etree._Element) -> Iterator[str]:
    style = style_of(element)
    found = BREAK.search(style)
    if found and found[1] == "before":
        yield "\n<HR>\n"
    marks = _marks(style)
    tag = element.tag.upper() if element.tag in KEPT else ""
    if tag:
        yield f"<{tag}{_attributes(element, style)}>"
    yield "".join(f"<{mark}>" for mark in marks)
    yield entities.escape(element.text or "", quote=False)
    for child in element:
        if not gone(child):
            yield from _old(child)
        yield entities.escape(child.tail or "", quote=False)
    yield "".join(f"</{mark.split()[0]}>" for mark in reversed(marks))
    if tag and tag not in ("BR", "HR"):
        yield f"</{tag}>"
    if found and found[1] == "after":
        yield "\n<HR>\n"


def _marks(style: str) -> list[str]:
    size = SIZE.search(style)
    points = float(size[1]) if size else 0.0
    font = [f"FONT SIZE={1 if points < 9 else 2 if points < 12 else 4}"] if points else []
    return [*font, *(tag for tag, sign in (("B", BOLD), ("I", ITALIC), ("U", UNDERLINE)) if sign.search(style))]


def _attributes(element: etree._Element, style: str) -> str:
    align = ALIGN.search(style)
    out = f" ALIGN={align[1].upper()}" if align else ""
    for name in ("colspan", "rowspan", "href", "name"):
        value = element.get(name)
        out += f' {name.upper()}="{value}"' if value else ""
    if element.get("id") and element.tag in ("div", "p", "a"):
        out += f' ID="{element.get("id")}"'
    return out


def plain_text(page: str) -> str:
    """Paragraphs of 78 characters, tables on a grid between <TABLE> marks, <PAGE> at page breaks."""
    lines: list[str] = []
    words: list[str] = []
    body = tree_of(page).find("body")
    assert body is not None
    _text(body, lines, words)
    _paragraph(lines, words)
    return "\n".join(lines) + "\n"


def _text(element: etree._Element, lines: list[str], words: list[str]) -> None:
    found = BREAK.search(style_of(element))
    if found and found[1] == "before":
        _paragraph(lines, words)
        lines.append("<PAGE>")
    block = element.tag in BLOCKS
    if block:
        _paragraph(lines, words)
    if element.tag == "table":
        lines.extend(_table(element))
    else:
        words.append(element.text or "")
        for child in element:
            if child.tag == "br":
                words.append("\n")
            elif not gone(child):
                _text(child, lines, words)
            words.append(child.tail or "")
    if block:
        _paragraph(lines, words)
    if found and found[1] == "after":
        lines.append("<PAGE>")


def _paragraph(lines: list[str], words: list[str]) -> None:
    for text in "".join(words).split("\n"):
        if text.split():
            lines.extend(textwrap.wrap(" ".join(text.split()), WIDTH, break_long_words=False, break_on_hyphens=False))
    if words and "".join(words).split():
        lines.append("")
    words.clear()


def _table(table: etree._Element) -> Iterator[str]:
    rows = [[" ".join("".join(cell.itertext()).split()) for cell in row if cell.tag in ("td", "th")] for row in table.iter("tr")]
    filled = [[c for c in row if c] for row in rows]
    if not any(len(row) > 1 and len(row[-1]) <= FIGURE for row in filled) or any(len(c) > 200 for row in filled for c in row):
        for row in filled:
            yield from textwrap.wrap("  ".join(row), WIDTH)
        yield ""
        return
    yield "<TABLE>"
    for row in filled:
        label, figures = ("", row) if row and re.fullmatch(r"[\d$(]\S*", row[0]) else ("".join(row[:1]), row[1:])
        *above, last = textwrap.wrap(label, LABEL) or [""]
        yield from above
        yield f"{last:<{LABEL}}" + "".join(_signs(figures))
    yield "</TABLE>"
    yield ""


def _signs(figures: list[str]) -> Iterator[str]:
    """Signs that have cells of their own stand beside their figures again."""
    joined = re.sub("(?<=[$(])\0|\0(?=[)%])", "", "\0".join(figures)).split("\0")
    for text in joined:
        yield f"{text:>{FIGURE}}" if len(text) < FIGURE else "  " + text
