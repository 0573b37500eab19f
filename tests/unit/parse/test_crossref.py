"""Filers whose items are page ranges of an index; the body has headings of its own."""

from __future__ import annotations

import pytest

from filingforest.parse.index_rows import _pages
from filingforest.parse.model import Parsed

from .pages import BREAK, bold, contents, page, parse, prose


def sheet(number: int, *parts: str) -> str:
    """A page with its printed number."""
    return "".join(parts) + f'<p style="text-align:center">{number}</p>{BREAK}'


def big(text: str) -> str:
    """A heading of the first order."""
    return f'<p style="font-size:14pt"><b>{text}</b></p>'


ROWS = [
    ("Item 1.", "Business", "1-2, 6"),
    ("Item 1A.", "Risk Factors", "4"),
    ("Item 1B.", "Unresolved Staff Comments", "Not applicable"),
    ("Item 3.", "Legal Proceedings", "4"),
    ("Item 7.", "Management’s Discussion and Analysis of Financial Condition and Results of Operations", "3"),
    ("Item 7A.", "Quantitative and Qualitative Disclosures About Market Risk", "3"),
    ("Item 8.", "Financial Statements and Supplementary Data", "5"),
    ("Item 11.", "Executive Compensation", "(a)"),
]
SPLIT = [("Item 1.", "Business", ""), ("", "General development", "Pages 1-2"), ("", "Other matters", "6"), *ROWS[1:]]
NOTE = "<p>(a) Incorporated by reference to the proxy statement.</p>"


def filing(rows: list[tuple[str, str, str]], index_first: bool) -> Parsed:
    body = (
        sheet(1, big("WHO WE ARE"), prose("Who", 4))
        + sheet(2, big("WHAT WE MAKE"), prose("Make", 4))
        + sheet(
            3,
            big("MANAGEMENT’S DISCUSSION AND ANALYSIS"),
            prose("Sales", 2),
            bold("Market Risk"),
            prose("Rate", 2),
            bold("Outlook"),
            prose("Soon", 1),
        )
        + sheet(4, big("RISK FACTORS"), prose("Risk", 2), big("LEGAL PROCEEDINGS"), prose("Court", 2))
        + sheet(5, big("STATEMENT OF EARNINGS"), prose("Cash", 4))
        + sheet(6, big("WHERE WE ARE"), prose("Where", 2))
    )
    index = big("FORM 10-K CROSS-REFERENCE INDEX") + contents(rows) + NOTE + BREAK
    parts = (index, body) if index_first else (body, index)
    return parse(page("<p>Cover</p>" + BREAK, *parts, bold("SIGNATURES"), prose("Signed", 1)))


@pytest.mark.parametrize("index_first", [True, False])
@pytest.mark.parametrize("rows", [ROWS, SPLIT])
def test_items_by_pages(rows: list[tuple[str, str, str]], index_first: bool) -> None:
    parsed = filing(rows, index_first)
    found = {i.item: i for i in parsed.items}
    texts = {code: [line.split(" paragraph")[0] for line in i.text.split("\n")] for code, i in found.items()}
    assert texts["1"] == ["WHO WE ARE", *["Who"] * 4, "WHAT WE MAKE", *["Make"] * 4, "WHERE WE ARE", *["Where"] * 2]
    assert texts["1A"] == ["Risk"] * 2
    assert texts["3"] == ["Court"] * 2
    assert texts["7"] == ["Sales"] * 2 + ["Market Risk"] + ["Rate"] * 2 + ["Outlook", "Soon"]
    assert texts["8"] == ["STATEMENT OF EARNINGS"] + ["Cash"] * 4
    assert {c: i.status for c, i in found.items() if i.status != "full"} == {"1B": "none", "7A": "pointer", "11": "by_reference"}
    assert found["7"].covers == ["7", "7A"]
    assert found["11"].text == "Incorporated by reference to the proxy statement."


def test_units_belong_to_the_nearest_item() -> None:
    parsed = filing(ROWS, False)
    owner = {n.text.split(" paragraph")[0]: n.item for n in parsed.nodes if n.kind == "text"}
    assert owner["Rate"] == "7A"
    assert owner["Sales"] == owner["Soon"] == "7"
    assert owner["Where"] == owner["Who"] == "1"
    assert owner["Signed"] is None


