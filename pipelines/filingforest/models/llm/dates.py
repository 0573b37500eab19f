"""The dates of a text, whole: "September 2024" is not supported by a September and a 2024 that stand apart."""

from __future__ import annotations

import re
from dataclasses import dataclass

MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december")
_MONTH = "|".join(rf"{name}|{name[:3]}\.?" for name in MONTHS if name != "may") + r"|may|sept\.?"
_YEAR = r"(?:19|20)\d\d"
_DATE = re.compile(
    rf"""\b(?:(?P<m1>{_MONTH})\s(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s(?P<y1>{_YEAR}))?\b
    | (?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\s(?:of\s)?(?P<m2>{_MONTH})(?:,?\s(?P<y2>{_YEAR}))?\b
    | (?P<m3>{_MONTH})(?:\sof|,)?\s(?P<y3>{_YEAR})\b
    | (?P<y4>{_YEAR})-(?P<m4>\d{{1,2}})-(?P<d4>\d{{1,2}})\b
    | (?P<m5>\d{{1,2}})/(?P<d5>\d{{1,2}})/(?P<y5>{_YEAR}|\d\d)\b)
    | (?P<y6>{_YEAR})年(?:(?P<m6>\d{{1,2}})月)?(?:(?P<d6>\d{{1,2}})日)?""",
    re.VERBOSE | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Date:
    """A date as written; 0 stands for what it does not say."""

    text: str
    start: int
    year: int
    month: int
    day: int

    def within(self, other: Date) -> bool:
        """Whether `other` says all that this one says."""
        pairs = (self.year, other.year), (self.month, other.month), (self.day, other.day)
        return all(own in (0, given) for own, given in pairs)


def dates(text: str) -> list[Date]:
    """All dates of `text` that name a month, and whole CJK dates, in reading order. A bare year is a number."""
    return [_date(match) for match in _DATE.finditer(text)]


def _date(match: re.Match[str]) -> Date:
    parts = {name[0]: value for name, value in match.groupdict().items() if value}
    year = int(parts.get("y", 0))
    month = parts.get("m", "0")
    return Date(match.group(), match.start(), year + 2000 if 0 < year < 100 else year, _month(month), int(parts.get("d", 0)))


def _month(text: str) -> int:
    if text.isdigit():
        return int(text)
    return next(place for place, name in enumerate(MONTHS, 1) if name.startswith(text.lower()[:3]))
