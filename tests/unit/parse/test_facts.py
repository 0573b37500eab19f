"""Inline-XBRL facts against values worked out by hand: transforms, scale and sign, contexts, units, continuations."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from filingforest.parse.facts import FactBook, label_of
from filingforest.parse.facts_values import decimal_text, transform
from filingforest.parse.markup import page_of
from filingforest.parse.mentions import mentions_of_table, mentions_of_text

RESOURCES = """
<xbrli:context id="year"><xbrli:entity><xbrli:identifier scheme="http://www.sec.gov/CIK">0000000042</xbrli:identifier></xbrli:entity>
 <xbrli:period><xbrli:startDate>2023-10-01</xbrli:startDate><xbrli:endDate>2024-09-28</xbrli:endDate></xbrli:period></xbrli:context>
<xbrli:context id="seg"><xbrli:entity><xbrli:identifier>0000000042</xbrli:identifier><xbrli:segment>
 <xbrldi:explicitMember dimension="srt:ProductOrServiceAxis">us-gaap:ServiceMember</xbrldi:explicitMember>
 <xbrldi:typedMember dimension="x:StartAxis"><x:domain>2025-01-01</x:domain></xbrldi:typedMember></xbrli:segment></xbrli:entity>
 <xbrli:period><xbrli:instant>2024-09-28</xbrli:instant></xbrli:period></xbrli:context>
<xbrli:context id="sub"><xbrli:entity><xbrli:identifier>0000000042</xbrli:identifier><xbrli:segment>
 <xbrldi:explicitMember dimension="dei:LegalEntityAxis">x:DaughterMember</xbrldi:explicitMember></xbrli:segment></xbrli:entity>
 <xbrli:period><xbrli:instant>2024-09-28</xbrli:instant></xbrli:period></xbrli:context>
<xbrli:unit id="usd"><xbrli:measure>iso4217:USD</xbrli:measure></xbrli:unit>
<xbrli:unit id="pure"><xbrli:measure>xbrli:pure</xbrli:measure></xbrli:unit>
<xbrli:unit id="eps"><xbrli:divide><xbrli:unitNumerator><xbrli:measure>iso4217:USD</xbrli:measure></xbrli:unitNumerator>
 <xbrli:unitDenominator><xbrli:measure>xbrli:shares</xbrli:measure></xbrli:unitDenominator></xbrli:divide></xbrli:unit>
