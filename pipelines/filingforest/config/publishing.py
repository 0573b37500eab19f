"""Settings of what a publication is checked against, how its segments are laid out, and what is kept: `[publish]`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class PublishSettings:
    """What a publication is checked against, and how long old ones are kept."""

    keep_last: int = 10
    keep_days: int = 30
    grace_hours: float = 24.0
    max_missing_share: float = 0.2
    max_lost_share: float = 0.5
    segment_floor: int = 20_000  # units; see publish/layout.py for these
    segment_ratio: int = 4
    segment_dead_share: float = 0.2
    segment_ceiling: int = 2_000_000


def wrong_publish(chosen: PublishSettings) -> Iterator[tuple[bool, str]]:
    """Whether each bound is broken, and what to say then."""
    for name in ("max_missing_share", "max_lost_share"):
        yield not 0 <= getattr(chosen, name) <= 1, f"publish.{name} is a share between 0 and 1"
    yield min(chosen.keep_last, chosen.keep_days, chosen.grace_hours) < 0, "publish.keep_last, keep_days and grace_hours are 0 or more"
    yield not 0 <= chosen.segment_dead_share < 1, "publish.segment_dead_share is a share below 1"
    yield chosen.segment_floor < 1, "publish.segment_floor must be at least 1 unit"
    yield chosen.segment_ratio < 2, "publish.segment_ratio must be at least 2"
