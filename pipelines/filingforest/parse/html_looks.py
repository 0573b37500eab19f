"""What each element of a page does to the text in it, worked out once a distinct look: filings repeat few of them ten thousand times."""

from __future__ import annotations

import re

from filingforest.parse.elements import Page
from filingforest.parse.styles import Effect, Look, declarations, effect_of

CSS_RULE = re.compile(r"([a-z0-9]*)\.([\w-]+)\s*\{([^{}]*)\}", re.IGNORECASE)
LONGEST_SHEET = 200_000  # characters
Key = tuple[str, str | None, str | None, str | None, str | None]


class Looks:
    """The effects of a document's elements, with its style sheets' classes."""

    def __init__(self, page: Page) -> None:
        self.sheet = style_sheet(page)
        self._inside: dict[Look, dict[Key, Effect]] = {}

    def inside(self, look: Look) -> dict[Key, Effect]:
        """The effects known so far inside this look."""
        return self._inside.setdefault(look, {})

    def effect(self, key: Key, parent: Look) -> Effect:
        """What an element of this tag, style, align, size and class does inside `parent`."""
        tag, style, align, size, names = key
        css: dict[str, str] = {}
        for name in (names or "").split():
            css.update(self.sheet.get(name.lower(), {}))
        css.update(declarations(style) if style else {})
        attributes = {k: v for k, v in (("align", align), ("size", size)) if v}
        found = effect_of(tag, css, attributes, parent)
        found.below = self.inside(found.look)
        return found


def style_sheet(page: Page) -> dict[str, dict[str, str]]:
    """Class -> its declarations, from the page's own sheets."""
    rules: dict[str, dict[str, str]] = {}
    for sheet in page.named:
        if sheet.tag == "style":
            for m in CSS_RULE.finditer((sheet.text or "")[:LONGEST_SHEET]):
                rules.setdefault(m[2].lower(), {}).update(declarations(m[3]))
    return rules