"""


def book(body: str, hidden: str = "", prefix: str = "ix", names: str = "") -> FactBook:
    declared = f'xmlns:{prefix}="http://www.xbrl.org/2013/inlineXBRL" {names}'
    resources = f"<{prefix}:hidden>{hidden}</{prefix}:hidden><{prefix}:resources>{RESOURCES}</{prefix}:resources>"
    header = f"<{prefix}:header>{resources}</{prefix}:header>"
    return FactBook.collect(page_of(f"<html {declared}><body>{header}{body}</body></html>"))


def number(text: str, attributes: str = "", unit: str = "usd", context: str = "year") -> str:
    fixed = f'name="us-gaap:NetIncomeLoss" contextRef="{context}" unitRef="{unit}" decimals="-6"'
    return f"<ix:nonFraction {fixed} {attributes}>{text}</ix:nonFraction>"


def words(text: str, name: str = "x:Policy", attributes: str = "", context: str = "year") -> str:
    return f'<ix:nonNumeric name="{name}" contextRef="{context}" {attributes}>{text}</ix:nonNumeric>'


@pytest.mark.parametrize(
    ("fmt", "text", "value"),
    [
        ("ixt:num-dot-decimal", "1,234,567.80", "1234567.80"),
        ("ixt:numdotdecimal", "1 234.5", "1234.5"),
        ("ixt:num-comma-decimal", "1.234.567,8", "1234567.8"),
        ("ixt:numspacecomma", "1 234,5", "1234.5"),
        ("ixt:num-unit-decimal", "12 dollars 50 cents", "12.50"),
        ("ixt:num-unit-decimal", "1 euro 5 cents", "1.05"),
        ("ixt:date-day-monthroman-year", "2 VI 2010", "2010-06-02"),
        ("ixt:fixed-zero", "—", "0"),
        ("ixt:zerodash", "-", "0"),
        ("ixt:num-dot-decimal", "n/a", None),
        ("ixt:date-monthname-day-year-en", "September 28, 2024", "2024-09-28"),
        ("ixt:datedaymonthyearen", "28 September 2024", "2024-09-28"),
        ("ixt:date-day-month-year", "28.09.24", "2024-09-28"),
        ("ixt:date-year-month-day", "2024/09/28", "2024-09-28"),
        ("ixt:dateslashus", "09/28/2024", "2024-09-28"),
        ("ixt:dateslasheu", "28/09/2024", "2024-09-28"),
        ("ixt:date-monthname-day-en", "Sept. 28", "--09-28"),
        ("ixt:date-month-day", "12-31", "--12-31"),
        ("ixt:date-day-monthname-year-de", "3. März 2021", "2021-03-03"),
        ("ixt:date-day-monthname-year-fr", "14 juillet 2020", "2020-07-14"),
        ("ixt:date-monthname-year-en", "March 2025", "2025-03"),
        ("ixt:date-month-day-year", "13/40/2024", None),
        ("ixt:fixed-true", "☒", "true"),
        ("ixt:booleanfalse", "no", "false"),
        ("ixt-sec:boolballotbox", "☐", "false"),
        ("ixt-sec:boolballotbox", "☒", "true"),
        ("ixt-sec:numwordsen", "one hundred and twenty-five thousand", "125000"),
        ("ixt-sec:numwordsen", "No", "0"),
        ("ixt-sec:numwordsen", "2.5 million", "2500000"),
        ("ixt-sec:durwordsen", "five years and six months", "P5Y6M"),
        ("ixt-sec:durwordsen", "one-year", "P1Y"),
        ("ixt-sec:durmonth", "18", "P18M"),
        ("ixt-sec:duryear", "2.5", "P2Y6M"),
        ("ixt-sec:durday", "90", "P90D"),
        ("ixt-sec:stateprovnameen", "New  York", "NY"),
        ("ixt-sec:exchnameen", "The Nasdaq Stock Market LLC", "NASDAQ"),
        ("ixt-sec:exchnameen", "New York Stock Exchange", "NYSE"),
        ("ixt-sec:entityfilercategoryen", "Large accelerated filer", "Large Accelerated Filer"),
        ("ixt-x:neverheardof", "as it is", "as it is"),
    ],
)
def test_transforms(fmt: str, text: str, value: str | None) -> None:
    assert transform(fmt, text) == value


@pytest.mark.parametrize(
    ("canonical", "scale", "negative", "value"),
    [
        ("391035", 6, False, "391035000000"),
        ("6.11", 0, False, "6.11"),
        ("24.1", -2, False, "0.241"),
        ("565", 6, True, "-565000000"),
        ("1.50", 3, False, "1500"),
        ("0", 6, True, "0"),
        ("007", 0, False, "7"),
        ("", 0, False, None),
        ("1", 10**9, False, None),  # a bomb written out, else
        ("9" * 500, 0, False, None),
        ("1e999", 0, False, None),
        ("NaN", 0, False, None),
    ],
)
def test_exact_decimals(canonical: str, scale: int, negative: bool, value: str | None) -> None:
    assert decimal_text(canonical, scale, negative) == value


def test_a_number_has_value_unit_period_and_how_it_was_written() -> None:
    read = book(number("(565)", 'id="f1" scale="6" sign="-" format="ixt:num-dot-decimal"').replace("(565)", "565"))
    (fact,) = read.facts
    assert (fact.fact_id, fact.value, fact.decimal, fact.unit, fact.decimals) == ("f1", "-565000000", "-565000000", "USD", "-6")
    assert (fact.entity, fact.period_start, fact.period_end, fact.label) == ("0000000042", "2023-10-01", "2024-09-28", "Net Income Loss")
    assert read.shown["f1"] == (6, "-", "565")


def test_dimensions_explicit_and_typed_and_an_instant() -> None:
    (fact,) = book(number("1", unit="eps", context="seg")).facts
    assert fact.dimensions == {"srt:ProductOrServiceAxis": "us-gaap:ServiceMember", "x:StartAxis": "2025-01-01"}
    assert (fact.period_start, fact.period_end, fact.unit) == (None, "2024-09-28", "USD/shares")


def test_nil_and_hidden_and_a_format_that_does_not_fit() -> None:
    nil, bad, hidden = sorted(
        book(number("", 'id="a" xsi:nil="true"') + number("n.m.", 'id="b" format="ixt:num-dot-decimal"'), number("7", 'id="c"')).facts,
        key=lambda f: f.fact_id,
    )
    assert (nil.is_nil, nil.value, nil.decimal) == (True, "", None)
    assert (bad.value, bad.decimal) == ("n.m.", None)
    assert (hidden.hidden, hidden.value, nil.hidden) == (True, "7", False)


def test_text_runs_on_in_its_continuations_without_what_is_excluded() -> None:
    read = book(
        words("<p>We hold</p><p>cash.<ix:exclude>Page 7</ix:exclude></p>", attributes='continuedAt="c1"')
        + '<p>between</p><ix:continuation id="c1" continuedAt="c2"><p>And bonds</p></ix:continuation>'
        + '<ix:continuation id="c2"> too.</ix:continuation>'
    )
    assert read.facts[0].value == "We hold cash. And bonds too."


def test_a_continuation_that_points_to_itself_ends() -> None:
    read = book(words("a", attributes='continuedAt="c1"') + '<ix:continuation id="c1" continuedAt="c1">b</ix:continuation>')
    assert read.facts[0].value == "a b"


def test_document_facts_and_those_of_co_registrants() -> None:
    read = book(
        words("Mother Inc.", "dei:EntityRegistrantName")
        + words("Daughter LLC", "dei:EntityRegistrantName", context="sub")
        + words("September 28, 2024", "dei:DocumentPeriodEndDate", 'format="ixt:date-monthname-day-year-en"')
    )
    assert read.dei == {"EntityRegistrantName": "Mother Inc.", "DocumentPeriodEndDate": "2024-09-28"}
    assert read.entities == {"x:DaughterMember": {"EntityRegistrantName": "Daughter LLC"}}


def test_other_prefixes_missing_and_repeated_ids() -> None:
    one = '<q:nonFraction name="a:B" contextRef="year" unitRef="usd" id="x">1</q:nonFraction>'
    read = book(one + one + one.replace(' id="x"', ""), prefix="q")
    assert len({f.fact_id for f in read.facts}) == 3
    assert [f.value for f in read.facts] == ["1", "1", "1"]


def test_a_page_without_tags_has_an_empty_book() -> None:
    read = FactBook.collect(page_of("<p>1,234</p>"))
    assert not read
    assert read.facts == []


def test_mentions_name_cell_or_range_with_scale_and_sign() -> None:
    page = page_of('<html xmlns:ix="http://www.xbrl.org/2013/inlineXBRL"><body>' + number("5", 'id="f"') + "</body></html>")
    read = FactBook.collect(page)
    element = next(e for e in page.root.iter() if e.tag == "ix:nonfraction")
    (cell,) = mentions_of_table(read, "d#1", [("f", 2, 0)])
    assert (cell.node_id, cell.row, cell.column, cell.scale, cell.sign) == ("d#1", 2, 0, 0, None)
    (place,) = mentions_of_text(read, "d#2", [(3, 4, element), (7, 9, page.root)], offset=100)
    assert (place.char_start, place.char_end, place.fact_id) == (103, 104, "f")


def test_concept_names_are_split_into_words() -> None:
    assert label_of("us-gaap:EPSBasicAndDiluted2024") == "EPS Basic And Diluted 2024"


@settings(deadline=None)
@given(st.integers(-(10**15), 10**15), st.integers(-6, 9))
def test_scaling_is_exact(value: int, scale: int) -> None:
    text = decimal_text(str(abs(value)), scale, value < 0)
    assert text is not None
    assert Decimal(text) == Decimal(value).scaleb(scale)
    assert "e" not in text.lower()


RULES = ["num-dot-decimal", "date-day-month-year", "durwordsen", "numwordsen", "exchnameen", "boolballotbox", "dateerayearmonthjp"]


@settings(deadline=None)
@given(st.text(max_size=60), st.sampled_from(RULES))
def test_no_text_breaks_a_transform(text: str, name: str) -> None:
    value = transform("ixt:" + name, text)
    decimal_text(value, 3, False)
