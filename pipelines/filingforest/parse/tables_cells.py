"""What one cell of a table holds: a number with its sign and unit mark, a dash, a symbol that belongs to its neighbour, or words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TypeVar

from filingforest.parse.model import Fact

CURRENCY = r"(?:US\$|HK\$|NT\$|[ACRS]\$|[$€£¥₩₹]|RMB|USD|EUR|GBP|CHF|CAD|Rs\.?)"
_BEFORE = re.compile(rf"(?:{CURRENCY}|[(\[]|{CURRENCY}\s*[(\[]|[(\[]\s*{CURRENCY}|[-–—−+]\s*{CURRENCY})\Z")
_AFTER = re.compile(r"(?:%|[)\]]|[)\]]\s*%|%\s*[)\]]|x|bps|pts?\.?|pp|¢)\Z")
_DASH = re.compile(rf"(?:{CURRENCY})?\s*\(?\s*[-–—―‒−]{{1,3}}\s*\)?\s*%?\Z")
_MARKER = r"(?:\([a-zA-Z0-9]{1,2}\)|\[[a-zA-Z0-9]{1,2}\]|[*†‡§#]{1,3})"
_NUMBER = re.compile(
    rf"(?P<head>(?:{CURRENCY}|[(\[~<>≈±+\-–—−\s]){{0,6}})(?P<digits>\d[\d,]*(?:\.\d+)?|\.\d+)"
    rf"(?P<tail>\s*(?:[)\]%\s]|%|x\b|bps\b|pts?\b\.?|pp\b|¢|years?\b|months?\b|days?\b|hours?\b|thousand\b|million\b|billion\b){{0,4}})"
    rf"(?P<notes>(?:\s*,?\s*{_MARKER}){{0,4}})\Z"
)
_FOOTNOTE_ONLY = re.compile(rf"{_MARKER}(?:\s*,?\s*{_MARKER}){{0,3}}\Z")
_MARKERS = re.compile(_MARKER)
_TAIL_MARKERS = re.compile(rf"(?:\s*,?\s*{_MARKER}){{1,4}}\Z")
_CURRENCY = re.compile(CURRENCY)
_CODES = {"$": "USD", "US$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₩": "KRW", "₹": "INR", "RMB": "CNY", "HK$": "HKD", "NT$": "TWD",
          "C$": "CAD", "A$": "AUD", "R$": "BRL", "S$": "SGD", "Rs": "INR", "Rs.": "INR"}  # fmt: skip
_PLAIN = re.compile(
    r"(?:\d[\d,]{0,24}(?:\.\d{1,12})?|\(\d[\d,]{0,24}(?:\.\d{1,12})?\)?)\Z"
)  # most numbers; the full pattern is for the rest
T = TypeVar("T", bound=Hashable)
MARKER_ENDS = ")]*†‡§#"
MAX_NUMBER = 80  # characters: longer is prose, and never given to the number pattern


class Kind(IntEnum):
    TEXT = 0
    NUMBER = 1
    DASH = 2
    BEFORE = 3  # "$", "(": belongs to the next number
    AFTER = 4  # ")", "%": belongs to the number before
    NOTE = 5  # a footnote marker alone


_SYMBOLS: dict[str, tuple[Kind, str]] = {  # the commonest, for speed
    "$": (Kind.BEFORE, "USD"), "%": (Kind.AFTER, "%"), ")": (Kind.AFTER, ""), ")%": (Kind.AFTER, "%"),
    "—": (Kind.DASH, ""), "–": (Kind.DASH, ""), "-": (Kind.DASH, ""),
}  # fmt: skip


@dataclass(slots=True)
class Cell:
    """A filled cell: grid columns `start`..`end` (both included); `edge` is the right edge of the number itself.

    `written` is the right edge for a reader who ends a row span only where a later row reaches it (spreadsheets' import, some scripts).
    """

    start: int
    end: int
    text: str
    kind: Kind = Kind.TEXT
    value: float | None = None
    mark: str = ""  # "%", "USD", ...
    facts: list[Fact] = field(default_factory=list)
    fact: Fact | None = None  # the first of them that is a number
    notes: list[str] = field(default_factory=list)
    indent: float = 0.0
    bold: bool = False
    head: bool = False  # th, or in thead
    edge: int = 0
    written: int = 0
    row: int = 0
    scale: int = 0  # power of ten that a tagged number is written in

    @property
    def tagged(self) -> bool:
        """Whether a numeric fact stands in the cell."""
        return self.fact is not None

    @property
    def year_like(self) -> bool:
        """A bare 1900..2100: as likely a header or a label as an amount."""
        return (
            self.kind is Kind.NUMBER and not self.mark and len(self.text) == 4 and self.text.isdecimal() and 1900 <= int(self.text) <= 2100
        )

    @property
    def footnote_like(self) -> bool:
        """ "(1)": a negative amount or a footnote, which only its column can tell."""
        text = self.text
        return text[0] == "(" and len(text) <= 4 and self.kind is Kind.NUMBER and text[1:-1].isdecimal() and self.fact is None


def classify(cell: Cell, superscript: bool = False) -> Cell:
    """Sets kind, value, mark and notes from the cell's text; the currency sign leaves the text, "%" and "( )" stay in it."""
    text = cell.text
    cell.edge = cell.end
    for fact in cell.facts:
        if fact.unit is not None:
            cell.fact = fact
            break
    if superscript and len(text) <= 12 and not cell.facts:
        cell.kind, cell.notes = Kind.NOTE, [text]
        return cell
    known = _SYMBOLS.get(text)
    if known is not None:
        cell.kind, cell.mark = known
        if cell.kind is Kind.DASH:
            cell.value = 0.0 if cell.fact is not None else None
        return cell
    first = text[0]
    if (first == "(" or first.isdecimal()) and _PLAIN.match(text):
        cell.kind, cell.value = Kind.NUMBER, float(text.strip("()").replace(",", ""))
        if first == "(":
            cell.value = -cell.value
        return cell
    if len(text) > MAX_NUMBER:
        return cell
    if first.isalpha() and not _CURRENCY.match(text) and text != "x":
        _label_notes(cell)
        return cell
    if _BEFORE.match(text):
        cell.kind, cell.mark = Kind.BEFORE, _mark(text)
    elif _AFTER.match(text):
        cell.kind = Kind.AFTER
    elif _DASH.match(text):
        cell.kind, cell.mark = Kind.DASH, _mark(text)
        cell.value = 0.0 if cell.tagged else None
        cell.text = _CURRENCY.sub("", text).strip()
    else:
        _number(cell, text)
    return cell


def _number(cell: Cell, text: str) -> None:
    found = _NUMBER.match(text)
    if not found:
        if _FOOTNOTE_ONLY.match(text) and not cell.facts:
            cell.kind, cell.notes = Kind.NOTE, [text]
        else:
            _label_notes(cell)
        return
    digits = found["digits"].replace(",", "")
    if len(digits) > 40:
        return
    head, tail, notes = found["head"], found["tail"], found["notes"]
    cell.kind, cell.value = Kind.NUMBER, float(digits)
    if tail or notes:
        cell.mark = _mark(tail)
        cell.notes += _MARKERS.findall(notes)
    if head:
        cell.value = -cell.value if is_negative(head) else cell.value
        cell.mark = cell.mark or _mark(head)
        head = _CURRENCY.sub("", head).strip().replace(" ", "")
    cell.text = " ".join(filter(None, (head + found["digits"] + tail.rstrip(), notes.strip())))


def is_negative(head: str) -> bool:
    """Whether what stands before a number makes it negative: an opening bracket or a minus of any width."""
    return any(c in "([-–—−" for c in head)


def _mark(text: str) -> str:
    if "%" in text:
        return "%"
    found = _CURRENCY.search(text)
    return currency_code(found[0]) if found else ""


def currency_code(sign: str) -> str:
    """ "$" -> "USD"; a code is its own."""
    return _CODES.get(sign, sign)


def currency_in(text: str) -> str:
    """The code of the first currency sign in `text`, "" where there is none."""
    found = _CURRENCY.search(text)
    return currency_code(found[0]) if found else ""


def commonest(values: Sequence[T]) -> T:
    """The value that comes most often, the first of those that do; there is one at least."""
    first = values[0]
    return first if values.count(first) == len(values) else Counter(values).most_common(1)[0][0]


def _label_notes(cell: Cell) -> None:
    if cell.text[-1] not in MARKER_ENDS:
        return
    found = _TAIL_MARKERS.search(cell.text[-16:])
    if found:
        cell.notes += _MARKERS.findall(found[0])
