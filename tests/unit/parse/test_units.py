"""Sections, units, places, pages and keys. Values worked out by hand; what must always hold is tested on made-up pages."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from filingforest.parse.model import Parsed
from filingforest.text import sentences
from filingforest.tokens import count_tokens

from .pages import BREAK, bold, page, parse, prose


def test_sections_by_looks() -> None:
    heading = '<p style="font-size:{}pt"><b>{}</b></p>'
    parsed = parse(
        page(
            heading.format(16, "Item 7. Management’s Discussion and Analysis"), heading.format(14, "Results"), prose("Result", 1), heading.format(12, "Sales"),
            prose("Sale", 1), "<p><i>Europe</i></p>", prose("Europe", 1), heading.format(14, "Liquidity"), prose("Cash", 1),
        )
    )  # fmt: skip
    paths = {n.text.split(" paragraph")[0]: n.heading_path[1:] for n in parsed.nodes if n.kind == "text" and n.item}
    assert paths == {"Result": ["Results"], "Sale": ["Results", "Sales"], "Europe": ["Results", "Sales", "Europe"], "Cash": ["Liquidity"]}


MILLS = "We depend on three mills for nearly all of our cloth."
RULES = (
    "Changes in what the valleys allow to be woven, or in what they spend on cloth for their own needs, as well as long delays before they "
    "decide on either, could lower our revenues. Some valleys have decided nothing for years, and we cannot say when they will."
)
LEGEND = "All that is said in this part is said as of the day of this report, and we shall not say it again when it is no longer so, whatever comes."


def test_risk_factors_are_headed_by_sentences_however_long() -> None:
    parsed = parse(
        page(
            bold("Item 1A. Risk Factors"), bold(MILLS), prose("Mill", 2), bold(RULES), prose("Rule", 2), bold(LEGEND), bold("Other risks"),
            prose("Other", 1),
        )
    )  # fmt: skip
    paths = {n.text.split(" paragraph")[0]: n.heading_path[1:] for n in parsed.nodes if n.kind == "text" and n.item}
    assert paths["Mill"] == [MILLS]
    assert paths["Rule"] == [RULES]
    assert paths["Other"] == ["Other risks"]
    assert LEGEND in next(n.text for n in parsed.nodes if LEGEND in n.text and n.kind == "text"), "bold, but nothing that it introduces"
    header = next(n.header for n in parsed.nodes if n.text.startswith("Rule"))
    assert header is not None
    assert header.endswith("Item 1A Risk Factors > " + RULES[:239].rsplit(" ", 1)[0] + "…")


def test_notes_are_sections_with_labels() -> None:
    parsed = parse(
        page(
            bold("Item 8. Financial Statements"), bold("NOTES TO CONSOLIDATED FINANCIAL STATEMENTS"), bold("Note 7 - Debt"), prose("Debt", 1),
            bold("Maturities"), prose("Due", 1), bold("Note 8 - Leases"), prose("Lease", 1),
        )
    )  # fmt: skip
    notes = {n.heading: (n.label, n.label_path) for n in parsed.nodes if n.kind == "section" and n.label}
    assert notes == {"Note 7 - Debt": ("Note 7", "Item 8/Note 7"), "Note 8 - Leases": ("Note 8", "Item 8/Note 8")}
    due = next(n for n in parsed.nodes if n.text.startswith("Due"))
    assert due.heading_path[-2:] == ["Note 7 - Debt", "Maturities"]


def test_headers_say_where_a_unit_stands() -> None:
    parsed = parse(
        page("<p>(Exact name of registrant)</p>", bold("Item 1A. Risk Factors"), bold("Looms may break"), prose("Risk", 1)), form="10-K"
    )
    unit = next(n for n in parsed.nodes if n.text.startswith("Risk"))
    assert unit.header is not None
    assert unit.header.endswith("10-K | Item 1A Risk Factors > Looms may break")


def test_paragraphs_are_rejoined_over_pages_and_lists_are_not() -> None:
    first = "The company rents looms to mills in several valleys and is paid by the"
    rest = "yard of cloth that leaves them each month, less what is torn on the way."
    footer = '<p style="text-align:center">{}</p>' + BREAK
    parsed = parse(
        page(
            bold("Item 1. Business"), f"<p>{first}</p>", footer.format(1), f"<p>{rest}</p>", "<p>Cloth is sold by</p><p>• the yard, and</p>",
            footer.format(2), "<p>• the bale.</p>", prose("More"), footer.format(3), prose("End"),
        )
    )  # fmt: skip
    units = [n for n in parsed.nodes if n.kind == "text" and n.item == "1"]
    whole = next(n for n in units if first in n.text)
    assert f"{first} {rest}" in whole.text
    assert (whole.page, whole.page_label) == (0, "1")
    assert (whole.page_end or 0) >= 2
    assert "• the yard, and\n• the bale." in whole.text


def test_a_decimal_over_a_page_break_is_no_end() -> None:
    parsed = parse(
        page(
            bold("Item 1. Business"),
            "<p>Losses in the three years before came to $1.2, $1.3 and $1.4</p>" + BREAK + "<p>million, respectively.</p>" + prose("More"),
        )
    )
    assert "$1.4 million, respectively." in parsed.text


def check(parsed: Parsed) -> None:
    """What holds for every document."""
    assert len({n.node_id for n in parsed.nodes}) == len(parsed.nodes)
    keys = [n.unit_key for n in parsed.nodes if n.unit_key]
    assert len(set(keys)) == len(keys)
    by_id = {n.node_id: n for n in parsed.nodes}
    end = 0
    for node in parsed.nodes:
        if node.parent_id:
            parent = by_id[node.parent_id]
            assert node.clause_id > parent.clause_id
            assert node.ancestor_ids == [*parent.ancestor_ids, parent.clause_id]
        if node.unit_key:
            assert parsed.text[node.char_start : node.char_end] == node.text
            assert node.char_start is not None
            assert node.char_start >= end
            end = node.char_end or 0
            assert node.token_count == count_tokens(node.text) or node.kind == "text"


WORDS = st.text(alphabet="abc .,;:()\u2019\u00e9\u4e2d0123456789", min_size=1, max_size=400)
PIECES = st.one_of(
    WORDS.map(lambda w: f"<p>{w}</p>"),
    st.sampled_from(["Item 1. Business", "Item 1A. Risk Factors", "PART II", "Item 8. Financial Statements", "SIGNATURES", "Overview"]).map(bold),
    st.sampled_from([BREAK, "<p>12</p>", "<table><tr><td>Sales</td><td>1</td><td>2</td></tr><tr><td>Cost</td><td>3</td><td>4</td></tr></table>", "<br>", "<ul><li>x</li></ul>"]),
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.lists(PIECES, min_size=1, max_size=25))
def test_nodes_of_any_page_are_sound(pieces: list[str]) -> None:
    check(parse(page(*pieces)))


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="Ab. ?!1\u201d'", max_size=200))
def test_sentences_cover_a_paragraph(text: str) -> None:
    text = " ".join(text.split())
    ranges = sentences(text)
    assert "".join(text[a:b] for a, b in ranges).replace(" ", "") == text.replace(" ", "")
    assert all(a < b for a, b in ranges)


def test_long_paragraphs_are_cut_at_sentences() -> None:
    long = " ".join(f"Sentence {n} says that looms of the U.S. kind, e.g. no. {n}, hold." for n in range(60))
    parsed = parse(page(bold("Item 1. Business"), f"<p>{long}</p>"))
    units = [n for n in parsed.nodes if n.kind == "text" and n.item == "1"]
    assert len(units) > 1
    assert all(n.text.startswith("Sentence") and n.text.endswith("hold.") and n.token_count <= 350 for n in units)
    assert " ".join(n.text for n in units) == long
