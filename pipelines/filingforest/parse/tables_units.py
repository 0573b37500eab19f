"""Units of rows ("USD, millions", "shares, thousands", "%"): from tags where there are any, else from signs, labels and the scale note."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from filingforest.parse.tables_cells import Cell, Kind, currency_in

SCALES = {3: "thousands", 6: "millions", 9: "billions", 12: "trillions"}
_SCALE_WORD = re.compile(r"\b(thousand|million|billion|trillion)s?\b|(?<!\d)000s?\b", re.IGNORECASE)
_PER_SHARE = re.compile(r"\bper\b.{0,30}\b(?:share|unit|ads)\b|\bearnings per\b|\beps\b|/\s*share", re.IGNORECASE)
_SHARES = re.compile(r"\b(?:shares|share count|options outstanding|units outstanding)\b", re.IGNORECASE)
_COUNTS = re.compile(
    r"\b(?:number of|headcount|employees|stores|square feet|percent|percentage|ratio|rates?|years?|days|growth)\b", re.IGNORECASE
)
_EXCEPT_SHARES = re.compile(r"\bexcept\b.*\b(?:number of shares|shares?|share data|share amounts)\b", re.IGNORECASE)
_SHARES_SCALED = re.compile(r"shares?[^.;]{0,60}\b(?:reflected )?in (thousands|millions|billions)", re.IGNORECASE)
_DOLLARS = re.compile(r"\bdollars?\b|\$|\bUSD\b", re.IGNORECASE)


class UnitRules:
    """What is known of a table's units before its cells are read: scale and currency from the note, signs from each column."""

    def __init__(self, scale_note: str | None, rows: Sequence[Sequence[Cell | None]], headers: Sequence[str]) -> None:
        note = scale_note or ""
        self.scale = _scale_of(note)
        self.headers = [(h, _scale_of(h)) for h in headers]
        self.signs = [_column_sign(rows, i) for i in range(len(headers))]
        self.currency = next((s for s in self.signs if len(s) == 3), "") or currency_in(note)
        if not self.currency and _DOLLARS.search(note):
            self.currency = "USD"
        shares = _SHARES_SCALED.search(note)
        self.shares = shares[1].lower() if shares else "" if _EXCEPT_SHARES.search(note) else self.scale

    def of_row(self, cells: Sequence[Cell | None], label: str, parent: str) -> list[str | None]:
        """The unit of each value of a row; None where there is no value or nothing tells it."""
        known = [tagged_unit(c.fact.unit or "", c.scale) if c is not None and c.fact else "" for c in cells]
        if all(known[i] != "" for i, c in enumerate(cells) if c is not None):
            return [k or None for k in known]
        money = next((c.mark for c in cells if c is not None and len(c.mark) == 3), "")
        both = f"{parent} {label}"
        kind = "share" if _PER_SHARE.search(both) else "shares" if _SHARES.search(both) else "count" if _COUNTS.search(label) else ""
        return [k or self._of_cell(c, i, kind, money) if c is not None else None for i, (c, k) in enumerate(zip(cells, known, strict=True))]

    def _of_cell(self, cell: Cell, column: int, kind: str, money: str) -> str | None:
        if cell.kind not in (Kind.NUMBER, Kind.DASH):
            return None
        header, scale = self.headers[column]
        sign = self.signs[column]
        if cell.mark == "%" or (sign == "%" and not cell.mark):
            return "%"
        if kind == "share" or _PER_SHARE.search(header):
            return f"{cell.mark or sign or self.currency or 'USD'}/share"
        if cell.mark:
            return _joined(cell.mark, scale or self.scale)
        if not money and (kind == "shares" or (not sign and _SHARES.search(header))):
            return _joined("shares", self.shares)
        if not sign and ("%" in header or "percent" in header.lower() or _SHARES.search(header)):
            return _joined("shares", self.shares) if _SHARES.search(header) else "%"
        if (kind and not money) or (not sign and _COUNTS.search(header)):
            return None
        return _joined(sign or money or self.currency, scale or self.scale) or None


def _column_sign(rows: Sequence[Sequence[Cell | None]], column: int) -> str:
    """The currency that a column's cells show; "%" where no other mark stands and the first value has it."""
    cells = [c for row in rows if (c := row[column]) is not None and c.kind in (Kind.NUMBER, Kind.DASH)]
    money = sorted({c.mark for c in cells if len(c.mark) == 3})
    return money[0] if money else "%" if cells and cells[0].mark == "%" else ""


@lru_cache(maxsize=1_000)
def tagged_unit(unit: str, scale: int) -> str | None:
    """A fact's unit with the power of ten that its number is written in: "USD" and 6 -> "USD, millions"."""
    if unit == "pure":
        return "%" if scale == -2 else None
    name = f"{unit[:-7]}/share" if unit.endswith("/shares") else unit
    return _joined(name, SCALES.get(scale, ""))


def _scale_of(text: str) -> str:
    found = _SCALE_WORD.search(text)
    return "" if not found else f"{found[1].lower()}s" if found[1] else "thousands"


def _joined(name: str, scale: str) -> str:
    return f"{name}, {scale}" if name and scale else name or scale
