"""The sample reports' tables: which rows and columns each has, and how filing agents' software lays a row out in cells."""

# ruff: noqa: E501  (tables of data)
from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from company import Company


@dataclass(frozen=True)
class Cell:
    name: str
    period: str
    negate: bool = False


@dataclass(frozen=True)
class Row:
    """A table row: tagged cells, or plain texts ("(3.9)%"), or neither (a heading within the table)."""

    label: str
    cells: Sequence[Cell | str] = ()
    level: int = 0
    total: bool = False
    dollar: bool = False


@dataclass(frozen=True)
class Columns:
    """Stacked headers: one line over all columns, one a column; `note` stands above the numbers' labels."""

    over: str
    heads: Sequence[str]
    note: str = "(In thousands)"


Tag = Callable[[Cell], tuple[str, bool]]


def table_html(columns: Columns, rows: Sequence[Row], tag: Tag) -> str:
    """Three columns to the label, then a spacer and three (sign, number, closing sign) a value."""
    width = len(columns.heads)
    head = _tr(_td(_span(columns.note, 400), 3) + _td(_span(columns.over, 700), width * 4, "center", ";border-bottom:1pt solid #000"))
    head += _tr(_td("", 3) + "".join(_td("", 1) + _td(_span(h, 700), 3, "center", ";border-bottom:1pt solid #000") for h in columns.heads))
    body = "".join(_row(row, width, tag, n % 2 == 0) for n, row in enumerate(rows))
    return f'<table style="border-collapse:collapse;font-size:10pt;width:100%">{head}{body}</table>\n'


def _row(row: Row, width: int, tag: Tag, shaded: bool) -> str:
    shade = ' style="background-color:#cceeff"' if shaded else ""
    label = _td(_span(row.label, 700 if row.total or not row.cells else 400), 3, "left", f";padding-left:{2 + 10 * row.level}pt")
    line = ";border-top:1pt solid #000" if row.total else ""
    cells = "".join(_td("", 1) + _value(cell, row.dollar, tag, line) for cell in row.cells)
    return f"<tr{shade}>{label}{cells or _td('', width * 4)}</tr>\n"


def _value(cell: Cell | str, dollar: bool, tag: Tag, style: str) -> str:
    if isinstance(cell, str):
        text, closing = cell.removesuffix("%").removesuffix(")"), cell[len(cell.removesuffix("%").removesuffix(")")) :]
        return _td("", 1, "left", style) + _td(_span(text, 400), 1, "right", style) + _td(_span(closing, 400), 1, "left", style)
    number, bracketed = tag(cell)
    sign = _span("$", 400) if dollar else ""
    opened = _span(("(" if bracketed else "") + number, 400)
    return _td(sign, 1, "left", style) + _td(opened, 1, "right", style) + _td(_span(")" if bracketed else "", 400), 1, "left", style)


def _td(text: str, span: int, align: str = "left", more: str = "") -> str:
    look = ";".join(x for x in (f"text-align:{align}" if text and align != "left" else "", more.strip(";")) if x)
    style = f' style="{look}"' if look else ""
    return f"<td{f' colspan={chr(34)}{span}{chr(34)}' if span > 1 else ''}{style}>{text}</td>"


def _tr(cells: str) -> str:
    return f"<tr>{cells}</tr>\n"


def _span(text: str, weight: int) -> str:
    if not text or weight == 400:
        return text  # the table's own style
    return f'<span style="font-weight:{weight}">{text}</span>'


Made = tuple[list[Row], Columns]
Line = tuple[str, int, bool, bool, bool]  # name, level, total, dollar, negate


def _years(c: Company, period: str, count: int) -> list[str]:
    out = [period]
    while len(out) < count and "sales" in c.books.get(last := str(c.periods[out[-1]].last), {}):
        out.append(last)
    return out


def _lines(c: Company, lines: Sequence[Line | str], periods: Sequence[str]) -> list[Row]:
    """Rows of tagged figures; a bare text is a heading; rows that are zero throughout are left out."""
    rows = []
    for line in lines:
        if isinstance(line, str):
            rows.append(Row(line))
            continue
        name, level, total, dollar, negate = line
        if any(c.value(name, p) for p in periods):
            rows.append(Row(c.label(name), [Cell(name, p, negate) for p in periods], level, total, dollar))
    return rows


def income(c: Company, period: str) -> Made:
    periods = _years(c, period, 3)
    sales = [(n, 1, False, False, False) for n in c.books[period] if n.startswith("sales.")]
    lines: list[Line | str] = [
        "Net sales:", *sales, ("sales", 0, True, True, False), ("cost", 0, False, False, False), ("gross", 0, True, False, False),
        "Operating expenses:", ("rd", 1, False, False, False), ("sga", 1, False, False, False), ("amortization", 1, False, False, False),
        ("restructuring", 1, False, False, False), ("opex", 0, True, False, False), ("operating", 0, True, False, False),
        ("interest", 0, False, False, True), ("interest_income", 0, False, False, False), ("pretax", 0, True, False, False),
        ("tax", 0, False, False, False), ("net", 0, True, True, False),
        "Earnings per share:", ("eps", 1, False, True, False), ("eps_diluted", 1, False, True, False),
        "Weighted-average shares outstanding:", ("shares", 1, False, False, False), ("shares_diluted", 1, False, False, False),
    ]  # fmt: skip
    return _lines(c, lines, periods), Columns(c.facts[_over(period)], _heads(periods), "(In thousands, except per share amounts)")


