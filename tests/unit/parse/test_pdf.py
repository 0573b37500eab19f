"""PDF pages whose every word was placed by hand come back as the paragraphs, headings and tables that were meant."""

from __future__ import annotations

import pytest

from filingforest.errors import EmptyDocument, TooLarge, WrongFormat
from filingforest.parse import parse_document
from filingforest.parse.blocks import Block
from filingforest.parse.model import DocumentHint, Parsed, TableUnit
from filingforest.parse.pdf import read_pdf
from filingforest.parse.pdf_words import read_pages
from tests.support.tiny_pdf import TinyPage, pdf_of

HINT = DocumentHint("folder:test", name="test.pdf")
PROSE = [
    "The company makes widgets of every kind and sells them to industrial customers in many",
    "countries. It was founded by three brothers who had little money and less knowledge, and",
    "who nevertheless built the largest works of its kind.",
]


def blocks_of(*pages: TinyPage) -> list[Block]:
    return read_pdf(pdf_of(*pages), HINT)


def texts(blocks: list[Block]) -> list[str]:
    return [b.text for b in blocks]


def statement(page: TinyPage, y: float = 100) -> None:
    """A balance sheet with its currency signs set far from their numbers, an indent, a wrapped label and a spanning header."""
    page.centre(306, y, "CONSOLIDATED BALANCE SHEETS", bold=True)
    page.centre(306, y + 12, "(in millions)")
    page.centre(470, y + 36, "December 31,", bold=True)
    page.right(440, y + 48, "2023", bold=True)
    page.right(530, y + 48, "2022", bold=True)
    page.text(72, y + 62, "Current assets:")
    rows = [
        (82, "Cash and cash equivalents", "1,234", "1,100", True),
        (82, "Accounts receivable, less allowances for doubtful accounts of", "", "", False),
        (90, "$12 and $11", "567", "(489)", False),
        (72, "Total assets", "1,801", "611", True),
        (72, "Total liabilities", "801", "111", True),
    ]
    for i, (x, label, first, second, signs) in enumerate(rows):
        place = y + 74 + 12 * i
        page.text(x, place, label)
        if signs:
            page.text(405, place, "$")
            page.text(495, place, "$")
        if first:
            page.right(440, place, first)
            page.right(530 + (3 if second.endswith(")") else 0), place, second)


def the_table(blocks: list[Block]) -> TableUnit:
    (table,) = [b.table for b in blocks if b.table]
    return table.unit


def test_a_paragraph_is_rejoined_and_a_heading_stands_apart() -> None:
    page = TinyPage()
    page.text(72, 80, "Item 1. Business", bold=True)
    page.paragraph(72, 100, PROSE)
    page.paragraph(72, 160, ["A second paragraph."])
    blocks = blocks_of(page)
    assert texts(blocks) == ["Item 1. Business", " ".join(PROSE), "A second paragraph."]
    assert [round(b.style.bold) for b in blocks] == [1, 0, 0]
    assert {b.page for b in blocks} == {0}


def test_a_statement_keeps_its_numbers_under_their_years() -> None:
    page = TinyPage()
    statement(page)
    blocks = blocks_of(page)
    unit = the_table(blocks)
    assert unit.title == "CONSOLIDATED BALANCE SHEETS"
    assert unit.scale_note == "(in millions)"
    assert unit.columns == ["December 31, 2023", "December 31, 2022"]
    rows = {row["label"]: row for row in unit.rows}
    assert rows["Current assets:"]["kind"] == "group"
    assert rows["Cash and cash equivalents"]["values"] == [1234.0, 1100.0]
    assert rows["Cash and cash equivalents"]["parent"] == "Current assets:"
    assert rows["Accounts receivable, less allowances for doubtful accounts of $12 and $11"]["values"] == [567.0, -489.0]
    assert rows["Total assets"]["values"] == [1801.0, 611.0]
    assert rows["Total assets"]["level"] == 0
    assert rows["Total assets"]["unit"] == "USD, millions"
    linear = next(b.text for b in blocks if b.table)
    assert "Cash and cash equivalents | 2023: $1,234 million | 2022: $1,100 million" in linear


def test_prose_above_and_below_stays_out_of_the_table() -> None:
    page = TinyPage()
    page.paragraph(72, 60, PROSE)
    statement(page, 140)
    page.paragraph(72, 300, PROSE)
    blocks = blocks_of(page)
    assert texts(blocks)[0] == texts(blocks)[-1] == " ".join(PROSE)
    assert [row["label"] for row in the_table(blocks).rows][-2:] == ["Total assets", "Total liabilities"]


