"""Which years and quarters a question asks for: "fiscal 2024", "FY18", "Q2 2023", "2019 to 2021", "three years ended 2023"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from filingforest.query.words import fold

_YEAR = r"(?:19[5-9]\d|20\d\d)"
_FISCAL = r"(?:\b(?:fy|fiscal\s+years?|fiscal|financial\s+year|full[- ]year|year[- ]end(?:ed)?)\s*(?:ended\s*)?'?)"
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4}
_RANGE = re.compile(
    rf"({_FISCAL}?\s*'?({_YEAR}))\s*(?:-|\u2013|\u2014|to|through|thru|until|and\s+through)\s*(?:{_FISCAL}?\s*'?({_YEAR}|\d\d))\b", re.I
)
_ONE = re.compile(rf"(?P<fiscal>{_FISCAL})(?P<year>{_YEAR}|\d\d)\b|(?<![\d$.,/-])\b(?P<bare>{_YEAR})\b(?![\d,]*\d)(?!\.\d|%)", re.I)
_QUARTER = re.compile(
    rf"\b(?:q([1-4])|([1-4])q|(first|second|third|fourth|1st|2nd|3rd|4th)[\s-]+(?:fiscal\s+)?quarter)\b(?:\s*(?:of\s+)?(?:fiscal\s+(?:year\s+)?)?'?({_YEAR}|\d\d))?"
    rf"|\b(?:([1-4])q|q([1-4]))'?((?:20)?\d\d)\b",
    re.I,
)
_NOT_A_YEAR = re.compile(r"^\s*(?:million|billion|thousand|shares|employees|stores|percent|units|people|%)", re.I)
_LATEST = re.compile(
    r"\b(?:latest|most recent|last|current|this|past)\s+(?:fiscal\s+|financial\s+)?(?:year|annual|10-?k|report|filing|quarter)", re.I
)
_STANDARD = re.compile(r"\b(?:asu|no\.|section|sec\.|rule)\s*(?:no\.\s*)?\d{4}(?:-\d+)?", re.I)  # "ASU 2016-13" is no year
_LONGEST_RANGE = 15


@dataclass(frozen=True, slots=True)
class Periods:
    """Years ascending, quarters as Q1..Q4; `fiscal`: said to be fiscal years; `latest`: "the last year"; `span`: a range was asked for."""

    years: tuple[int, ...] = ()
    quarters: tuple[str, ...] = ()
    fiscal: bool = False
    latest: bool = False
    span: bool = False


def find_periods(question: str) -> Periods:
    """Reads years and quarters out of a question. Amounts ("2000 employees", "$2,023") are not years."""
    text = _STANDARD.sub(" ", fold(question))
    years: set[int] = set()
    quarters: set[str] = set()
    fiscal = False
    ranges = [_span(match) for match in _RANGE.finditer(text)]
    for start, end in ranges:
        years.update(range(start, end + 1))
    for quarter, year in _quarters(text):
        quarters.add(f"Q{quarter}")
        if year:
            years.add(year)
    for match in _ONE.finditer(text):
        if match["bare"] and _NOT_A_YEAR.match(text[match.end() :]):
            continue
        years.add(_full(match["bare"] or match["year"]))
        fiscal = fiscal or bool(match["fiscal"])
    return Periods(tuple(sorted(years)), tuple(sorted(quarters)), fiscal, bool(_LATEST.search(text)), any(a < b for a, b in ranges))


def _span(match: re.Match[str]) -> tuple[int, int]:
    start, end = int(match[2]), _full(match[3])
    return (start, end) if start <= end <= start + _LONGEST_RANGE else (start, start)


def _quarters(text: str) -> Iterator[tuple[int, int | None]]:
    for match in _QUARTER.finditer(text):
        ordinal = _ORDINALS.get((match[3] or "").lower())
        number = match[1] or match[2] or match[5] or match[6] or ordinal
        year = match[4] or match[7]
        yield int(number or 0), _full(year) if year else None


def _full(year: str) -> int:
    return int(year) if len(year) == 4 else int(year) + (1900 if int(year) > 60 else 2000)
