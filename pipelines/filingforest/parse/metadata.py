"""A document's own account of itself: company, form, fiscal year and period, from its tagged cover, else from its cover's words."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from filingforest.parse.cover import company_by_place, ticker_in
from filingforest.parse.facts import FactBook
from filingforest.parse.forms import form_in, split_form
from filingforest.parse.model import DocumentHint

MONTHS = {
    "january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6,
    "july": 7, "august": 8, "september": 9, "october": 10, "november": 11, "december": 12,
}  # fmt: skip
DATE = r"(?P<month>" + "|".join(MONTHS) + r")\s+(?P<day>\d{1,2})\s*,?\s+(?P<year>(?:19|20)\d\d)"
PERIOD = re.compile(
    r"(?:for\s+the\s+)?(?:fiscal\s+year|transition\s+period|quarter(?:ly\s+period)?|year|(?:three|six|nine|twelve)\s+months?|period|twelve\s+weeks|fifty-\w+\s+weeks)"
    r"\s+(?:period\s+)?end(?:ed|ing)\s*:?\s*" + DATE,
    re.IGNORECASE,
)
REPORT_DATE = re.compile(r"date\s+of\s+(?:the\s+)?report.{0,60}?" + DATE, re.IGNORECASE | re.DOTALL)
NAME_BELOW = re.compile(r"\(?\s*exact\s+name\s+of\s+(?:the\s+)?registrant", re.IGNORECASE)
FISCAL = re.compile(r"\bfiscal(?:\s+year)?\s+((?:19|20)\d\d)\b", re.IGNORECASE)
COVER = 12_000  # characters
MOVABLE = 3  # a fiscal year that ends by this month may be called by the year before
FROM_HINT = ("doc_id", "source", "kind", "sic", "industry", "filed_at", "accepted_at", "source_url", "title")


def describe(hint: DocumentHint, book: FactBook | None, texts: list[str]) -> dict[str, Any]:
    """Columns of `documents` that the document itself or its hint decides. `texts` are the first blocks' texts."""
    dei = dict(book.dei) if book is not None else {}
    cover = "\n".join(texts)[:COVER]
    inferred: list[str] = []
    form = hint.form or dei.get("DocumentType")
    if form is None:
        form = form_in(cover[:6000])
        if form:
            inferred.append("form")
    if form and dei.get("AmendmentFlag", "").lower() == "true" and not form.endswith("/A"):
        form = f"{form}/A"
    base, amended = split_form(form)
    company = hint.company or dei.get("EntityRegistrantName")
    if company is None and (company := company_in(texts) or company_by_place(texts)):
        inferred.append("company")
    period_end = _iso(dei.get("DocumentPeriodEndDate")) or hint.period_end
    if period_end is None and (period_end := period_in(cover)):
        inferred.append("period_end")
    out: dict[str, Any] = {name: getattr(hint, name) for name in FROM_HINT}
    out["known_from"] = hint.accepted_at or hint.filed_at
    out |= {
        "form": form, "form_base": base, "is_amendment": amended, "company": company, "period_end": period_end,
        "cik": _cik(hint.cik or dei.get("EntityCentralIndexKey")), "ticker": hint.ticker or dei.get("TradingSymbol"),
    }  # fmt: skip
    if out["ticker"] is None and base and (ticker := ticker_in(texts)):
        out["ticker"] = ticker
        inferred.append("ticker")
    out["fiscal_year"], out["fiscal_period"] = _fiscal(dei, base, period_end, cover, hint, inferred)
    out["entities"] = _entities(hint, book, out)
    out["inferred"] = inferred
    return out


def _fiscal(
    dei: dict[str, str], base: str | None, period_end: str | None, cover: str, hint: DocumentHint, inferred: list[str]
) -> tuple[int | None, str | None]:
    stated = dei.get("DocumentFiscalYearFocus", "")
    year = int(stated) if stated.isdigit() and len(stated) == 4 else None
    period = dei.get("DocumentFiscalPeriodFocus") or None
    if year is None and period_end and base and base.startswith(("10-K", "10-Q", "20-F", "40-F")):
        year = _fiscal_year(period_end, cover, base, hint.fiscal_year_end)
        inferred.append("fiscal_year")
    if period is None and base:
        period = _period(base, period_end, hint.fiscal_year_end)
        if period:
            inferred.append("fiscal_period")
    return year, period


