"""Which publications show a unit: ranges of publication sequences, so that a night writes only what came or went.

A range stays open ([first, None]) while its unit stays, so an unchanged unit costs nothing, however many nights pass. It is closed
when a publication without the unit is loaded, and another one begins when the unit comes back. So after any history of loads, crashes
and rollbacks a unit's ranges contain the sequence of a publication exactly when that publication has it. One [first, last] pair could
not say "in 1, not in 2, again in 4", which is what a night after a rollback makes.

Three facts make this safe:

- Loading publication n changes what ranges say about n and later ones only, so no reader of an earlier publication can notice.
- A rollback writes nothing: its target's members are what they were.
- A load that was cut off, or lost its race, left traces beyond the last loaded publication only (`settled` wipes them).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Range = tuple[int, int | None]  # first, last; None: and all that follow
Ranges = tuple[Range, ...]


def settled(ranges: Ranges, base: int) -> Ranges:
    """The ranges as they were when publication `base` was the last one loaded: later traces are of loads that never counted."""
    kept = [(first, last if last is not None and last < base else None) for first, last in ranges if first <= base]
    return tuple(kept)


def loaded(ranges: Ranges, base: int, sequence: int, member: bool) -> Ranges:
    """The ranges after loading publication `sequence` on top of `base`; the same whether this was tried before or not."""
    before = settled(ranges, base)
    is_open = bool(before) and before[-1][1] is None
    if member and not is_open:
        return (*before, (sequence, None))
    if is_open and not member:
        return (*before[:-1], (before[-1][0], sequence - 1))
    return before


def shows(ranges: Ranges, sequence: int) -> bool:
    """Whether the publication of this sequence has the unit."""
    return any(first <= sequence and (last is None or sequence <= last) for first, last in ranges)


def to_source(ranges: Ranges) -> list[dict[str, int]]:
    """As the field `live` holds them."""
    return [{"gte": first} if last is None else {"gte": first, "lte": last} for first, last in ranges]


def from_source(value: Sequence[Mapping[str, int]] | Mapping[str, int] | None) -> Ranges:
    """The inverse of `to_source`."""
    listed = [value] if isinstance(value, Mapping) else (value or ())
    return tuple((int(item["gte"]), int(item["lte"]) if item.get("lte") is not None else None) for item in listed)
