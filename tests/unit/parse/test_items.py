"""Where items start and end, on layouts that trip parsers. Expected values were worked out by hand."""

from __future__ import annotations

import pytest

from .pages import BREAK, bold, contents, items, page, parse, prose

TOC = [
    ("Item 1.", "Business", "3"),
    ("Item 1A.", "Risk Factors", "9"),
    ("Item 3.", "Legal Proceedings", "15"),
    ("Item 7.", "Management’s Discussion and Analysis", "20"),
]


@pytest.mark.parametrize(
    ("heading", "item", "covers"),
    [
        ("<p><b>Item</b> <b>1</b><b>.</b> <span>Business</span></p>", "1", ["1"]),
        ("<p><b>I</b><b>TEM 1.</b><b> BUSINESS</b></p>", "1", ["1"]),
        ("<p><b>Item 1.</b></p><p><b>Business</b></p>", "1", ["1"]),
        ("<p><b>ITEM 1<br/>BUSINESS</b></p>", "1", ["1"]),
        ("<table><tr><td><b>Item</b></td><td><b>1.</b></td><td><b>Business</b></td></tr></table>", "1", ["1"]),
        ("<p><b>Item&#160;1&#160;&#8212;&#160;Business</b></p>", "1", ["1"]),
        ("<p><b>PART I, Item 1. Business</b></p>", "1", ["1"]),
        ("<p>ITEM 1. BUSINESS</p>", "1", ["1"]),
        ("<p>Item 1. Business</p>", "1", ["1"]),
        ("<h2>Item 1: Our Business</h2>", "1", ["1"]),
        ('<p><b><a href="#toc">Item 1. Business</a></b></p>', "1", ["1"]),
        ("<p><u>Item 1.</u> <u>Description of Business</u></p>", "1", ["1"]),
        ("<p><b>Items 1 and 2. Business and Properties</b></p>", "1", ["1", "2"]),
        ("<p><b>Items 1. and 2. Business and Properties</b></p>", "1", ["1", "2"]),
        ("<p><b>Item 1 and Item 2. Business and Properties</b></p>", "1", ["1", "2"]),
        ("<p><b>Items 1 &amp; 2 - Business and Properties</b></p>", "1", ["1", "2"]),
        ("<p><b>Item No. 1. Business</b></p>", "1", ["1"]),
        ("<p><b>ITEM #1 BUSINESS</b></p>", "1", ["1"]),
        ("<p><b>Item 1.Business</b></p>", "1", ["1"]),
        ("<p><b>Item One. Business</b></p>", "1", ["1"]),
        ("<p><b>ITEMS ONE AND TWO: BUSINESS AND PROPERTIES</b></p>", "1", ["1", "2"]),
    ],
)
def test_headings_of_every_make(heading: str, item: str, covers: list[str]) -> None:
    found = items(page(bold("PART I"), heading, prose("Loom"), bold("Item 3. Legal Proceedings"), prose("Court", 1)))
    assert list(found) == [item, "3"]
    assert found[item].covers == covers
    assert found[item].text.startswith("Loom paragraph 1")
    assert found[item].text.rstrip().endswith("each month.")
    assert "Court" not in found[item].text


def test_a_range_of_items_shares_one_body() -> None:
    found = items(
        page(
            bold("Item 9B. Other Information"),
            prose("Else", 1),
            bold("Items 10 through 14."),
            "<p>See the proxy statement.</p>",
            bold("SIGNATURES"),
        )
    )
    assert found["10"].covers == ["10", "11", "12", "13", "14"]
    assert found["10"].part == "III"


def test_a_suffix_t_is_the_item_itself() -> None:
    found = items(
        page(
            bold("Item 9. Changes in and Disagreements with Accountants"),
            "<p>None.</p>",
            bold("Item 9A(T). Controls and Procedures"),
            prose("Control"),
        )
    )
    assert list(found) == ["9", "9A"]
    assert found["9"].status == "none"


def test_the_body_may_run_on_in_the_headings_paragraph() -> None:
    found = items(
        page(
            "<p><b>Item 1. Business.</b> The company rents looms to mills in several valleys.</p>" + prose("Loom"),
            "<p>Item 3. Legal Proceedings. The company is a party to one dispute over a broken shuttle, which it expects to win.</p>",
            "<p><b>Item 4. Mine Safety Disclosures.</b> Not applicable.</p>",
        )
    )
    assert found["1"].heading == "Item 1. Business."
    assert found["1"].text.startswith("The company rents looms")
    assert found["3"].text == "The company is a party to one dispute over a broken shuttle, which it expects to win."
    assert (found["4"].text, found["4"].status) == ("Not applicable.", "none")


