"""Table units against values worked out by hand on small tables, one kind of trap in each."""

from __future__ import annotations

from typing import Any

import pytest

from filingforest.parse.facts import FactBook
from filingforest.parse.markup import page_of
from filingforest.parse.tables import TableResult, merge_continued, read_table

HEADER = (
    '<html xmlns:ix="http://www.xbrl.org/2013/inlineXBRL"><body><ix:header><ix:resources>'
    '<xbrli:context id="c1"><xbrli:entity><xbrli:identifier>0000000001</xbrli:identifier></xbrli:entity><xbrli:period>'
    "<xbrli:startDate>2023-07-01</xbrli:startDate><xbrli:endDate>2024-06-30</xbrli:endDate></xbrli:period></xbrli:context>"
    '<xbrli:unit id="usd"><xbrli:measure>iso4217:USD</xbrli:measure></xbrli:unit>'
    '<xbrli:unit id="eps"><xbrli:divide><xbrli:unitNumerator><xbrli:measure>iso4217:USD</xbrli:measure></xbrli:unitNumerator>'
    "<xbrli:unitDenominator><xbrli:measure>xbrli:shares</xbrli:measure></xbrli:unitDenominator></xbrli:divide></xbrli:unit>"
    "</ix:resources></ix:header>"
)


def table(*rows: str, before: tuple[str, ...] = ()) -> TableResult:
    """The result for rows given as the insides of <tr>; it must be a data table."""
    result = maybe(*rows, before=before)
    assert result is not None
    return result


def maybe(*rows: str, before: tuple[str, ...] = ()) -> TableResult | None:
    page = page_of(HEADER + "<table>" + "".join(f"<tr>{r}</tr>" for r in rows) + "</table>")
    return read_table(next(e for e in page.root.iter() if e.tag == "table"), FactBook.collect(page), before)


def cells(*texts: str) -> str:
    return "".join(f"<td>{t}</td>" for t in texts)


def tag(text: str, concept: str = "us-gaap:Revenues", fact: str = "f1", unit: str = "usd", scale: int = 6, sign: str = "") -> str:
    extra = f' sign="{sign}"' if sign else ""
    attributes = f'id="{fact}" contextRef="c1" unitRef="{unit}" name="{concept}" scale="{scale}" format="ixt:num-dot-decimal"{extra}'
    return f"<ix:nonFraction {attributes}>{text}</ix:nonFraction>"


def row(result: TableResult, label: str) -> dict[str, Any]:
    return next(r for r in result.unit.rows if r["label"] == label)


STATEMENT = (
    '<td></td><td colspan="5">Years ended</td>',
    "<td></td><td colspan=2>June 30, 2024</td><td></td><td colspan=2>June 30, 2023</td>",
    "<td>Net sales:</td><td></td><td></td><td></td><td></td><td></td>",
    '<td style="padding-left:9pt">Products</td><td>$</td><td>1,200</td><td></td><td>$</td><td>1,100</td>',
    '<td style="padding-left:9pt">Services</td><td colspan=2>300</td><td></td><td colspan=2>250</td>',
    '<td style="padding-left:18pt">Total net sales</td><td colspan=2>1,500</td><td></td><td colspan=2>1,350</td>',
    "<td>Other loss, net</td><td colspan=2>(25</td><td>)</td><td colspan=2>(40)</td>",
)


def test_a_statement_has_columns_under_stacked_headers_and_signed_values() -> None:
    result = table(*STATEMENT, before=("STATEMENTS OF OPERATIONS", "(In millions)"))
    assert result.unit.title == "STATEMENTS OF OPERATIONS"
    assert result.unit.scale_note == "(In millions)"
    assert result.unit.columns == ["Years ended / June 30, 2024", "Years ended / June 30, 2023"]
    assert [r["label"] for r in result.unit.rows] == ["Net sales:", "Products", "Services", "Total net sales", "Other loss, net"]
    assert row(result, "Products")["text"] == ["1,200", "1,100"]
    assert row(result, "Other loss, net")["text"] == ["(25)", "(40)"]
    assert row(result, "Other loss, net")["values"] == [-25.0, -40.0]


def test_levels_and_parents_come_from_group_rows_and_totals_close_them() -> None:
    result = table(*STATEMENT)
    assert [(r["level"], r["parent"], r["kind"]) for r in result.unit.rows] == [
        (0, None, "group"),
        (1, "Net sales:", "item"),
        (1, "Net sales:", "item"),
        (0, None, "total"),
        (0, None, "item"),
    ]


