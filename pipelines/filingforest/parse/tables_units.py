"""Units of rows ("USD, millions", "shares, thousands", "%"): from tags where there are any, else from signs, labels and the scale note."""

from __future__ import annotations

import re
from collections.abc import Sequence

from filingforest.parse.tables_cells import Cell, Kind, currency_in

SCALES = {3: "thousands", 6: "millions", 9: "billions", 12: "trillions"}
_SCALE_WORD = re.compile(r"\b(thousand|million|billion|trillion)s?\b|(?<!\d)000s?\b", re.IGNORECASE)
_PER_SHARE = re.compile(r"\bper\b.{0,30}\b(?:share|unit|ads)\b|\bearnings per\b|\beps\b|/\s*share", re.IGNORECASE)
_SHARES = re.compile(r"\b(?:shares|share count|options outstanding|units outstanding)\b", re.IGNORECASE)
_COUNTS = re.compile(
    r"\b(?:number of|headcount|employees|stores|square feet|percent|percentage|ratio|rate|margin|years?|days|growth)\b", re.IGNORECASE
)
_EXCEPT_SHARES = re.compile(r"\bexcept\b.*\b(?:number of shares|shares?|share data|share amounts)\b", re.IGNORECASE)
_SHARES_SCALED = re.compile(r"shares?[^.;]{0,60}\b(?:reflected )?in (thousands|millions|billions)", re.IGNORECASE)
_DOLLARS = re.compile(r"\bdollars?\b|\$|\bUSD\b", re.IGNORECASE)


class UnitRules:
    """What is known of a table's units before its cells are read: scale and currency from the note, scale of share counts."""

    def __init__(self, scale_note: str | None, rows: Sequence[Sequence[Cell]]) -> None:
        note = scale_note or ""
        self.scale = _scale_of(note)
        self.currency = next((c.mark for row in rows for c in row if len(c.mark) == 3), "") or currency_in(note)
        if not self.currency and _DOLLARS.search(note):
            self.currency = "USD"
        shares = _SHARES_SCALED.search(note)
        self.shares = shares[1].lower() if shares else "" if _EXCEPT_SHARES.search(note) else self.scale

    def of_cell(self, cell: Cell, label: str, header: str, row_currency: str) -> str | None:
        """The unit of one value; None where nothing tells it. `label` includes the parent's."""
        if cell.kind not in (Kind.NUMBER, Kind.DASH):
            return None
        if len(cell.facts) == 1 and cell.facts[0].unit:
            return tagged_unit(cell)
        if cell.mark == "%":
            return "%"
        if _PER_SHARE.search(label):
            return f"{cell.mark or self.currency or 'USD'}/share"
        if not cell.mark and (_SHARES.search(label) or _SHARES.search(header)) and not row_currency:
            return _joined("shares", self.shares)
        if cell.mark:
            return _joined(cell.mark, _scale_of(header) or self.scale)
        if "%" in header or "percent" in header.lower():
            return "%"
        if _COUNTS.search(label) and not row_currency:
            return None
        return _joined(row_currency or self.currency, _scale_of(header) or self.scale) or None


def tagged_unit(cell: Cell) -> str | None:
    """The unit of a tagged cell, with the scale that its number is written in."""
    unit = cell.facts[0].unit or ""
    if unit == "pure":
        return "%" if cell.scale == -2 else None
    name = f"{unit[:-7]}/share" if unit.endswith("/shares") else unit
    return _joined(name, SCALES.get(cell.scale, ""))


def _scale_of(text: str) -> str:
    found = _SCALE_WORD.search(text)
    return "" if not found else f"{found[1].lower()}s" if found[1] else "thousands"


def _joined(name: str, scale: str) -> str:
    return f"{name}, {scale}" if name and scale else name or scale
