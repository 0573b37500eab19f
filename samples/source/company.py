"""What a sample report needs to know of its company and period, and how a figure is named and found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from books import CONCEPTS, INSTANT, Figures

SEGMENT_AXIS = "us-gaap:StatementBusinessSegmentsAxis"
PLACE_AXIS = "srt:StatementGeographicalAxis"


@dataclass(frozen=True)
class Period:
    """A reporting period; `before` is the one that its balance grew from, `last` the one that it is compared with."""

    name: str
    start: str
    end: str
    before: str | None
    last: str | None


@dataclass(frozen=True)
class Company:
    """An invented company: who it is, and its books."""

    name: str
    legal: str
    cik: int
    ticker: str
    prefix: str
    exchange: str
    state: str
    state_name: str
    tax_id: str
    file_number: str
    street: str
    city: str
    zip_code: str
    phone: tuple[str, str]
    sic: str
    industry: str
    year_end: str  # "0930"
    members: Mapping[str, tuple[str, str, str]]  # figure name's ending -> axis, member, label
    labels: Mapping[str, str]
    periods: Mapping[str, Period]
    books: Mapping[str, Figures]
    facts: Mapping[str, str] = field(default_factory=dict)  # free texts of the template

    def value(self, name: str, period: str) -> int | float:
        """A figure in thousands; earnings a share in dollars."""
        f = self.books[period]
        if name in ("eps", "eps_diluted"):
            return round(f["net"] / f["shares" if name == "eps" else "shares_diluted"] + 1e-9, 2)
        return f[name]

    def concept(self, name: str) -> str:
        return CONCEPTS["sales" if name.startswith("geo.") else name.partition(".")[0]]

    def dimensions(self, name: str) -> tuple[tuple[str, str], ...]:
        ending = name.partition(".")[2]
        if not ending:
            return ()
        axis, member, _ = self.members[ending]
        return ((axis, member),)

    def label(self, name: str) -> str:
        ending = name.partition(".")[2]
        return self.members[ending][2] if ending else self.labels[name]

    def span(self, name: str, period: str) -> tuple[str | None, str]:
        """Start (None for an instant) and end."""
        p = self.periods[period]
        return (None if name.partition(".")[0] in INSTANT else p.start), p.end