def test_groups_without_indents_are_closed_by_their_total_or_the_next_bold_row() -> None:
    result = table(
        cells("", "2024"), "<td><b>Revenue:</b></td><td></td>", cells("Goods", "10"), cells("Work", "5"), cells("", "15"),
        "<td><b>Costs:</b></td><td></td>", cells("Pay", "(4)"), "<td><b>Operating profit</b></td><td>11</td>",
    )  # fmt: skip
    assert [(r["label"], r["level"], r["parent"]) for r in result.unit.rows] == [
        ("Revenue:", 0, None), ("Goods", 1, "Revenue:"), ("Work", 1, "Revenue:"), ("", 0, "Revenue:"),
        ("Costs:", 0, None), ("Pay", 1, "Costs:"), ("Operating profit", 0, None),
    ]  # fmt: skip


def test_the_linear_text_reads_well() -> None:
    result = table(*STATEMENT, before=("STATEMENTS OF OPERATIONS (In millions)",))
    assert result.text.splitlines() == [
        "STATEMENTS OF OPERATIONS (In millions)",
        "Columns: Years ended / June 30, 2024 | Years ended / June 30, 2023",
        "Net sales: Products | 2024: $1,200 million | 2023: $1,100 million",
        "Net sales: Services | 2024: $300 million | 2023: $250 million",
        "Total net sales | 2024: $1,500 million | 2023: $1,350 million",
        "Other loss, net | 2024: $(25) million | 2023: $(40) million",
    ]


def test_units_of_untagged_rows_come_from_signs_labels_and_the_note() -> None:
    result = table(
        cells("(In thousands, except per share amounts)", "2024", "2023", "Change"),
        cells("Revenue", "$ 9,000", "$ 8,000", "12.5%"), cells("Cost", "7,000", "6,500", "7.7"),
        cells("Net income per share", "$ 1.25", "$ 1.10", "13.6"), cells("Number of employees", "120", "110", "9.1"),
        cells("Weighted average shares", "1,600", "1,590", "0.6"),
    )  # fmt: skip
    units = {r["label"]: r.get("units") or r.get("unit") for r in result.unit.rows}
    assert units == {
        "Revenue": ["USD, thousands", "USD, thousands", "%"],
        "Cost": ["USD, thousands", "USD, thousands", "%"],
        "Net income per share": ["USD/share", "USD/share", "%"],
        "Number of employees": "%",
        "Weighted average shares": ["shares", "shares", "%"],
    }


def test_a_spanning_title_with_a_date_stands_over_the_columns_too() -> None:
    result = table("<td colspan=3>Six months ended June 30, 2024</td>", cells("", "Stock", "Total"), cells("Balance", "5", "7"))
    assert result.unit.columns == ["Six months ended June 30, 2024 / Stock", "Six months ended June 30, 2024 / Total"]
    assert result.unit.title == "Six months ended June 30, 2024"


def test_a_header_broken_over_rows_is_joined_and_a_year_completes_its_date() -> None:
    result = table(cells("", "Retained", "December 31,"), cells("", "earnings", "2024"), cells("Balance", "5", "7"))
    assert result.unit.columns == ["Retained earnings", "December 31, 2024"]


def test_huge_spans_are_bounded() -> None:
    result = table(
        '<td colspan="100000">ACME</td>',
        '<td rowspan="100000"></td><td>Year</td><td colspan="99999999999">2024</td>',
        '<td colspan="x">Sales</td><td colspan="-3">12.5</td><td colspan="0">13.5</td>',
    )
    assert result.unit.columns == ["2024", "2024"]
    assert result.unit.rows[0]["text"] == ["12.5", "13.5"]


@pytest.mark.parametrize(
    ("written", "text", "value", "notes"),
    [
        ("$ (1,234.5)", "(1,234.5)", -1234.5, []),
        ("-12%", "-12%", -12.0, []),
        ("—", "—", None, []),
        ("3.5 years", "3.5 years", 3.5, []),
        ("1,234 (1)", "1,234 (1)", 1234.0, ["(1)"]),
        ("99<sup>(a)</sup>", "99", 99.0, ["(a)"]),
        ("€ 7", "7", 7.0, []),
        (".25", ".25", 0.25, []),
    ],
)
def test_a_number_as_it_is_written(written: str, text: str, value: float | None, notes: list[str]) -> None:
    result = table(cells("", "2024", "2023"), cells("Row", written, "1"), cells("Next", "2", "3"))
    first = result.unit.rows[0]
    assert (first["text"][0], first["values"][0], first.get("footnotes", [])) == (text, value, notes)


