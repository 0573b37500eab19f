"""The linear text of a table, which reads well to a person and to an encoder: `Net sales | 2024: $123,456 million | 2023: ...`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from filingforest.parse.model import TableUnit

_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_SIGNS = {"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥", "CNY": "¥", "INR": "₹", "KRW": "₩"}
MAX_PARENT = 80
IN_LABEL = "In the label"  # header of the column for tagged numbers within labels; the label itself shows them


def linear(unit: TableUnit, stub: str = "") -> str:
    """Lines: title with scale note, headers where the rows shorten them, one line a row (parent and label, `column: value`), notes.

    `stub` is the header of the labels, if it has one.
    """
    title, note, columns, rows = unit.title, unit.scale_note, unit.columns, unit.rows
    lines = []
    top = " ".join(x for x in (title, note if not (title and note and note in title) else None) if x)
    if top:
        lines.append(top)
    names = short_names(columns)
    full = list(dict.fromkeys(c for c in columns if not c.endswith(IN_LABEL)))
    if stub or any(n != c for n, c in zip(names, columns, strict=True)):
        lines.append("Columns: " + " | ".join(filter(None, (stub, *full))))
    parents = {r["parent"] for r in rows if r.get("parent")}
    for row in rows:
        if row["kind"] == "header":
            names = short_names([h if h else c for h, c in zip(row["text"], columns, strict=True)])
            lines.append(" | ".join(x for x in (row["label"], *row["text"]) if x))
        elif row["kind"] != "group" or row["label"] not in parents or len(row["label"]) > MAX_PARENT:
            lines.append(_row(row, names))
    lines.extend(n for n in unit.notes if n != stub)
    return "\n".join(lines)


def short_names(columns: Sequence[str]) -> list[str]:
    """The year alone where it tells the columns apart, else the header without what all columns share."""
    years = [_YEAR.findall(c) for c in columns]
    only = [y[0] for y in map(_YEAR.findall, set(columns)) if len(y) == 1]
    shared = _shared_top(columns)
    return [y[0] if len(y) == 1 and only.count(y[0]) == 1 else c[shared:] for y, c in zip(years, columns, strict=True)]


def _shared_top(columns: Sequence[str]) -> int:
    """Length of the stacked headers ("Year Ended 2024 / ") that every column begins with."""
    if len(columns) < 2:
        return 0
    low, high = min(columns), max(columns)
    head = low[: next((i for i, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), len(low))]
    return head.rfind(" / ") + 3 if " / " in head else 0


def _row(row: dict[str, Any], names: Sequence[str]) -> str:
    label = row["label"]
    parent = row.get("parent")
    if parent and len(parent) <= MAX_PARENT:
        label = f"{parent.rstrip(':')}: {label}" if label else parent
    texts = row.get("text") or [""] * len(names)
    units = row.get("units") or [row.get("unit")] * len(texts)
    parts = [label] if label else []
    for name, text, unit, value in zip(names, texts, units, row.get("values") or [None] * len(texts), strict=True):
        if text and not name.endswith(IN_LABEL) and not (text == row["label"] and value is None):
            shown = with_unit(text, unit) if value is not None else text
            parts.append(f"{name}: {shown}" if name else shown)
    return " | ".join(parts)


def with_unit(text: str, unit: str | None) -> str:
    """ "123,456" and "USD, millions" -> "$123,456 million"; "(565)" -> "$(565) million"."""
    if not unit:
        return text
    name, _, scale = unit.partition(", ")
    if name in ("thousands", "millions", "billions", "trillions"):
        name, scale = "", name
    money, slash, per = name.partition("/")
    if name == "%":
        return text if "%" in text else text + "%"
    sign = _SIGNS.get(money, "")
    out = sign + text if sign else text
    if scale and text[-1] != "%":
        out += " " + scale[:-1]
    if slash:
        out += f" per {per}"
    elif name and not sign:
        out += " " + name
    return out
