"""Markup to a tree, whatever its age and whatever was left open, within bounds."""

from __future__ import annotations

import re
from typing import Any

from lxml import etree

from filingforest.errors import EmptyDocument, TooLarge
from filingforest.parse.pretables import keep_marks

Element = Any
XML_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
FORMATTING = re.compile(r"</?(?:font|b|i|u|em|strong)\b[^<>]*>", re.IGNORECASE)


def tree_of(text: str) -> Element:
    """The lxml tree of a decoded page. Raises EmptyDocument, and TooLarge where elements are nested deeper than any filing's."""
    source = keep_marks(XML_DECLARATION.sub("", text))
    tree, deep = _parsed(source)
    if deep:  # a font tag that is never closed nests all that follows: the text matters more than its looks
        tree, deep = _parsed(FORMATTING.sub("", source))
    if deep:
        raise TooLarge(
            "elements are nested too deeply", stage="parse", remedy="look at the document: it is not a filing as EDGAR takes them"
        )
    if tree is None:
        raise EmptyDocument("no HTML elements in it", stage="parse")
    return tree


def _parsed(source: str) -> tuple[Element, bool]:
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True, no_network=True)
    try:
        tree = etree.fromstring(source.encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError:
        tree = None
    return tree, any("xcessive depth" in error.message for error in parser.error_log)
