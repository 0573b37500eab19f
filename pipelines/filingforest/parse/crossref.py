"""Filers whose body follows an order of their own: an index gives each item's pages, the body gives the text."""

from __future__ import annotations

from collections.abc import Sequence

from filingforest.parse.blocks import Block
from filingforest.parse.forms import Form
from filingforest.parse.items import Outline
from filingforest.parse.looks import Body


def is_cross_referenced(outline: Outline, form: Form) -> bool:
    """The body has hardly any item headings, an index has many items with pages."""
    listed = {c for x in outline.lists if x.pages for c in x.codes}
    found = {c for x in outline.items for c in x.covers}
    return len(listed) >= 4 and len(found & listed) < 0.4 * len(listed)


def find_by_pages(blocks: Sequence[Block], outline: Outline, form: Form, body: Body, labels: dict[int, str]) -> Outline:
    return outline
