"""A day's or quarter's index as filings: one broken line costs that line, named with its reason, and never the day.

Format (SEC, "Using EDGAR - Research Filings", master index): `CIK|Company Name|Form Type|Date Filed|File Name` below a dashed line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime

HEADER = "CIK|Company Name|Form Type|Date Filed|File Name"
PATH = re.compile(r"edgar/data/(\d{1,10})/(\d{10}-\d{2}-\d{6})\.txt")
FIRST_YEAR = 1993


@dataclass(frozen=True, slots=True)
class Entry:
    """One filing as an index lists it. `ciks` are all its filers (a joint filing has a line each), the first line's first."""

    accession: str
    form: str
    company: str
    filed_at: str  # ISO date
    ciks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Skipped:
    """A line that could not be used; `line` counts from 1."""

    line: int
    text: str
    reason: str


def index_path(day: date) -> str:
    """Where a day's master index lies, below the base address."""
    return f"/Archives/edgar/daily-index/{day.year}/QTR{(day.month + 2) // 3}/master.{day:%Y%m%d}.idx"


def is_index(content: bytes) -> bool:
    """Whether these bytes are a master index at all, and not a page that says something else."""
    return HEADER.encode() in content[:4096]


def decode(content: bytes) -> str:
    """UTF-8 where it is, else Windows-1252 with the five bytes that it leaves open replaced: old indexes are Latin-1."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")


def read_index(content: bytes) -> tuple[list[Entry], list[Skipped]]:
    """All filings in the index's order, joint filings once, and the lines that were skipped."""
    found: dict[str, Entry] = {}
    skipped: list[Skipped] = []
    lines = decode(content).splitlines()
    for number, line in enumerate(lines[_start(lines) :], _start(lines) + 1):
        if not line.strip():
            continue
        try:
            entry = read_line(line)
        except ValueError as e:
            skipped.append(Skipped(number, line[:200], str(e)))
            continue
        known = found.get(entry.accession)
        found[entry.accession] = _joined(known, entry.ciks) if known else entry
    return list(found.values()), skipped


def read_line(line: str) -> Entry:
    """One line of five fields. Raises ValueError with the reason."""
    fields = [field.strip() for field in line.split("|")]
    if len(fields) != 5:
        raise ValueError(f"{len(fields)} fields instead of 5")
    cik, company, form, filed, path = fields
    if not (cik.isascii() and cik.isdigit() and int(cik)):
        raise ValueError(f"CIK {cik!r} is not a number")
    if not form:
        raise ValueError("no form type")
    place = PATH.fullmatch(path)
    if not place:
        raise ValueError(f"file name {path!r} is not edgar/data/CIK/ACCESSION.txt")
    return Entry(place[2], form.upper(), company, read_date(filed), (str(int(cik)),))


def read_date(text: str) -> str:
    """ISO date from 20240131 or 2024-01-31. Raises ValueError."""
    if not re.fullmatch(r"\d{8}|\d{4}-\d{2}-\d{2}", text, re.ASCII):
        raise ValueError(f"date {text!r} is neither YYYYMMDD nor YYYY-MM-DD")
    try:
        day = datetime.strptime(text.replace("-", ""), "%Y%m%d").date()
    except ValueError:
        raise ValueError(f"date {text!r} does not exist") from None
    if day.year < FIRST_YEAR:
        raise ValueError(f"date {text!r} is before EDGAR began")
    return day.isoformat()


def _joined(entry: Entry, more: Iterable[str]) -> Entry:
    return Entry(entry.accession, entry.form, entry.company, entry.filed_at, tuple(dict.fromkeys([*entry.ciks, *more])))


def _start(lines: list[str]) -> int:
    """The place of the first line below the heading and its dashes."""
    heading = next((place for place, line in enumerate(lines) if line.strip() == HEADER), -1)
    dashes = lines[heading + 1 : heading + 2]
    return heading + (2 if dashes and dashes[0].startswith("---") else 1)
