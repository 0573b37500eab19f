"""Text files keep every character where it was; what the grid of characters means is read off it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from filingforest.parse import parse_document
from filingforest.parse.model import DocumentHint, Parsed
from filingforest.parse.plain import parse_plain, read_plain

HINT = DocumentHint("folder:test", name="test.txt")
FILING = """\
                                   FORM 10-K

                  For the fiscal year ended December 31, 1996

                               ACME WIDGETS, INC.
             (Exact name of registrant as specified in its charter)

<PAGE>
                                     PART I

ITEM 1.  BUSINESS

     Acme Widgets, Inc. (the "Company") makes widgets of every kind for the
industrial market.  The Company was founded in 1921 and has  plants in 4 states
and in Canada.  Sales rose 4.1%.

     The research & development of widgets &amp; gadgets goes on, and the plants
are busy with orders from all over the
                                      -1-
<PAGE>
continent, which the Company thinks it can fill.

ITEM 8.  FINANCIAL STATEMENTS

                        CONSOLIDATED STATEMENTS OF INCOME
                    (in thousands, except per share amounts)

<TABLE>
<CAPTION>
                                                 Years ended December 31,
                                              -----------------------------
                                                1996       1995       1994
<S>                                           <C>        <C>        <C>
Net sales.................................    $12,345    $11,234    $10,123
Costs and expenses:
  Cost of sales...........................      7,000      6,500      6,100
  Selling, general and
    administrative........................      2,000      1,900      1,800
                                              -------    -------    -------
Net income (loss).........................    $ 3,345    $(2,834)   $ 2,223
                                              =======    =======    =======
Net income (loss) per share...............    $  1.12    $  (.95)   $   .74
</TABLE>
                                      -2-
<PAGE>
ITEM 9.  CHANGES IN AND DISAGREEMENTS WITH ACCOUNTANTS

     None.
                                      -3-
"""


@pytest.fixture(scope="module")
def parsed() -> Parsed:
    return parse_plain(FILING, HINT)


def test_the_text_is_the_files_own_and_places_point_into_it(parsed: Parsed) -> None:
    assert parsed.text == FILING
    for node in parsed.nodes:
        assert node.char_start is not None
        assert node.char_end is not None
        there = FILING[node.char_start : node.char_end]
        assert there == there.strip() or node.kind == "document"
        if node.kind == "text":
            assert node.text.split()[0] == there.split()[0]
            assert node.text.split()[-1] == there.split()[-1]


def test_a_table_of_characters(parsed: Parsed) -> None:
    (node,) = [n for n in parsed.nodes if n.kind == "table"]
    assert node.table is not None
    assert node.item == "8"
    assert node.table["scale_note"] == "(in thousands, except per share amounts)"
    assert node.table["columns"] == [f"Years ended December 31, {year}" for year in (1996, 1995, 1994)]
    rows = {row["label"]: row.get("values") for row in node.table["rows"]}
    assert rows["Net sales"] == [12345.0, 11234.0, 10123.0]
    assert rows["Selling, general and administrative"] == [2000.0, 1900.0, 1800.0]
    assert rows["Net income (loss)"] == [3345.0, -2834.0, 2223.0]
    assert rows["Net income (loss) per share"] == [1.12, -0.95, 0.74]
    levels = {row["label"]: row["level"] for row in node.table["rows"]}
    assert levels["Cost of sales"] == levels["Costs and expenses:"] + 1


def test_pages_paragraphs_and_items(parsed: Parsed) -> None:
    assert [(i.item, i.status) for i in parsed.items] == [("1", "full"), ("8", "full"), ("9", "none")]
    first, second = parsed.items[0].text.split("\n")
    assert first.endswith("industrial market. The Company was founded in 1921 and has plants in 4 states and in Canada. Sales rose 4.1%.")
    assert second == (
        "The research & development of widgets & gadgets goes on, and the plants are busy with orders from all over the "
        "continent, which the Company thinks it can fill."
    )
    pages = {(n.page, n.page_end) for n in parsed.nodes if n.item == "1" and n.kind == "text"}
    assert pages == {(1, 2)}
    assert parsed.document["company"] == "ACME WIDGETS, INC."
    assert parsed.document["fiscal_year"] == 1996


def test_form_feeds_are_pages_and_a_text_without_them_has_none() -> None:
    assert [b.page for b in read_plain("\f\n one\n\ftwo\n")] == [0, 1]
    assert [b.page for b in read_plain("one\n\ntwo\n")] == [None, None]


def test_a_byte_order_mark_is_dropped_and_nothing_else() -> None:
    text = "Título\r\n\r\n  Überschrift\u00a0mit\tTab\r\n"
    assert parse_document(b"\xef\xbb\xbf" + text.encode(), HINT).text == text
    assert parse_document(text.encode("utf-16"), HINT).text == text


def test_justified_prose_is_no_table() -> None:
    text = "\n".join(
        [
            "In   1996   the  Company  sold   12,345  widgets  in   4  countries,",
            "and   in   1995   some   11,234   of   them,  mostly   to  its  own",
            "subsidiaries   at   prices   between   $4   and   $5  a  piece.  The",
            "widgets cost $3 to make.",
        ]
    )
    blocks = read_plain(text)
    assert [b.kind for b in blocks] == ["text"]
    assert blocks[0].text.startswith("In 1996 the Company sold 12,345 widgets in 4 countries, and in 1995")


def test_chinese_lines_are_joined_without_spaces() -> None:
    text = "第一条　本办法适用于所有在中华人民共和国境内注册成立的股份有限公司以及其他组织和个人\n从事的各项业务活动。\n"
    assert read_plain(text)[0].text.endswith("组织和个人从事的各项业务活动。")


@given(st.text(alphabet=st.sampled_from("abc ABC 123 $,.()-—\n\t\f\r第条<PAGE>&;"), max_size=400))
def test_any_text_survives_and_every_word_is_somewhere(text: str) -> None:
    blocks = read_plain(text)
    for block in blocks:
        assert block.span is not None
        start, end = block.span
        assert 0 <= start <= end <= len(text)
    assert [b.span for b in blocks] == sorted(b.span for b in blocks if b.span)
