"""Company, form, fiscal year and period from tagged covers, and from a cover's words where nothing is tagged."""

from __future__ import annotations

import pytest

from filingforest.parse.facts import FactBook
from filingforest.parse.metadata import describe
from filingforest.parse.model import DocumentHint

COVER = [
    "FORM 10-K405/A", "(Amendment No. 1)", "For the fiscal year ended June 30, 1997", "ACME LOOMS, INC.",
    "(Exact name of registrant as specified in its charter)", "Ohio",
]  # fmt: skip


def test_a_cover_of_words() -> None:
    found = describe(DocumentHint(doc_id="d"), None, COVER)
    assert (found["form"], found["form_base"], found["is_amendment"]) == ("10-K405/A", "10-K405", True)
    assert (found["company"], found["period_end"], found["fiscal_year"], found["fiscal_period"]) == (
        "ACME LOOMS, INC.",
        "1997-06-30",
        1997,
        "FY",
    )
    assert set(found["inferred"]) == {"form", "company", "period_end", "fiscal_year", "fiscal_period"}


def test_tagged_covers_go_before_words() -> None:
    dei = {"EntityRegistrantName": "Acme", "DocumentType": "10-Q", "DocumentFiscalYearFocus": "2024", "DocumentFiscalPeriodFocus": "Q2"}
    dei |= {"DocumentPeriodEndDate": "2024-06-30", "EntityCentralIndexKey": "0000000042", "TradingSymbol": "ACME"}
    book = FactBook(dei=dei, entities={"x:SubMember": {"EntityCentralIndexKey": "43", "EntityRegistrantName": "Acme Sub"}})
    found = describe(DocumentHint(doc_id="d"), book, COVER)
    assert (found["company"], found["form"], found["fiscal_year"], found["fiscal_period"], found["inferred"]) == (
        "Acme",
        "10-Q",
        2024,
        "Q2",
        [],
    )
    assert [(e["cik"], e["name"]) for e in found["entities"]] == [("0000000042", "Acme"), ("0000000043", "Acme Sub")]


@pytest.mark.parametrize(
    ("period_end", "year_end", "form", "cover", "year", "period"),
    [
        ("2024-03-31", "1231", "10-Q", "", 2024, "Q1"),
        ("2023-12-31", "0630", "10-Q", "", 2024, "Q2"),
        ("2023-09-30", "1231", "10-Q", "", 2023, "Q3"),
        ("2023-07-01", "0930", "10-Q", "", 2023, "Q3"),
        ("2024-02-03", "0131", "10-K", "In fiscal 2023 and fiscal 2022 ... fiscal 2023", 2023, "FY"),
        ("2025-01-31", "0131", "10-K", "During fiscal 2025", 2025, "FY"),
        ("2024-01-01", "1231", "10-K", "", 2023, "FY"),
    ],
)
def test_fiscal_years_and_quarters(period_end: str, year_end: str, form: str, cover: str, year: int, period: str) -> None:
    found = describe(DocumentHint(doc_id="d", form=form, period_end=period_end, fiscal_year_end=year_end), None, [cover])
    assert (found["fiscal_year"], found["fiscal_period"]) == (year, period)
    assert "fiscal_year" in found["inferred"]