def test_two_columns_of_prose_are_read_one_after_the_other() -> None:
    page = TinyPage()
    left = [f"left line number {'abcdefghijklmnop'[i]} of the first column," for i in range(12)]
    right = [f"right line number {'abcdefghijklmnop'[i]} of the second column," for i in range(12)]
    for i in range(12):
        page.text(60, 100 + 12 * i, left[i])
        page.text(330, 100 + 12 * i, right[i])
    assert texts(blocks_of(page)) == [" ".join(left), " ".join(right)]


@pytest.mark.parametrize("turn", [90, 270])
def test_a_turned_page_is_read_as_it_is_shown(turn: int) -> None:
    page = TinyPage(turn=turn)
    page.paragraph(72, 100, PROSE)
    assert len(blocks_of(page)) == 1


def test_a_table_set_sideways_is_read_upright() -> None:
    page = TinyPage(upwards=True)
    statement(page)
    unit = the_table(blocks_of(page))
    assert unit.columns == ["December 31, 2023", "December 31, 2022"]
    assert {r["label"]: r.get("values") for r in unit.rows}["Total assets"] == [1801.0, 611.0]


def report(pages: int = 6) -> bytes:
    made = []
    for number in range(pages):
        page = TinyPage()
        page.centre(306, 30, "ACME WIDGETS, INC.", size=8)
        if number == 0:
            page.centre(306, 90, "FORM 10-K", size=16, bold=True)
            page.centre(306, 120, "For the fiscal year ended December 31, 2023")
            page.centre(306, 150, "Acme Widgets, Inc.", size=14, bold=True)
            page.centre(306, 165, "(Exact name of registrant as specified in its charter)")
        elif number == 1:
            page.text(72, 80, "Item 1. Business", bold=True, size=12)
            page.paragraph(72, 690, PROSE[:2])
        elif number == 2:
            page.paragraph(72, 60, PROSE[2:])
            page.text(72, 100, "Item 7. Management's Discussion and Analysis of Financial Condition", bold=True, size=12)
            page.paragraph(72, 120, PROSE)
        elif number == 3:
            page.text(72, 80, "Item 8. Financial Statements and Supplementary Data", bold=True, size=12)
            statement(page, 140)
        else:
            page.paragraph(72, 80, [f"Note {number} tells of something else again, and of its consequences."])
        page.centre(306, 770, str(number), size=8)
        made.append(page)
    return pdf_of(*made)


@pytest.fixture(scope="module")
def parsed() -> Parsed:
    return parse_document(report(), HINT)


def test_the_cover_says_company_form_and_year(parsed: Parsed) -> None:
    document = parsed.document
    assert (document["company"], document["form"], document["fiscal_year"], document["period_end"]) == (
        "Acme Widgets, Inc.", "10-K", 2023, "2023-12-31",
    )  # fmt: skip
    assert {"company", "form", "fiscal_year", "period_end"} <= set(document["inferred"])


def test_items_and_pages_come_out_as_from_html(parsed: Parsed) -> None:
    assert [(i.item, i.status) for i in parsed.items] == [("1", "full"), ("7", "full"), ("8", "full")]
    (table,) = [n for n in parsed.nodes if n.kind == "table"]
    assert (table.item, table.page, table.statement) == ("8", 3, "balance_sheet")


def test_running_headers_go_and_a_split_paragraph_is_one_again(parsed: Parsed) -> None:
    assert "ACME WIDGETS, INC." not in parsed.text
    (unit,) = [n for n in parsed.nodes if n.kind == "text" and n.item == "1"]
    assert unit.text == " ".join(PROSE)
    assert (unit.page, unit.page_end) == (1, 2)


def test_a_scan_has_no_text() -> None:
    with pytest.raises(EmptyDocument, match="text recognition"):
        blocks_of(TinyPage(), TinyPage())


@pytest.mark.parametrize("content", [b"%PDF-1.4\nnothing of use", report()[:900]])
def test_a_damaged_pdf_is_a_typed_error(content: bytes) -> None:
    with pytest.raises(WrongFormat) as caught:
        read_pdf(content, HINT)
    assert caught.value.document == "folder:test"
    assert caught.value.remedy


def test_too_many_pages() -> None:
    with pytest.raises(TooLarge, match="3 pages"):
        list(read_pages(pdf_of(TinyPage(), TinyPage(), TinyPage()), max_pages=2))