def test_contents_with_the_same_labels_are_no_headings() -> None:
    plain_rows = "".join(f"<p>{a} {b}</p>" for a, b, _ in TOC)
    for listing in (contents(TOC), plain_rows, "".join(f"<p>{a} {b} . . . . . . . {c}</p>" for a, b, c in TOC)):
        body = "".join(bold(f"{a} {b}") + prose(b) for a, b, _ in TOC)
        found = items(page("<p>TABLE OF CONTENTS</p>", listing, body))
        assert list(found) == ["1", "1A", "3", "7"]
        assert found["1A"].text.startswith("Risk Factors paragraph 1")
        assert found["1"].text.endswith("each month.")


def test_prose_that_begins_with_a_label_starts_nothing() -> None:
    mentions = [
        "Item 1A of this report describes what may go wrong with looms.",
        "Item 1A, “Risk Factors,” describes what may go wrong with looms.",
        "Item 7 and the notes should be read together with this discussion of looms and of mills, which is long enough.",
        "Items 1A and 7 contain more.",
    ]
    text = "".join(f"<p>{m}</p>" + prose("More", 1) for m in mentions)
    found = items(
        page(
            bold("Item 1. Business"),
            prose("Loom"),
            text,
            bold("Item 1A. Risk Factors"),
            prose("Risk"),
            bold("Item 7. Management’s Discussion and Analysis"),
            prose("Sales"),
        )
    )
    assert list(found) == ["1", "1A", "7"]
    assert all(m.replace("“", "").split(",")[0][:12] in found["1"].text.replace("“", "") for m in mentions)
    assert found["1A"].text.startswith("Risk paragraph 1")


def test_a_reference_split_from_its_sentence_starts_nothing() -> None:
    found = items(
        page(
            bold("Item 7. Management’s Discussion and Analysis"),
            prose("Sales"),
            "<p>For more, see</p><p>Item 1A. Risk Factors</p>" + prose("More"),
            bold("Item 8. Financial Statements"),
            prose("Cash"),
        )
    )
    assert list(found) == ["7", "8"]


def test_running_headers_that_repeat_the_item_are_taken_out() -> None:
    header = '<p style="font-size:7pt">ITEM {}</p>'
    parts = []
    for n in range(6):
        parts.append(
            f'<p style="text-align:center">{n + 2}</p>{BREAK}<p><a href="#toc">Table of Contents</a></p>'
            + header.format("1. BUSINESS" if n < 3 else "1A. RISK FACTORS")
        )
        if n in (0, 3):
            parts.append(bold("Item 1. Business" if n == 0 else "Item 1A. Risk Factors"))
        parts.append(prose(f"Sheet {n}", 4))
    parsed = parse(page("<p>Cover</p>", *parts))
    assert [(i.item, i.text.count("paragraph")) for i in parsed.items] == [("1", 12), ("1A", 12)]
    assert "Table of Contents" not in parsed.text
    assert "ITEM 1. BUSINESS" not in parsed.text


def test_a_header_that_looks_like_its_heading_leaves_the_first_one() -> None:
    parts = [f"{BREAK}{bold('Item 1. Business')}" + prose(f"Sheet {n}", 6) for n in range(5)]
    parts += [f"{BREAK}{bold('Item 1A. Risk Factors')}" + prose(f"Risk {n}", 6) for n in range(5)]
    found = items(page("<p>Cover</p>", *parts))
    assert [(k, v.text.count("paragraph")) for k, v in found.items()] == [("1", 30), ("1A", 30)]
    assert "Item 1. Business" not in found["1"].text


def test_titles_without_numbers_are_found_through_the_contents() -> None:
    rows = [*TOC[:2], ("Item 2.", "Properties", "12"), *TOC[2:]]
    body = [bold(f"{a} {b}" if a != "Item 2." else "PROPERTIES") + prose(b) for a, b, _ in rows]
    found = items(page("<p>TABLE OF CONTENTS</p>", contents(rows), *body))
    assert list(found) == ["1", "1A", "2", "3", "7"]
    assert found["2"].text.startswith("Properties paragraph 1")


def test_part_headings_and_signatures_end_items() -> None:
    found = items(
        page(
            bold("PART I"), bold("Item 4. Mine Safety Disclosures"), "<p>Not applicable.</p>", bold("PART II"), "<p>Some words on Part II as a whole.</p>",
            bold("Item 9B. Other Information"), "<p>None.</p>", bold("PART III"), bold("Item 16. Form 10-K Summary"), "<p>None.</p>", bold("SIGNATURES"), prose("Signed"),
        )
    )  # fmt: skip
    assert [(k, v.text) for k, v in found.items()] == [("4", "Not applicable."), ("9B", "None."), ("16", "None.")]