def test_symbols_in_cells_of_their_own_are_joined_to_their_numbers() -> None:
    result = table(
        '<td></td><td colspan=3>2024</td><td colspan=3>2023</td>',
        cells("Margin", "", "24.1", "%", "", "23.0", "%"), cells("Loss", "$(", "7", ")", "$(", "9", ")"),
        cells("Gain", "$", "5", "(1)", "$", "6", ""),
    )  # fmt: skip
    assert result.unit.columns == ["2024", "2023"]
    assert [r["text"] for r in result.unit.rows] == [["24.1%", "23.0%"], ["(7)", "(9)"], ["5", "6"]]
    assert [r["values"] for r in result.unit.rows] == [[24.1, 23.0], [-7.0, -9.0], [5.0, 6.0]]
    assert result.unit.rows[2]["footnotes"] == ["(1)"]


def test_tags_give_concept_period_unit_and_place() -> None:
    result = table(
        cells("", "2024"), cells("Revenue", tag("391,035")),
        cells("Per share", tag("6.11", "us-gaap:EarningsPerShareBasic", "f2", "eps", 0)),
    )  # fmt: skip
    revenue, share = result.unit.rows
    assert (revenue["concept"], revenue["period_end"], revenue["unit"]) == ("us-gaap:Revenues", ["2024-06-30"], "USD, millions")
    assert share["unit"] == "USD/share"
    assert result.cells == [("f1", 0, 0), ("f2", 1, 0)]


def test_a_tagged_number_within_a_label_has_a_column_of_its_own_unless_bracketed() -> None:
    result = table(
        cells("", "2024"), cells(f"{tag('2.95', 'x:Rate', 'f1', 'usd', 0)}% Notes due 2027", tag("996", fact="f2")),
        cells(f"Common stock (par {tag('0.01', 'x:Par', 'f3', 'usd', 0)})", tag("4", fact="f4")),
    )  # fmt: skip
    assert result.unit.columns == ["In the label", "2024"]
    assert [r["text"] for r in result.unit.rows] == [["2.95", "996"], ["", "4"]]
    assert sorted(result.cells) == [("f1", 0, 0), ("f2", 0, 1), ("f3", 1, None), ("f4", 1, 1)]
    assert "In the label" not in result.text


def test_two_right_edges_with_tagged_numbers_stay_two_columns_under_one_header() -> None:
    result = table(
        '<td></td><td colspan=2>2024</td><td>2023</td>',
        f"<td>A</td><td>{tag('1', fact='a')}</td><td></td><td>{tag('2', fact='b')}</td>",
        f"<td>B</td><td>{tag('3', fact='c')}</td><td></td><td>{tag('4', fact='d')}</td>",
        f"<td>C</td><td colspan=2>{tag('5', fact='e')}</td><td>{tag('6', fact='f')}</td>",
    )  # fmt: skip
    assert result.unit.columns == ["2024", "2024", "2023"]
    assert [r["text"] for r in result.unit.rows] == [["1", "", "2"], ["3", "", "4"], ["", "5", "6"]]
    assert result.text.splitlines()[-1] == "C | 2024: $5 million | 2023: $6 million"


def test_two_right_edges_without_tags_are_one_column() -> None:
    result = table(
        "<td></td><td colspan=2>2024</td><td>2023</td>",
        "<td>A</td><td>1</td><td></td><td>2</td>",
        "<td>C</td><td colspan=2>5</td><td>6</td>",
    )
    assert [r["text"] for r in result.unit.rows] == [["1", "2"], ["5", "6"]]