def test_numbers_that_start_again_in_part_two() -> None:
    rows = [
        ("Item 1.", "Financial Statements", "2"),
        ("Item 2.", "Management’s Discussion and Analysis", "1"),
        ("Item 4.", "Controls and Procedures", "3"),
        ("Item 1.", "Legal Proceedings", "3"),
        ("Item 2.", "Unregistered Sales of Equity Securities", "4"),
        ("Item 6.", "Exhibits", "5"),
    ]
    body = (
        sheet(1, big("MANAGEMENT’S DISCUSSION AND ANALYSIS"), prose("Sales", 4))
        + sheet(2, big("FINANCIAL STATEMENTS"), prose("Cash", 4))
        + sheet(3, big("CONTROLS AND PROCEDURES"), prose("Control", 2), big("LEGAL PROCEEDINGS"), prose("Court", 2))
        + sheet(4, big("UNREGISTERED SALES OF EQUITY SECURITIES"), prose("Share", 4))
        + sheet(5, big("EXHIBITS"), prose("Exhibit", 2))
    )
    index = (
        big("FORM 10-Q CROSS-REFERENCE INDEX")
        + contents(rows[:3]).replace("</table>", "<tr><td>PART II</td></tr></table>")
        + contents(rows[3:])
    )
    parsed = parse(page("<p>Cover</p>" + BREAK, body, index + BREAK, bold("SIGNATURES"), form="10-Q"))
    assert {i.item: i.text.split(" paragraph")[0] for i in parsed.items} == {
        "I.1": "Cash", "I.2": "Sales", "I.4": "Control", "II.1": "Court", "II.2": "Share", "II.6": "Exhibit",
    }  # fmt: skip


BARE = [(label.removeprefix("Item ").rstrip("."), title, pages.replace("-", " to ")) for label, title, pages in ROWS]


def test_an_index_without_the_word_item() -> None:
    found = {x.item: x for x in filing(BARE, True).items}
    assert list(found) == [x.item for x in filing(ROWS, True).items]
    assert found["1"].text.startswith("WHO WE ARE\nWho paragraph 1")
    assert "Cash paragraph 4" in found["8"].text
    assert found["11"].status == "by_reference"


def test_market_risk_under_a_heading_as_heavy_stands_beside_the_discussion() -> None:
    rows = [*ROWS[:4], (*ROWS[4][:2], "3"), (*ROWS[5][:2], "4"), (*ROWS[6][:2], "5")]
    body = sheet(1, big("WHO WE ARE"), prose("Who", 4)) + sheet(2, big("RISKS"), prose("Risk", 2))
    body += sheet(3, big("MANAGEMENT’S DISCUSSION AND ANALYSIS"), prose("Sales", 2)) + sheet(4, big("MARKET RISK"), prose("Rate", 2))
    body += sheet(5, big("STATEMENT OF EARNINGS"), prose("Cash", 4))
    made = parse(
        page("<p>Cover</p>" + BREAK, big("FORM 10-K CROSS-REFERENCE INDEX") + contents(rows) + NOTE + BREAK, body, bold("SIGNATURES"))
    )
    found = {x.item: x for x in made.items}
    assert "Rate" not in found["7"].text
    assert found["7A"].text.startswith("Rate paragraph 1")


def test_market_risk_where_looks_tell_nothing_lies_inside_the_discussion() -> None:
    pages = ("1", "2", "Not applicable", "2", "3", "4", "5")
    rows = [(label, title, at) for (label, title, _), at in zip(ROWS, pages, strict=False)]
    titles = ("WHO WE ARE", "RISKS", "MANAGEMENT’S DISCUSSION AND ANALYSIS", "MARKET RISK", "STATEMENT OF EARNINGS")
    words = (prose("Who", 4), prose("Risk", 2), prose("Sales", 2), prose("Rate", 2), prose("Cash", 4))
    body = "".join(sheet(n, f"<p>{title}</p>", text) for n, (title, text) in enumerate(zip(titles, words, strict=True), 1))
    index = "<p>FORM 10-K CROSS-REFERENCE INDEX</p>" + contents(rows) + NOTE + BREAK
    found = {x.item: x for x in parse(page("<p>Cover</p>" + BREAK, index, body, "<p>SIGNATURES</p>")).items}
    assert "Rate paragraph 1" in found["7"].text
    assert (found["7"].covers, found["7A"].status) == (["7", "7A"], "pointer")


def test_a_form_s_name_in_an_index_is_no_page() -> None:
    assert _pages("Form 10-K Summary") == []
    assert _pages("Pages 4-8, 10 to 12, F-3 and 20-F") == [("4", "8"), ("10", "12"), ("F-3", None)]
