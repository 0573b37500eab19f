"""How documents are cut into segments: a function of the parent's segments and of the documents that are live now.

A log-structured merge: segments below a floor are merged with what is new, so that a small corpus is always one segment whatever came
in which order; larger ones stand in tiers, each `ratio` times the size of the one below, and a tier that has `ratio` of them is merged
into one. So a document is copied once a tier, and there are fewer than `ratio` segments a tier: their number grows with the logarithm of
the corpus. What was replaced or is gone is masked; a segment with too large a dead share is written again without it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from filingforest.manifest import SegmentEntry
from filingforest.publish.ledger import Placed
from filingforest.publish.receipts import ReceiptEntry


@dataclass(frozen=True)
class Limits:
    """Settings of `[publish]`: sizes in live units, `dead_share` of a segment's units."""

    floor: int = 20_000
    ratio: int = 4
    dead_share: float = 0.2
    ceiling: int = 2_000_000


@dataclass(frozen=True)
class Held:
    """A segment of the parent that can be used as it is. `live` are the documents that readers are to find in it.

    `tainted`: it holds a document that was taken down, and may not be kept.
    """

    entry: SegmentEntry
    placed: Sequence[Placed]
    live: frozenset[str] = frozenset()
    tainted: bool = False

    @property
    def units(self) -> int:
        """Live ones."""
        return sum(p.summary.units for p in self.placed if p.entry.doc_id in self.live)

    @property
    def dead(self) -> tuple[str, ...]:
        """Documents that are masked."""
        return tuple(sorted(p.entry.doc_id for p in self.placed if p.entry.doc_id not in self.live))

    def is_worn(self, limits: Limits) -> bool:
        """Whether so much of it is masked that it is to be written again."""
        total = sum(p.summary.units for p in self.placed)
        return self.tainted or not self.live or total - self.units > limits.dead_share * total or (bool(self.dead) and total == 0)


@dataclass(frozen=True)
class Layout:
    """`kept` stay as they are; of each of `merged` one segment is made. `new` (by its place) says which of them takes what is new in."""

    kept: tuple[Held, ...] = ()
    merged: tuple[tuple[Held, ...], ...] = ()
    new: int | None = None


@dataclass
class _Group:
    """A segment that is to be: of parts of the parent's, and of new documents."""

    units: int
    held: list[Held] = field(default_factory=list)
    new: bool = False
    made: bool = False  # it has to be written, if only to lose its dead

    @property
    def order(self) -> tuple[Any, ...]:
        return self.units, self.new, sorted(map(_id, self.held))


def claim(segments: Sequence[tuple[SegmentEntry, Sequence[Placed]]], live: Sequence[ReceiptEntry]) -> tuple[list[Held], list[ReceiptEntry]]:
    """Which live documents lie in which of the parent's segments already, and which are new. A document is live in one segment only:
    where the parent has it live, else in the first that has this outcome of it (a rollback brought it back).
    """
    wanted = {entry.doc_id: outcome(entry) for entry in live}
    homes: dict[str, int] = {}
    for pass_over_dead in (True, False):
        for number, (entry, placed) in enumerate(segments):
            dead = set(entry.dead) if pass_over_dead else ()
            for p in placed:
                if p.entry.doc_id not in dead and wanted.get(p.entry.doc_id) == outcome(p.entry):
                    homes.setdefault(p.entry.doc_id, number)
    mine: list[set[str]] = [set() for _ in segments]
    for doc_id, number in homes.items():
        mine[number].add(doc_id)
    held = [Held(entry, placed, frozenset(ids)) for (entry, placed), ids in zip(segments, mine, strict=True)]
    return held, [entry for entry in live if entry.doc_id not in homes]


def plan(held: Sequence[Held], new_units: int | None, limits: Limits) -> Layout:
    """What becomes of the parent's segments when `new_units` come in (None: nothing new)."""
    used = [h for h in held if h.live]
    small = [h for h in used if h.units < limits.floor]
    groups = [_Group(h.units, [h], made=h.is_worn(limits)) for h in used if h.units >= limits.floor]
    if new_units is not None or len(small) > 1 or any(h.dead for h in small):
        groups.append(_Group(sum(h.units for h in small) + (new_units or 0), small, new_units is not None, made=True))
    else:
        groups += [_Group(h.units, [h]) for h in small]
    return _layout(_compacted([group for group in groups if group.held or group.new], limits))


def outcome(entry: ReceiptEntry) -> tuple[str, Mapping[str, str]]:
    """What makes two entries of one document the same: its bytes and what the stages made of them."""
    return entry.doc_version, dict(entry.stages)


def _compacted(groups: list[_Group], limits: Limits) -> list[_Group]:
    """Merges tiers from the smallest up until none is full."""
    tier = 0
    while tier <= max((_tier(group.units, limits) for group in groups), default=0):
        full = sorted((g for g in groups if _tier(g.units, limits) == tier), key=lambda g: g.order)
        total = sum(group.units for group in full)
        if len(full) >= limits.ratio and total <= limits.ceiling:
            groups = [group for group in groups if group not in full]
            groups.append(_Group(total, [h for g in full for h in g.held], any(g.new for g in full), made=True))
        tier += 1
    return groups


def _tier(units: int, limits: Limits) -> int:
    """-1 below the floor."""
    return -1 if units < limits.floor else int(math.log(units / limits.floor + 1e-9, limits.ratio))


def _layout(groups: Sequence[_Group]) -> Layout:
    ordered = sorted(groups, key=lambda group: group.order, reverse=True)
    kept = tuple(group.held[0] for group in ordered if not group.made)
    merged = [group for group in ordered if group.made]
    place = next((i for i, group in enumerate(merged) if group.new), None)
    return Layout(kept, tuple(tuple(sorted(group.held, key=_id)) for group in merged), place)


def _id(held: Held) -> str:
    return held.entry.id
