"""Real filings made over as other filers would have written them: what items they hold must not change.

Each change is a function of a page's markup. `python -m tests.support.changed_html CHANGE FILE...` parses the changed pages and prints a
line of JSON each, as `filingforest parse --items` does, so that a check may judge them by the gold of the unchanged ones.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

from lxml import etree

from tests.support.changed_old import html_32, plain_text

BREAKS = re.compile(r"(?:page-)?break-(?:before|after)\s*:\s*(?:always|page|left|right)\s*;?", re.IGNORECASE)
LOOKS = re.compile(r"(?:font(?:-weight|-size|-style)?|text-decoration)\s*:[^;\"']*;?", re.IGNORECASE)
LOOK_TAGS = re.compile(r"</?(?:b|strong|i|em|u|h[1-6])(?:\s[^<>]*)?>", re.IGNORECASE)
SPACE = r"(?:\s|&#160;|&nbsp;|\xa0)"
WORD = re.compile(rf"\b(I)(tem|TEM)(?={SPACE}+\d)")
STOP = re.compile(rf"(\bItem{SPACE}+\d{{1,2}}[A-C]?)\.", re.IGNORECASE)
ITEM = re.compile(r"^\W*(items?\s+\d{1,2}[a-c]?[.:]?)\s+(?=\S)", re.IGNORECASE)
STYLE = re.compile(r'style="([^"]*)"')
REGISTRANT = re.compile(r'<ix:nonnumeric[^>]*name="dei:EntityRegistrantName"[^>]*>(.*?)</ix:nonnumeric>', re.IGNORECASE | re.DOTALL)
OTHER_NAME = "Quillmark"


def tree_of(html: str) -> etree._Element:
    source = re.sub(r"^\s*<\?xml[^>]*\?>", "", html)
    return etree.fromstring(source.encode(), etree.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True))


def written(tree: etree._Element) -> str:
    return etree.tostring(tree, encoding="unicode", method="html")


def no_contents(html: str) -> str:
    """Tables of the first third that list items are taken out."""
    tree = tree_of(html)
    tables = list(tree.iter("table"))
    for table in tables[: len(tables) // 3]:
        text = "".join(table.itertext())
        if len(re.findall(r"items?\s*\d", text, re.IGNORECASE)) >= 8 and len(text) < 12_000:
            tail = table.tail
            table.clear()
            table.tail = tail
    return written(tree)


def nested(html: str) -> str:
    """Every paragraph lies six boxes deep."""
    return re.sub(r"</div\s*>", "</div></div></div></div></div></div>", re.sub(r"<div\b", "<div><div><div><div><div><div", html))


def headings_in_tables(html: str) -> str:
    """A heading that starts with its item's label is a table: the label in one cell, the title in the next."""
    tree = tree_of(html)
    for block in list(tree.iter("div", "p")):
        text = " ".join("".join(block.itertext()).split())
        found = ITEM.match(text)
        if not found or len(text) > 160 or any(isinstance(e.tag, str) and e.tag in ("div", "p", "table") for e in block.iterdescendants()):
            continue
        tail, style = block.tail, next((e.get("style") for e in block.iter() if "font-weight" in (e.get("style") or "")), "")
        block.clear()
        block.tail = tail
        row = etree.SubElement(etree.SubElement(block, "table"), "tr")
        for piece in (text[: found.end()].strip(), text[found.end() :]):
            cell = etree.SubElement(etree.SubElement(row, "td"), "span", style=style or "")
            cell.text = piece
    return written(tree)


def classes(html: str) -> str:
    """Looks come from a style sheet."""
    names: dict[str, str] = {}
    page = STYLE.sub(lambda m: f'class="{names.setdefault(m[1], f"c{len(names)}")}"', html)
    sheet = "".join(f".{name}{{{style}}}\n" for style, name in names.items())
    return re.sub(r"(<body\b[^>]*>)", rf"<style>{sheet}</style>\1".replace("\\", "\\\\").replace(r"\\1", r"\1"), page, count=1)


def renamed(text: str, old: str, new: str) -> str:
    """`old` as `new` in any case."""
    same = {old: new, old.upper(): new.upper(), old.lower(): new.lower()}
    return re.sub("|".join(sorted(map(re.escape, same), reverse=True)), lambda m: same[m[0]], text)


def name_of(html: str) -> str:
    """The telling word of the registrant's name."""
    found = REGISTRANT.search(html)
    words = re.findall(r"[A-Za-z]{4,}", re.sub(r"<[^>]*>", "", found[1])) if found else []
    return next((w.capitalize() for w in words if w.lower() not in ("the", "company", "corporation")), "Registrant")


CHANGES: dict[str, Callable[[str], str]] = {
    "as it is": lambda html: html,
    "no page breaks": lambda html: BREAKS.sub("", html),
    "no contents": no_contents,
    "no bold or sizes": lambda html: LOOK_TAGS.sub("", STYLE.sub(lambda m: f'style="{LOOKS.sub("", m[1])}"', html)),
    "Item split over spans": lambda html: WORD.sub(r"<span>\1</span><span>\2</span>", html),
    "a dash for the full stop": lambda html: STOP.sub(r"\1 &#8211;", html),
    "nested boxes": nested,
    "headings in tables": headings_in_tables,
    "style sheet": classes,
    "HTML 3.2": html_32,
    "plain text": plain_text,
}


def main(arguments: list[str]) -> int:
    from filingforest.parse import parse_document
    from filingforest.parse.model import DocumentHint

    change, *paths = arguments
    for path in map(Path, paths):
        data = path.read_bytes()
        html = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8", "replace")
        own = name_of(html)
        changed = renamed(html, own, OTHER_NAME) if change == "another name" else CHANGES[change](html)
        hint = DocumentHint("folder:x", name="x.txt" if change == "plain text" else "x.htm", form="10-K")
        items = parse_document(changed.encode(), hint, items_only=True).items
        line = json.dumps({"items": [{"item": i.item, "text": i.text, "covers": i.covers} for i in items]})
        print(renamed(line, OTHER_NAME, own) if change == "another name" else line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
