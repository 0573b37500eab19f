"""Divides a whole document into regions: items, and the matter that belongs to none (cover, contents, signatures, exhibits)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from filingforest.parse.blocks import Block
from filingforest.parse.ends import EXHIBIT_INDEX
from filingforest.parse.items import FoundItem, Outline
from filingforest.parse.labels import read_part
from filingforest.parse.looks import Body, strength
from filingforest.parse.tree import Region

CONTENTS = re.compile(r"^\W*(?:table\s+of\s+contents|contents|index|page(?:\s+no\.?)?|.{0,40}cross.?reference.{0,20})\W*$", re.IGNORECASE)


def regions(blocks: Sequence[Block], outline: Outline, body: Body) -> list[Region]:
    """Regions over all blocks, in order, without gaps."""
    claimed: list[Region] = []
    for item in outline.items:
        for n, span in enumerate(item.spans):
            at = item.at if n == 0 and item.at is not None and item.at <= span.start else None
            claimed.append(Region(span.start, span.end, item, at, matter=item.told == []))
    claimed += [Region(s, e, item, matter=True) for item in outline.items for s, e in item.extra]
    claimed.sort(key=lambda r: r.heading_at if r.heading_at is not None else r.start)
    out: list[Region] = []
    at = 0
    for region in claimed:
        first = region.heading_at if region.heading_at is not None else region.start
        out += _outside(blocks, at, first, outline, body, bool(out))
        out.append(region)
        at = max(at, region.end)
    return out + _outside(blocks, at, len(blocks), outline, body, bool(out))


def _outside(blocks: Sequence[Block], start: int, end: int, outline: Outline, body: Body, after: bool) -> list[Region]:
    """What lies between items: lists of items apart from other matter."""
    out: list[Region] = []
    at = start
    for listing in sorted(outline.lists, key=lambda x: x.start):
        if start <= listing.start < end:
            head = listing.start
            while head > at and (CONTENTS.match(blocks[head - 1].text) or read_part(blocks[head - 1].text)):
                head -= 1
            out += _matter(blocks, at, head, outline, body, after)
            out.append(Region(head, min(listing.end, end), title="Table of contents", units=False))
            at = min(listing.end, end)
    return out + _matter(blocks, at, end, outline, body, after)


def _matter(blocks: Sequence[Block], start: int, end: int, outline: Outline, body: Body, after: bool) -> list[Region]:
    if start >= end:
        return []
    signed = outline.signatures
    if signed is not None and start <= signed < end:
        tail = Region(signed + 1, end, None, signed, "Signatures")
        parts = [_titled(blocks, start, signed, body, after)] if start < signed else []
        return [*parts, *_split_exhibits(blocks, tail)]
    return [_titled(blocks, start, end, body, after)]


def _titled(blocks: Sequence[Block], start: int, end: int, body: Body, after: bool) -> Region:
    """A region under its own first line, where that is a heading."""
    title = _title(blocks, start, end, body, after)
    own = title == blocks[start].text
    return Region(
        start + 1 if own else start, end, None, start if own else None, title, plain=start == 0 and not after and end < len(blocks)
    )


def _split_exhibits(blocks: Sequence[Block], region: Region) -> list[Region]:
    for i in range(region.start, region.end):
        if EXHIBIT_INDEX.match(blocks[i].text):
            return [replace(region, end=i), Region(i + 1, region.end, None, i, "Exhibit index")]
    return [region]


def _title(blocks: Sequence[Block], start: int, end: int, body: Body, after: bool) -> str:
    if not after and start == 0 and end < len(blocks):
        return "Cover page"
    first = blocks[start]
    if strength(first, body) >= 1.5 and len(first.text) < 120:
        return first.text
    return "Other matter"


def item_of(outline: Outline, code: str) -> FoundItem | None:
    """The item with this code."""
    return next((x for x in outline.items if x.code == code), None)
