"""Printed page numbers and the ranges of an index, as places in the body."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise

from filingforest.parse.index_rows import Entry
from filingforest.parse.items import FoundItem
from filingforest.parse.sections import Heading


@dataclass(slots=True)
class Place:
    """One page range of an item in the body: its first block, its last (None: until the next item), and how it was found."""

    entry: Entry
    start: int
    stop: int | None
    heading: Heading | None
    end: int = -1
    inside: FoundItem | None = None
    why: list[str] = field(default_factory=list)


def runs_of(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Neighbouring numbers as ranges [start, end)."""
    out: list[tuple[int, int]] = []
    for i in numbers:
        if out and out[-1][1] == i:
            out[-1] = (out[-1][0], i + 1)
        else:
            out.append((i, i + 1))
    return out


def printed_pages(labels: dict[int, str]) -> dict[str, int]:
    """Printed number -> page; gaps filled where neighbours agree on the difference."""
    out: dict[str, int] = {}
    for page, label in sorted(labels.items()):
        out.setdefault(label.upper().replace(" ", "-"), page)
    numbers = sorted((int(k), v) for k, v in out.items() if k.isdigit())
    for (n, page), (m, later) in pairwise(numbers):
        if m - n == later - page:
            out.update({str(n + k): page + k for k in range(1, m - n)})
    if numbers:
        n, page = numbers[0]
        out.update({str(n - k): page - k for k in range(1, n + 1) if page - k >= 0 and str(n - k) not in out})
    return out