@pytest.mark.parametrize(
    "rows",
    [
        ("<td>•</td><td>We may not be able to grow.</td>", "<td>•</td><td>We may lose customers.</td>"),
        ("<td>Item 1.</td><td>Business</td>",),
        ("<td>" + "A long paragraph of prose. " * 20 + "</td><td>" + "Another one. " * 30 + "</td>",) * 2,
        ("<td>Delaware</td><td>12-3456789</td>", "<td>(State of incorporation)</td><td>(I.R.S. Employer No.)</td>"),
        ("<td>Yes ☒</td><td>No ☐</td>", "<td>Large accelerated filer ☒</td><td>Accelerated filer ☐</td>"),
        ("<td><table><tr><td>1</td><td>2</td></tr></table></td><td>3</td>",),
        ("<td></td>",),
    ],
)
def test_layout_is_no_table(rows: tuple[str, ...]) -> None:
    assert maybe(*rows) is None


def test_a_table_of_words_keeps_its_columns() -> None:
    result = table(
        "<th>Exhibit</th><th>Description</th><th>Filed</th>", cells("3.1", "Charter", "herewith"), cells("3.2", "By-laws", "earlier")
    )
    assert result.unit.columns == ["Description", "Filed"]
    assert [(r["label"], r["text"]) for r in result.unit.rows] == [("3.1", ["Charter", "herewith"]), ("3.2", ["By-laws", "earlier"])]


def test_notes_below_the_rows_stay_with_the_table() -> None:
    result = table(cells("", "2024"), cells("Sales (1)", "5"), "<td colspan=2>(1) Excludes a unit sold for $3 million.</td>")
    assert result.unit.notes == ["(1) Excludes a unit sold for $3 million."]
    assert result.unit.rows[0]["footnotes"] == ["(1)"]
    assert result.text.endswith("(1) Excludes a unit sold for $3 million.")


def test_columns_named_again_within_the_body() -> None:
    result = table(cells("", "2024", "2023"), cells("Sales", "5", "4"), cells("", "2022", "2021"), cells("Sales", "3", "2"))
    assert [r["kind"] for r in result.unit.rows] == ["item", "header", "item"]
    assert result.text.splitlines()[-1] == "Sales | 2022: 3 | 2021: 2"


def test_a_table_continued_on_the_next_page_is_one() -> None:
    first = table(cells("", "2024", "2023"), cells("Sales", tag("5", fact="a"), "4"), before=("INCOME",))
    second = table(cells("", "2024", "2023"), cells("Costs", tag("3", fact="b"), "2"), before=("INCOME (continued)",))
    whole = merge_continued(first, second)
    assert whole is not None
    assert [r["label"] for r in whole.unit.rows] == ["Sales", "Costs"]
    assert whole.cells == [("a", 0, 0), ("b", 1, 0)]
    other = table(cells("", "March", "April"), cells("Rain", "3", "2"))
    assert merge_continued(first, other) is None


def test_statements_are_told_by_title_and_rows() -> None:
    labels = ("Total current assets", "Total assets", "Total current liabilities", "Total liabilities", "Total liabilities and equity")
    rows = [cells(label, "5", "4") for label in labels]
    assert table(cells("", "2024", "2023"), *rows, before=("CONSOLIDATED BALANCE SHEETS",)).statement == "balance_sheet"
    assert table(cells("", "2024", "2023"), *[cells("x", "1", "2")] * 6, before=("Summary of the balance sheets",)).statement is None


def test_looks_from_a_style_sheet_are_looks() -> None:
    styles = {"a": "font-weight:bold", "b": "padding-left:18pt", "c": "display:none"}
    rows = [("a", "Assets", ""), ("b", "Cash", "10"), ("b", "Receivables", "20"), ("c", "Never shown", "99"), ("b", "Total assets", "30")]
    head = "<tr><td></td><td>2023</td></tr>"
    inline = "".join(f'<tr><td style="{styles[s]}">{label}</td><td style="">{text}</td></tr>' for s, label, text in rows if s != "c")
    by_class = "".join(f'<tr class="{s}"><td class="x {s}">{label}</td><td>{text}</td></tr>' for s, label, text in rows)
    sheet = "<style>" + " ".join(f"td.{name}, .{name} {{ {style} }}" for name, style in styles.items()) + "</style>"
    one, other = (page_of(f"<body>{sheet}<table>{head}{x}</table></body>") for x in (inline, by_class))
    units = [read_table(next(e for e in page.root.iter() if e.tag == "table")) for page in (one, other)]
    assert units[0] is not None
    assert units[1] is not None
    assert units[1].unit == units[0].unit
    assert [(r["label"], r["level"]) for r in units[0].unit.rows] == [("Assets", 0), ("Cash", 1), ("Receivables", 1), ("Total assets", 0)]
