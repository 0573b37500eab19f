"""Margins of pages: what is taken out, what stays, and pages known by printed numbers only."""

from __future__ import annotations

from filingforest.parse.blocks import Block
from filingforest.parse.furniture import clean, page_label
from filingforest.parse.printed import page_by_numbers

from .pages import BREAK, bold, page, parse, prose


def test_page_labels() -> None:
    labels = {
        "5": "5",
        "- 12 -": "12",
        "F-3": "F-3",
        "Page 7 of 90": "7",
        "2023 Annual Report 5": "5",
        "41 ACME 2024 FORM 10-K": "41",
        "iv": "iv",
        "Looms": None,
    }
    assert {text: page_label(text) for text in labels} == labels


def test_what_is_said_once_at_an_edge_stays() -> None:
    blocks = []
    for n in range(6):
        blocks += [
            Block("ACME LOOMS, INC.", page=n),
            Block(f"First words of page {n} are about looms", page=n),
            *[Block(f"line {n} {k}", page=n) for k in range(9)],
        ]
        blocks += [
            Block("See the accompanying notes.", page=n) if n in (2, 4) else Block(f"Last words, {n} of them", page=n),
            Block(str(n + 1), page=n),
        ]
    found = clean(blocks)
    assert {b.text for b, _ in found.removed} == {"ACME LOOMS, INC.", "1", "2", "3", "4", "5", "6"}
    assert found.labels == {n: str(n + 1) for n in range(6)}


def test_titles_that_stand_only_in_the_header_are_kept_once() -> None:
    box = '<div style="min-height:20pt;width:100%"><p>{}</p></div>'
    parts = [
        box.format("Notes to Consolidated Financial Statements (Continued)" if n else "Notes to Consolidated Financial Statements")
        + prose(f"Sheet {n}", 5)
        + BREAK
        for n in range(5)
    ]
    parsed = parse(
        page(bold("Item 8. Financial Statements"), prose("Cash", 1), BREAK, *parts, box.format("Exhibit Index") + prose("Exhibit", 2))
    )
    assert parsed.text.count("Notes to Consolidated Financial Statements") == 1
    assert "Exhibit Index" in parsed.text


def test_pages_by_printed_numbers() -> None:
    blocks = [Block(text) for n in range(1, 8) for text in (f"words of page {n}", "in 1996 there were", "12", f"- {n} -")]
    paged = page_by_numbers(blocks)
    assert [b.page for b in paged if b.text.startswith("words")] == list(range(7))
    assert clean(paged).labels == {n: str(n + 1) for n in range(7)}
    few = [Block(text) for n in range(1, 4) for text in (f"words {n}", str(n))]
    assert page_by_numbers(few) == few


def test_the_line_below_each_statement_is_furniture_however_long_the_report() -> None:
    blocks = []
    for n in range(90):
        blocks += [Block(f"First words of page {n} are about looms", page=n), *[Block(f"line {n} {k}", page=n) for k in range(14)]]
        blocks += [Block("See accompanying notes to consolidated financial statements.", page=n)] if n in (40, 41, 42) else []
        blocks += [Block(f"We said of notes what page {n} says.", page=n), Block(str(n + 1), page=n)] if n not in (40, 41, 42) else []
    found = clean(blocks)
    assert [b.page for b, why in found.removed if "notes" in why] == [40, 41, 42]


def test_headers_of_five_lines_are_taken_whole() -> None:
    header = ("Table of Contents", "Acme Looms and Subsidiaries", "Notes to the Condensed Statements", "June 30, 2023", "(Unaudited)")
    blocks = []
    for n in range(8):
        blocks += [Block(text, page=n) for text in (*header, *(f"line {n} {k}" for k in range(14)))]
    assert {b.text for b in clean(blocks).blocks} & set(header) <= {"Notes to the Condensed Statements"}
