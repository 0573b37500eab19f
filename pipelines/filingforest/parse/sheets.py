"""A page's own style sheets, written into its elements: whoever reads a look, of text or of a table, needs to know of no classes."""

from __future__ import annotations

import re

from filingforest.parse.elements import Page

CSS_RULE = re.compile(r"([a-z0-9]*)\.([\w-]+)\s*\{([^{}]*)\}", re.IGNORECASE)
LONGEST_SHEET = 200_000  # characters
LONGEST_STYLE = 1_000  # of what one class says


def apply_sheets(page: Page) -> None:
    """Gives each element with a class the declarations of its classes before its own `style`, which wins."""
    rules = style_sheet(page)
    if not rules:
        return
    known: dict[int, tuple[dict[str, str], dict[str, str]]] = {}  # elements that look alike go on sharing their attributes
    for element in page.root.iter():
        attrib = element.attrib
        if "class" in attrib:
            if id(attrib) not in known:
                said = [rules[name] for name in attrib["class"].lower().split() if name in rules]
                whole = ";".join([*said, attrib.get("style", "")])
                known[id(attrib)] = attrib, {**attrib, "style": whole} if said else attrib
            element.attrib = known[id(attrib)][1]


def style_sheet(page: Page) -> dict[str, str]:
    """Class -> its declarations, from the page's own sheets; what comes later wins."""
    rules: dict[str, str] = {}
    for sheet in page.named:
        if sheet.tag == "style":
            for m in CSS_RULE.finditer((sheet.text or "")[:LONGEST_SHEET]):
                name, said = m[2].lower(), m[3].strip()[:LONGEST_STYLE]
                rules[name] = f"{rules[name]};{said}" if name in rules else said
    return rules
