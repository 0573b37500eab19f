"""Markup to elements, whatever its age and whatever was left open, within bounds."""

from __future__ import annotations

import re
from typing import Any

from lxml import etree

from filingforest.errors import EmptyDocument, TooLarge
from filingforest.parse.elements import Page, TooDeep, TreeMaker
from filingforest.parse.pretables import keep_marks
from filingforest.parse.sheets import apply_sheets

XML_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
FORMATTING = re.compile(r"</?(?:font|b|i|u|em|strong)\b[^<>]*>", re.IGNORECASE)


def page_of(text: str) -> Page:
    """The elements of a decoded page, with what its style sheets say in their `style`.

    Raises EmptyDocument, and TooLarge where elements are nested deeper than any filing's.
    """
    source = keep_marks(XML_DECLARATION.sub("", text))
    try:
        page = _parsed(source)
    except TooDeep:  # a font tag that is never closed nests all that follows: the text matters more than its looks
        page = _shallow(FORMATTING.sub("", source))
    if page is None:
        raise EmptyDocument("no HTML elements in it", stage="parse")
    apply_sheets(page)
    return page


def _shallow(source: str) -> Page | None:
    try:
        return _parsed(source)
    except TooDeep:
        remedy = "look at the document: it is not a filing as EDGAR takes them"
        raise TooLarge("elements are nested too deeply", stage="parse", remedy=remedy) from None


def _parsed(source: str) -> Page | None:
    target: Any = TreeMaker()
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, no_network=True, target=target)
    try:
        page: Any = etree.fromstring(source.encode("utf-8", "replace"), parser)  # with a target: what its `close` gives
    except etree.XMLSyntaxError:
        return None
    return page if isinstance(page, Page) else None
