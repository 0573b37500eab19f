"""The numbers of a text by value, so that "$1.2 billion" and "1,200 million" are one and "1.2 million" is another.

A value is exact (4.0 billion is not 4,035 million); signs are not compared, since tables write losses in brackets.
Units are money by currency, percent, and none; number words count from two on ("one" is a pronoun too).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

SCALES = {
    "hundred": 2, "thousand": 3, "k": 3, "million": 6, "mn": 6, "mm": 6, "m": 6, "billion": 9, "bn": 9, "b": 9, "trillion": 12, "tn": 12,
    "万": 4, "百万": 6, "亿": 8,
}  # fmt: skip
CURRENCIES = {
    "$": "$", "us$": "$", "usd": "$", "dollar": "$", "€": "€", "eur": "€", "euro": "€", "£": "£", "gbp": "£", "pound": "£",
    "¥": "¥", "jpy": "¥", "yen": "¥", "rmb": "元", "cny": "元", "yuan": "元", "元": "元",
}  # fmt: skip
PERCENT = {"%", "percent", "per cent", "percentage point", "pct"}
WORDS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11,
    "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
    "twenty": 20,
}  # fmt: skip

_SPELT = "hundred|thousand|million|billion|trillion"
_SCALE = rf"(?:{_SPELT})s?|mn|mm|bn|tn|百万|万|亿"
_MONEY = r"u\.?s\.?\ dollars?|dollars?|euros?|pounds|yen|yuan|usd|eur|gbp|jpy|rmb|cny|元"
_NUMBER = re.compile(
    rf"""(?:(?P<before>us\$|[$€£¥]|\b(?:usd|eur|gbp|jpy|rmb|cny)\b)\s?\(?)?
    (?<![A-Za-z\d.])(?P<digits>\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)
    (?:\)?\s?-?(?P<scale>{_SCALE})(?![a-z])|(?P<letter>[kmb])(?![\w&]))?
    (?:\)?\s?-?(?P<after>%|percentage\ points?|per\ ?cent|pct|{_MONEY})(?![a-z]))?""",
    re.VERBOSE | re.IGNORECASE,
)
_WORD = re.compile(rf"\b(?P<word>one(?=[\s-](?:{_SPELT}))|{'|'.join(list(WORDS)[1:])})\b(?:[\s-](?P<scale>{_SPELT})s?\b)?", re.IGNORECASE)
_RANGE = re.compile(r"\s?(?:-|–|—|to|and|or)\s?[$€£¥]?\s?$", re.IGNORECASE)
_NOTE = re.compile(r"\bin (thousands|millions|billions)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Number:
    """A number as written, its place, its value (several where it can be read in several ways), and its unit: '$', '%', ... or ''."""

    text: str
    start: int
    values: frozenset[Decimal]
    unit: str = ""


def numbers(text: str) -> list[Number]:
    """All numbers of `text` in reading order."""
    found = [_number(match) for match in _NUMBER.finditer(text)]
    found += [_worded(match) for match in _WORD.finditer(text)]
    return _ranges(text, sorted(found, key=lambda number: number.start))


def scale_notes(text: str) -> frozenset[int]:
    """Powers of ten that a passage says its bare numbers stand in ("in millions")."""
    return frozenset(_power(match[1]) for match in _NOTE.finditer(text))


def supported(number: Number, among: list[Number], notes: frozenset[int] = frozenset()) -> bool:
    """Whether one of `among` has the same value and no other unit. Under a scale note a bare number is also read in that scale."""
    return any(_units(number.unit, other.unit) and number.values & _readings(other, notes) for other in among)


def _units(claimed: str, given: str) -> bool:
    """A sum of money may stand in a table without its sign; a percentage may not lose or gain its own."""
    return claimed == given or (given == "" and claimed != "%") or (claimed == "" and given != "%")


def _readings(number: Number, notes: frozenset[int]) -> frozenset[Decimal]:
    if number.unit == "%":
        return number.values
    return number.values | {value.scaleb(note) for value in number.values for note in notes}


def _number(match: re.Match[str]) -> Number:
    value = Decimal(match["digits"].replace(",", ""))
    unit = _unit(match["before"]) or _unit(match["after"])
    if scale := match["scale"] or match["letter"]:
        value = value.scaleb(_power(scale))
    start = match.start("before" if match["before"] else "digits")
    return Number(match.string[start : match.end()], start, frozenset({value}), unit)


def _worded(match: re.Match[str]) -> Number:
    value = Decimal(WORDS[match["word"].lower()])
    if match["scale"]:
        value = value.scaleb(_power(match["scale"]))
    return Number(match.group(), match.start(), frozenset({value}))


def _unit(text: str | None) -> str:
    plain = (text or "").lower().rpartition(" dollar")
    name = "dollar" if plain[1] else plain[2].removesuffix("s")
    return "%" if name in PERCENT else CURRENCIES.get(name, "")


def _power(scale: str) -> int:
    return SCALES[scale.lower().removesuffix("s")]


def _ranges(text: str, found: list[Number]) -> list[Number]:
    """The first number of "10 to 12 million" may be meant in the scale and unit of the second."""
    out = list(found)
    for place in range(len(found) - 1):
        first, second = found[place], found[place + 1]
        between = text[first.start + len(first.text) : second.start]
        if _RANGE.fullmatch(between) and (first.unit == second.unit or "" in (first.unit, second.unit)):
            powers = {power for name, power in SCALES.items() if re.search(rf"(?<![a-z]){name}s?(?![a-z])", second.text, re.IGNORECASE)}
            scaled = {value.scaleb(power) for value in first.values for power in powers}
            out[place] = Number(first.text, first.start, first.values | scaled, first.unit or second.unit)
    return out
