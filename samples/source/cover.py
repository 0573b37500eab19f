"""A report's cover page with its cover facts (Regulation S-T rule 406; the dei taxonomy)."""

# ruff: noqa: E501  (tables of data)
from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from render import Report

LEFT, MID = "text-align:left;margin-top:4pt", "text-align:center;margin-top:4pt"
DATE, STATE = "ixt:date-monthname-day-year-en", "ixt-sec:stateprovnameen"
TICKS = (
    ("Indicate by check mark if the registrant is a well-known seasoned issuer, as defined in Rule 405 of the Securities Act.", "No"),
    ("Indicate by check mark whether the registrant (1) has filed all reports required to be filed by Section 13 or 15(d) of the Securities "
     "Exchange Act of 1934 during the preceding 12 months and (2) has been subject to such filing requirements for the past 90 days.", "Yes"),
    ("Indicate by check mark whether the registrant has submitted electronically every Interactive Data File required to be submitted "
     "during the preceding 12 months.", "Yes"),
    ("Indicate by check mark whether the registrant is a shell company (as defined in Rule 12b-2 of the Act).", "No"),
)  # fmt: skip


def cover_html(r: Report) -> str:
    """The page. Facts that no reader sees (CIK, fiscal year and period) go into the hidden section, as in real filings."""
    from render import FORMS, block, long_date, span

    c, t, p = r.company, r.tagger, r.company.periods[r.period]
    annual = r.form == "10-K"

    def dei(name: str, shown: str, form: str = "") -> str:
        return t.text(f"dei:{name}", p.start, p.end, shown, form=form)

    _hide(r, annual)
    box = dei(f"Document{'Annual' if annual else 'Quarterly'}Report", "☒", "ixt:fixed-true")
    what = "fiscal year" if annual else "quarterly period"
    where = f"{dei('EntityAddressAddressLine1', c.street)}, {dei('EntityAddressCityOrTown', c.city)}, "
    where += f"{dei('EntityAddressStateOrProvince', c.state_name, STATE)} {dei('EntityAddressPostalZipCode', c.zip_code)}"
    lines = [
        ("UNITED STATES", 700, MID), ("SECURITIES AND EXCHANGE COMMISSION", 700, MID), ("Washington, D.C. 20549", 700, MID),
        (f"FORM {dei('DocumentType', r.form)}", 700, MID),
        (f"{box} {FORMS[r.form]} OF THE SECURITIES EXCHANGE ACT OF 1934", 400, LEFT),
        (f"For the {what} ended {dei('DocumentPeriodEndDate', long_date(p.end), DATE)}", 700, MID),
        ("☐ TRANSITION REPORT PURSUANT TO SECTION 13 OR 15(d) OF THE SECURITIES EXCHANGE ACT OF 1934", 400, LEFT),
        (f"Commission File Number: {dei('EntityFileNumber', c.file_number)}", 400, MID),
        (dei("EntityRegistrantName", c.legal), 700, MID), ("(Exact name of registrant as specified in its charter)", 400, MID),
        (f"{dei('EntityIncorporationStateCountryCode', c.state_name, STATE)} &#160; {dei('EntityTaxIdentificationNumber', c.tax_id)}", 700, MID),
        ("(State of incorporation) &#160; (I.R.S. Employer Identification No.)", 400, MID), (where, 400, MID),
        (f"({dei('CityAreaCode', c.phone[0])}) {dei('LocalPhoneNumber', c.phone[1])}", 400, MID),
        ("Securities registered pursuant to Section 12(b) of the Act:", 400, LEFT),
    ]  # fmt: skip
    head = "".join(block(span(text, weight), style) for text, weight, style in lines)
    symbols = (
        dei("Security12bTitle", c.facts["class"]),
        dei("TradingSymbol", c.ticker),
        dei("SecurityExchangeName", c.exchange, "ixt-sec:exchnameen"),
    )
    ticks = [f"{text} {'Yes ☒ No ☐' if yes == 'Yes' else 'Yes ☐ No ☒'}" for text, yes in TICKS]
    return head + _listed(symbols) + "".join(block(span(text, 400), LEFT) for text in [*ticks, *_outstanding(r, annual)])


def _hide(r: Report, annual: bool) -> None:
    c, p = r.company, r.company.periods[r.period]
    hidden = {
        "EntityCentralIndexKey": f"{c.cik:010d}", "AmendmentFlag": "false", "DocumentFiscalYearFocus": str(r.year),
        "DocumentFiscalPeriodFocus": "FY" if annual else r.period[4:], "CurrentFiscalYearEndDate": f"--{c.year_end[:2]}-{c.year_end[2:]}",
    }  # fmt: skip
    for name, value in hidden.items():
        r.tagger.hide(f"dei:{name}", p.start, p.end, value)


def _listed(symbols: tuple[str, ...]) -> str:
    from render import span

    heads = ("Title of each class", "Trading symbol", "Name of each exchange on which registered")
    rows = ["".join(f"<td>{span(cell, weight)}</td>" for cell in cells) for cells, weight in ((heads, 700), (symbols, 400))]
    return '<table style="border-collapse:collapse;width:100%">' + "".join(f"<tr>{row}</tr>" for row in rows) + "</table>\n"


def _outstanding(r: Report, annual: bool) -> list[str]:
    from render import long_date

    facts, when = r.company.facts, r.period
    day = facts[f"cover day {when}"]
    concept = "dei:EntityCommonStockSharesOutstanding"
    shares = r.tagger.number(concept, None, day, facts[f"cover shares {when}"], unit="shares", scale=0, decimals="INF")
    lines = [f"The number of shares of common stock outstanding as of {long_date(day)} was {shares}."]
    if annual:
        half = facts[f"float day {when}"]
        held = r.tagger.number("dei:EntityPublicFloat", None, half, facts[f"float {when}"], scale=6, decimals="-5")
        lines.insert(
            0,
            f"The aggregate market value of common stock held by non-affiliates as of {long_date(half)}, the last business day of the "
            f"registrant’s second fiscal quarter, was approximately ${held} million.",
        )
        lines.append("DOCUMENTS INCORPORATED BY REFERENCE: " + facts["by reference"])
    return lines
