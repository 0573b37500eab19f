"""Finds pages by the numbers printed at their feet, in documents whose markup marks no page breaks (HTML older than style sheets)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from filingforest.parse.blocks import Block
from filingforest.parse.furniture import NUMBER, page_label, signature

FEWEST = 5  # numbers in sequence that make pages
LONGEST = 100


def page_by_numbers(blocks: Sequence[Block]) -> list[Block]:
    """Blocks with pages counted by printed numbers that go up by one through the whole document; unchanged where there are none."""
    if len({block.page for block in blocks}) > 1:
        return list(blocks)
    feet = _feet(blocks)
    if not feet:
        return list(blocks)
    out, page = [], 0
    for i, block in enumerate(blocks):
        out.append(replace(block, page=page, edge="bottom" if i in feet and not NUMBER.match(block.text) else block.edge))
        page += i in feet
    return out


def _feet(blocks: Sequence[Block]) -> set[int]:
    """The longest run of numbers, each one more than the last, among short blocks that differ in their number only."""
    groups: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for i, block in enumerate(blocks):
        if len(block.text) > LONGEST or block.kind == "table" or block.row_of is not None:
            continue
        label = page_label(block.text)
        if label and label.isdigit():
            key = "#" if NUMBER.match(block.text) else signature(block)
            groups[key].append((i, int(label)))
    runs = {key: _run(group) for key, group in groups.items()}
    best = max(runs, key=lambda key: (len(runs[key]), key == "#"), default="")
    return set(runs[best]) if best and len(runs[best]) >= FEWEST else set()


def _run(places: Sequence[tuple[int, int]]) -> list[int]:
    """Blocks whose numbers count 1, 2, 3 ... (a number may be missing)."""
    out: list[int] = []
    last = 0
    for i, number in places:
        if (not out and number <= 3) or (out and 1 <= number - last <= 2):
            out.append(i)
            last = number
    return out