def _period(base: str, period_end: str | None, year_end: str | None) -> str | None:
    if base.startswith(("10-K", "20-F", "40-F")):
        return "FY"
    return _quarter(period_end, year_end) if base.startswith("10-Q") else None


def _fiscal_year(period_end: str, cover: str, base: str, year_end: str | None) -> int:
    """The year in which the fiscal year ends; the year that the text calls fiscal where that may be another: quarters, ends by March."""
    year, month, day = (int(x) for x in period_end.split("-"))
    named = Counter(int(y) for y in FISCAL.findall(cover) if abs(int(y) - year) <= 1)
    if named and (base.startswith("10-Q") or month <= MOVABLE):
        return named.most_common(1)[0][0]
    if base.startswith("10-Q") and year_end and len(year_end) == 4 and year_end.isdigit() and month > int(year_end[:2]):
        return year + 1
    return year - 1 if (month, day) <= (1, 7) else year


def _quarter(period_end: str | None, year_end: str | None) -> str | None:
    """Which quarter of the fiscal year ends here; the calendar's where the year's end is not known."""
    if not period_end:
        return None
    month = int(period_end[5:7]) + (int(period_end[8:]) > 15) - 1  # a period that ends on the first days belongs to the month before
    end = int(year_end[:2]) if year_end and year_end[:2].isdigit() else 12
    quarter = -(-((month - end) % 12) // 3)
    return f"Q{quarter}" if 1 <= quarter <= 3 else None


def _entities(hint: DocumentHint, book: FactBook | None, document: dict[str, Any]) -> list[dict[str, str | None]]:
    out = [{"cik": _cik(e.get("cik")), "name": e.get("name"), "ticker": e.get("ticker"), "sic": e.get("sic")} for e in hint.entities]
    if not out and (document["cik"] or document["company"]):
        out = [{"cik": document["cik"], "name": document["company"], "ticker": document["ticker"], "sic": hint.sic}]
    known = {e["cik"] for e in out}
    for values in (book.entities if book is not None else {}).values():
        cik = _cik(values.get("EntityCentralIndexKey"))
        if cik and cik not in known:
            known.add(cik)
            out.append({"cik": cik, "name": values.get("EntityRegistrantName"), "ticker": values.get("TradingSymbol"), "sic": None})
    return out


def _cik(value: str | None) -> str | None:
    """Ten digits, as EDGAR writes them."""
    return value.zfill(10) if value and value.isdigit() else value or None


def _iso(text: str | None) -> str | None:
    return text if text and re.fullmatch(r"\d{4}-\d\d-\d\d", text) else date_in(text or "")


def date_in(text: str) -> str | None:
    """The first date in words, as ISO."""
    m = re.search(DATE, text, re.IGNORECASE)
    return _date(m) if m else None


def _date(m: re.Match[str]) -> str | None:
    month, day = MONTHS[m["month"].lower()], int(m["day"])
    return f"{m['year']}-{month:02d}-{day:02d}" if 1 <= day <= 31 else None


def period_in(cover: str) -> str | None:
    """The end of the period that a cover page names."""
    m = PERIOD.search(cover) or REPORT_DATE.search(cover)
    return _date(m) if m else None


def company_in(texts: list[str]) -> str | None:
    """The line above "(Exact name of registrant as specified in its charter)"."""
    for i, text in enumerate(texts[:80]):
        if NAME_BELOW.match(text):
            return next((t for t in reversed(texts[max(0, i - 3) : i]) if re.search(r"[A-Za-z]{2}", t) and len(t) < 120), None)
        at = re.search(r"\(\s*exact\s+name\s+of", text, re.IGNORECASE)
        if at and 3 < at.start() < 120:
            return text[: at.start()].strip()
    return None
