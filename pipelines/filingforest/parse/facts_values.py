"""Turns what a reader sees ("$1.2", "five years", "☒") into the value that was tagged, so that facts can be compared and added."""

from __future__ import annotations

import re
from decimal import Context, Decimal, InvalidOperation
from functools import lru_cache

from filingforest.parse import facts_formats as formats

MAX_DIGITS = 60  # more is not an amount; also bounds what a hostile `scale` can write out
MAX_SCALE = 40
_WIDE = Context(prec=2 * MAX_DIGITS + MAX_SCALE)
_DIGITS = re.compile(r"\d+")
_DATE_PARTS = re.compile(r"^date((?:day|month|year)+)([a-z]{2,3})?$")
_DATE_TOKENS = re.compile(r"\d+|[^\W\d_]+")
_WORDS = re.compile(r"[a-z]+|\d+(?:\.\d+)?")
_SPACES = re.compile(r"\s+")


def transform(fmt: str | None, text: str) -> str | None:
    """The canonical text of `text` under the format `fmt` (a QName or None); None where the text does not fit the format."""
    text = text.strip()
    if not fmt:
        return text
    name = _format_name(fmt)
    if name in formats.FIXED:
        return formats.FIXED[name]
    if name in formats.NUMBERS:
        return _number(text, *formats.NUMBERS[name])
    if name in formats.UNIT_NUMBERS:
        amounts = _DIGITS.findall(text.replace(",", ""))
        return f"{amounts[0]}.{amounts[1]:0>2}" if len(amounts) == 2 else None
    if name.startswith("date"):
        return _date(name, text)
    if name.startswith("dur"):
        return _duration(name, text)
    return _named(name, text)


@lru_cache(maxsize=1_000)
def _format_name(fmt: str) -> str:
    """ "ixt:num-dot-decimal" -> "numdotdecimal"."""
    return fmt.rpartition(":")[2].lower().replace("-", "")


def decimal_text(canonical: str | None, scale: int, negative: bool) -> str | None:
    """Exact decimal text with sign and scale applied, without exponent; None where `canonical` is not a number or out of bounds."""
    if not canonical or len(canonical) > MAX_DIGITS or abs(scale) > MAX_SCALE:
        return None
    if scale >= 0 and canonical.isdecimal() and canonical.isascii():  # nearly all of them
        whole = canonical.lstrip("0")
        return ("-" if negative else "") + whole + "0" * scale if whole else "0"
    try:
        value = Decimal(canonical.replace(",", ""))
    except InvalidOperation:
        return None
    if not value.is_finite() or abs(value.adjusted()) > MAX_DIGITS:
        return None
    value = value.scaleb(scale, _WIDE)
    out = format(-value if negative else value, "f")
    if "." in out:
        out = out.rstrip("0").rstrip(".")
    return "0" if out in ("-0", "") else out


def _number(text: str, dropped: str, mark: str) -> str | None:
    if text.isdecimal() and text.isascii():
        return text
    text = _SPACES.sub(" ", text)
    for char in dropped:
        text = text.replace(char, "")
    text = text.replace("’", "").replace(mark, ".") if mark != "." else text.replace("’", "")
    return text if text and text.count(".") <= 1 and text.replace(".", "").isdecimal() else None


def _month(word: str) -> int | None:
    word = word.casefold()
    if word in formats.ROMAN_MONTHS:
        return formats.ROMAN_MONTHS[word]
    return next((formats.MONTHS[word[:n]] for n in range(min(len(word), 6), 2, -1) if word[:n] in formats.MONTHS), None)


def _date(name: str, text: str) -> str | None:
    """ISO date, "--MM-DD" or "YYYY-MM", by the order of parts that the format's name gives."""
    order = formats.DATE_ORDERS.get(name)
    if order is None:
        found = _DATE_PARTS.match(name.replace("monthname", "month").replace("monthroman", "month"))
        if not found:
            return None
        order = "".join(x[0] for x in re.findall("day|month|year", found[1]))
    tokens = [t for t in _DATE_TOKENS.findall(text) if t.isdecimal() or _month(t)]
    if len(tokens) < len(order):
        return None
    parts = {key: int(t) if t.isdecimal() else _month(t) or 0 for key, t in zip(order, tokens, strict=False)}
    year, month, day = parts.get("y"), parts.get("m", 0), parts.get("d", 1)
    if not 1 <= month <= 12 or not 1 <= day <= 31:
        return None
    if year is not None and year < 100:
        year += 2000
    head = "-" if year is None else f"{year:04d}"
    return f"{head}-{month:02d}" + (f"-{day:02d}" if "d" in parts else "")


def words_to_number(text: str) -> str | None:
    """The number that words name: one hundred twenty-five thousand -> "125000"; digits may stand among the words ("2.5 million")."""
    total, group, seen = Decimal(0), Decimal(0), False
    for word in _WORDS.findall(text.lower().replace(",", "")):
        if word in formats.SMALL_NUMBERS or word[0].isdigit():
            group += Decimal(formats.SMALL_NUMBERS[word]) if word in formats.SMALL_NUMBERS else Decimal(word)
        elif word in formats.BIG_NUMBERS:
            big = formats.BIG_NUMBERS[word]
            group = (group or Decimal(1)) * big
            if big > 100:
                total, group = total + group, Decimal(0)
        else:
            continue
        seen = True
    return format((total + group).normalize(), "f") if seen and len(text) < 300 else None


def _duration(name: str, text: str) -> str | None:
    """ISO 8601 duration ("P5Y", "P1Y6M"), as the SEC's dur* rules write it."""
    if name in formats.DURATIONS:
        number = _number(text, ",' ", ".")
        return _iso(Decimal(number), formats.DURATIONS[name]) if number else None
    if name != "durwordsen":
        return None
    parts: dict[str, str] = {}
    before = ""
    for word in re.split(r"[\s,-]+", text.lower()):
        unit = formats.DURATION_WORDS.get(word.rstrip("s"))
        if unit is None:
            before += " " + word
            continue
        parts[unit] = words_to_number(before) or "1"
        before = ""
    date = "".join(f"{parts[u]}{u}" for u in "YMWD" if u in parts)
    return f"P{date}" + (f"T{parts['H']}H" if "H" in parts else "") if parts else None


def _iso(amount: Decimal, unit: str) -> str:
    whole, rest = int(amount), amount % 1
    if unit == "Y" and rest:
        months = round(rest * 12)
        return f"P{whole}Y{months}M" if whole else f"P{months}M"
    number = format(amount.normalize(), "f")
    return f"PT{number}H" if unit == "H" else f"P{number}{unit}"


def _named(name: str, text: str) -> str | None:
    """The SEC's lists: numbers in words, ballot boxes, states, exchanges, filer categories. An unknown rule keeps the text."""
    low = _SPACES.sub(" ", text).casefold().replace("the ", "")
    if name == "numwordsen":
        return words_to_number(text)
    if name in ("boolballotbox", "yesnoballotbox"):
        yes = bool(text) and text[0] in formats.BALLOTS_TRUE
        if not yes and not (text and text[0] in formats.BALLOTS_FALSE):
            return None
        return ("true" if yes else "false") if name == "boolballotbox" else ("Yes" if yes else "No")
    if name == "stateprovnameen":
        return formats.STATES.get(low, text)
    if name == "exchnameen":
        return next((code for part, code in formats.EXCHANGES if part in low), text)
    if name == "entityfilercategoryen":
        return formats.CATEGORIES.get(low, text)
    return text