def balance(c: Company, period: str) -> Made:
    periods = [period, str(c.periods[period].before)]
    plain, total = (1, False, False, False), (0, True, False, False)
    lines: list[Line | str] = [
        "ASSETS", "Current assets:", ("cash", 1, False, True, False), ("receivables", *plain), ("inventories", *plain), ("prepaid", *plain),
        ("current_assets", *total), ("ppe", 0, False, False, False), ("leases", 0, False, False, False), ("goodwill", 0, False, False, False),
        ("intangibles", 0, False, False, False), ("other_assets", 0, False, False, False), ("assets", 0, True, True, False),
        "LIABILITIES AND SHAREHOLDERS’ EQUITY", "Current liabilities:", ("payables", 1, False, True, False), ("accrued", *plain),
        ("deferred", *plain), ("debt_current", *plain), ("current_liabilities", *total), ("debt", 0, False, False, False),
        ("lease_liabilities", 0, False, False, False), ("other_liabilities", 0, False, False, False), ("liabilities", *total),
        "Shareholders’ equity:", ("stock", *plain), ("paid_in", *plain), ("retained", *plain), ("oci", *plain),
        ("treasury", 1, False, False, True), ("equity", *total), ("liabilities_equity", 0, True, True, False),
    ]  # fmt: skip
    heads = [c.facts[f"day {p}"] for p in periods]
    return _lines(c, lines, periods), Columns("As of", heads, "(In thousands)")


def cashflow(c: Company, period: str) -> Made:
    periods = _years(c, period, 3)
    plain, out, total = (1, False, False, False), (1, False, False, True), (0, True, False, False)
    lines: list[Line | str] = [
        "Operating activities:", ("net", 0, False, True, False), ("depreciation", *plain), ("stock_pay", *plain), ("d_receivables", *out),
        ("d_inventories", *out), ("d_prepaid", *out), ("d_payables", *plain), ("d_accrued", *plain), ("d_deferred", *plain), ("d_other", *out),
        ("cfo", *total), "Investing activities:", ("capex", *out), ("acquisitions", *out), ("cfi", *total),
        "Financing activities:", ("borrowed", *plain), ("repaid", *out), ("dividends", *out), ("buybacks", *out), ("cff", *total),
        ("fx", 0, False, False, False), ("d_cash", 0, True, False, False),
    ]  # fmt: skip
    rows = _lines(c, lines, periods)
    opened = [Cell("cash", str(c.periods[p].before)) for p in periods]
    rows.append(Row("Cash and cash equivalents at beginning of period", opened, dollar=True))
    rows.append(Row("Cash and cash equivalents at end of period", [Cell("cash", p) for p in periods], total=True, dollar=True))
    return rows, Columns(c.facts[_over(period)], _heads(periods))


def _split(kind: str, total: str) -> Callable[[Company, str], Made]:
    def make(c: Company, period: str) -> Made:
        periods = _years(c, period, 3)
        parts = [(n, 0, False, i == 0, False) for i, n in enumerate(n for n in c.books[period] if n.startswith(kind + "."))]
        lines: list[Line | str] = [
            *parts,
            *([("corporate", 0, False, False, True)] if total == "operating" else []),
            (total, 0, True, True, False),
        ]
        return _lines(c, lines, periods), Columns(c.facts[_over(period)], _heads(periods))

    return make


def changes(c: Company, period: str) -> Made:
    """Sales by segment with the change, as the discussion shows them."""
    last = str(c.periods[period].last)
    rows = []
    for name in [*(n for n in c.books[period] if n.startswith("sales.")), "sales"]:
        now, then = c.value(name, period), c.value(name, last)
        share = (now - then) / then * 100
        text = f"({abs(share):.1f})%" if share < 0 else f"{share:.1f}%"
        cells: list[Cell | str] = [Cell(name, period), Cell(name, last), text]
        rows.append(Row(c.label(name), cells, total=name == "sales", dollar=name == "sales"))
    return rows, Columns(c.facts[_over(period)], [*_heads([period, last]), "Change"])


def debt(c: Company, period: str) -> Made:
    periods = [period, str(c.periods[period].before)]
    lines: list[Line | str] = [("debt_current", 0, False, True, False), ("debt", 0, False, False, False)]
    return _lines(c, lines, periods), Columns("As of", [c.facts[f"day {p}"] for p in periods])


def _over(period: str) -> str:
    return "over quarter" if "Q" in period else "over year"


def _heads(periods: Sequence[str]) -> list[str]:
    return [p[:4] if "Q" not in p else str(int(p[:4]) - 1) for p in periods]


TABLES: dict[str, Callable[[Company, str], Made]] = {
    "income": income, "balance": balance, "cashflow": cashflow, "changes": changes, "debt": debt,
    "segments": _split("sales", "sales"), "profits": _split("operating", "operating"), "places": _split("geo", "sales"),
}  # fmt: skip