def test_executive_officers_between_items_4_and_5_are_item_4a() -> None:
    found = items(
        page(
            bold("Item 4. Mine Safety Disclosures"),
            "<p>Not applicable.</p>",
            bold("Executive Officers of the Registrant"),
            prose("Officer"),
            bold("Item 5. Market for Registrant’s Common Equity"),
            prose("Market"),
        )
    )
    assert list(found) == ["4", "4A", "5"]
    assert found["4"].status == "none"


def test_an_item_in_an_unusual_place_is_kept() -> None:
    found = items(
        page(
            bold("Item 1. Business"),
            prose("Loom"),
            bold("Item 7. Management’s Discussion and Analysis"),
            prose("Sales"),
            bold("Item 6. Selected Financial Data"),
            prose("Old"),
            bold("Item 8. Financial Statements"),
            prose("Cash"),
        )
    )
    assert list(found) == ["1", "7", "6", "8"]


def test_statuses() -> None:
    found = items(
        page(
            bold("Item 1. Business"), prose("Loom"),
            bold("Item 3. Legal Proceedings"), "<p>See Note 12 to the consolidated financial statements in Item 8.</p>",
            bold("Item 6. [Reserved]"),
            bold("Item 9. Changes in and Disagreements with Accountants"), "<p>None.</p>",
            bold("Item 11. Executive Compensation"), "<p>The information required by this item is incorporated by reference to our definitive Proxy Statement.</p>",
        )
    )  # fmt: skip
    assert {k: v.status for k, v in found.items()} == {"1": "full", "3": "pointer", "6": "reserved", "9": "none", "11": "by_reference"}


def statements() -> str:
    """Two statements with enough rows to be told as such."""

    def table(title: str, *labels: str) -> str:
        rows = "".join(f"<tr><td>{x}</td><td>{n}20</td><td>{n}10</td></tr>" for n, x in enumerate(labels, 1))
        return bold(title) + f"<table><tr><td></td><td>2024</td><td>2023</td></tr>{rows}</table>"

    income = table(
        "CONSOLIDATED STATEMENTS OF INCOME",
        "Revenue",
        "Cost of sales",
        "Gross profit",
        "Operating expenses",
        "Operating income",
        "Income taxes",
        "Net income",
    )
    balance = table(
        "CONSOLIDATED BALANCE SHEETS",
        "Cash",
        "Receivables",
        "Total assets",
        "Accounts payable",
        "Total liabilities",
        "Retained earnings",
        "Total liabilities and equity",
    )
    return bold("REPORT OF INDEPENDENT REGISTERED PUBLIC ACCOUNTING FIRM") + prose("Audit") + income + balance


def test_statements_behind_the_signatures_are_item_8s() -> None:
    parsed = parse(
        page(
            bold("Item 7. Management’s Discussion and Analysis"), prose("Sales"), bold("Item 8. Financial Statements and Supplementary Data"),
            "<p>The financial statements begin on page F-1.</p>", bold("Item 15. Exhibits"), prose("Exhibit"), bold("SIGNATURES"), prose("Signed"), BREAK + statements(),
        )
    )  # fmt: skip
    found = {i.item: i for i in parsed.items}
    assert found["8"].status == "pointer"
    assert "Audit" not in found["15"].text
    tables = [n for n in parsed.nodes if n.kind == "table"]
    assert [n.item for n in tables] == ["8", "8"]
    assert {n.item for n in parsed.nodes if "Signed" in n.text} == {None}


@pytest.mark.parametrize(
    ("form", "headings", "expected"),
    [
        ("10-K405", ["Item 1. Business", "Item 14. Exhibits, Financial Statement Schedules and Reports on Form 8-K"], [("1", "I"), ("14", "IV")]),
        ("10-K", ["Item 13. Certain Relationships", "Item 14. Principal Accountant Fees and Services"], [("13", "III"), ("14", "III")]),
        ("10-KSB", ["Item 6. Management’s Discussion and Analysis or Plan of Operation", "Item 7. Financial Statements"], [("6", "II"), ("7", "II")]),
        ("8-K", ["Item 2.02 Results of Operations and Financial Condition", "Item 9.01 Financial Statements and Exhibits"], [("2.02", None), ("9.01", None)]),
        ("8-K", ["Item 5. Other Events", "Item 7. Financial Statements and Exhibits"], [("5", None), ("7", None)]),
        ("20-F", ["Item 5. Operating and Financial Review and Prospects", "Item 16A. Audit Committee Financial Expert"], [("5", "I"), ("16A", "II")]),
        ("10-Q", ["PART I", "Item 2. Management’s Discussion and Analysis", "PART II", "Item 2. Unregistered Sales of Equity Securities"], [("I.2", "I"), ("II.2", "II")]),
        ("10-Q", ["Item 1. Financial Statements", "Item 1. Legal Proceedings", "Item 6. Exhibits"], [("I.1", "I"), ("II.1", "II"), ("II.6", "II")]),
    ],
)  # fmt: skip
def test_forms(form: str, headings: list[str], expected: list[tuple[str, str | None]]) -> None:
    parsed = parse(page(*[bold(h) + (prose("Body") if h.startswith("Item") else "") for h in headings], form=form))
    assert parsed.document["form"] == form
    assert [(i.item, i.part) for i in parsed.items] == expected
    assert all(i.text.count("paragraph") == 3 for i in parsed.items)


