"""What `filingforest doctor` finds, as one shape for all that it looks at."""

from __future__ import annotations

from dataclasses import dataclass

OK, WARN, BAD = "ok", "warn", "bad"


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    name: str
    level: str
    detail: str
    remedy: str = ""