def test_an_annex_without_a_known_form_has_sections_only() -> None:
    parsed = parse("<html><body>" + bold("Item 1. Business") + prose("Loom") + "</body></html>", form="EX-10.1")
    assert parsed.items == []
    assert any(n.kind == "section" and n.heading == "Item 1. Business" for n in parsed.nodes)


def test_combined_items_without_a_title() -> None:
    """ "Items 10, 11, 12 and 13." on a line of its own, in the type of the text, as filings of the 1990s have it."""
    text = page(
        *(f"<p>{x}</p>" for x in ("PART II", "Item 9. Changes in and Disagreements with Accountants", "None.", "PART III")),
        "<p>Items 10, 11, 12 and 13.</p><p>The information is incorporated by reference to the proxy statement.</p>",
        "<p>PART IV</p><p>Item 14. Exhibits, Financial Statement Schedules, and Reports on Form 8-K</p>",
        prose("Exhibits", 2),
    )
    found = items(text)
    assert found["10"].covers == ["10", "11", "12", "13"]
    assert found["10"].status == "by_reference"
    assert found["9"].text == "None."


def test_a_letter_of_the_number_that_touches_the_title() -> None:
    parts = (
        "ITEM 1BUSINESS",
        "ITEM 1ARISK FACTORS",
        "ITEM 1BUNRESOLVED STAFF COMMENTS",
        "ITEM 2PROPERTIES",
        "ITEM 9CONTROLS AND PROCEDURES",
    )
    found = items(page(*(bold(part) + prose(part.title(), 2) for part in parts)))
    assert list(found) == ["1", "1A", "1B", "2", "9"]


def test_titles_without_any_number_as_the_contents_name_them() -> None:
    """No item label in the body and no printed pages: the titles decide."""
    titles = [("1", "Business"), ("1A", "Risk Factors"), ("2", "Properties"), ("3", "Legal Proceedings"), ("9A", "Controls and Procedures")]
    rows = "".join(f"<tr><td>Item {code}.</td><td>{title}</td><td>{n + 3}</td></tr>" for n, (code, title) in enumerate(titles))
    found = items(page(f"<table>{rows}</table>", *(bold(title.upper()) + prose(title, 2) for _, title in titles)))
    assert {code: item.text.split(" paragraph")[0] for code, item in found.items()} == dict(titles)


def test_numbers_without_the_word() -> None:
    """Number and title must agree: a list in the body has numbers too."""
    found = items(
        page(
            bold("1. Business"),
            prose("Loom"),
            bold("2. We began to weave"),
            prose("Weave", 1),
            bold("1A. Risk Factors"),
            prose("Risk"),
            bold("7. Management’s Discussion and Analysis of Financial Condition and Results of Operations"),
            prose("Sales"),
        )
    )
    assert list(found) == ["1", "1A", "7"]
    assert "Weave paragraph 1" in found["1"].text
    assert found["1A"].text.startswith("Risk paragraph 1")


@pytest.mark.parametrize(
    "body", ["<b>Item 1B. Unresolved Staff Comments.</b> None.", "<b>Item 1B. Unresolved Staff Comments. Not applicable</b>"]
)
def test_nothing_said_in_the_heading_s_own_paragraph(body: str) -> None:
    found = items(
        page(bold("Item 1A. Risk Factors"), prose("Risk"), f"<p>{body}</p>", bold("Item 3. Legal Proceedings"), prose("Court", 1))
    )
    assert list(found) == ["1A", "1B", "3"]
    assert (found["1B"].status, found["1B"].text.strip(" .")) == ("none", "None" if "None" in body else "Not applicable")


def test_prose_that_opens_with_items_is_no_list_of_them() -> None:
    found = items(
        page(
            bold("Item 1. Business"),
            prose("Loom"),
            "<p>Item 1A of this report tells of risks that could harm the company and is to be read with care.</p>",
            "<p>Item 7. of our report for 2023 told of a change in policy, which is not told again here.</p>",
            bold("Item 1A. Risk Factors"),
            prose("Risk"),
            bold("Item 7. Management’s Discussion and Analysis"),
            prose("Sales"),
        )
    )
    assert found["1"].text.endswith("not told again here.")
