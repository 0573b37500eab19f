"""What a question's scope is read as: names, tickers, years, quarters, forms; and what is no company at all."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from filingforest.query.companies import CompanyIndex
from filingforest.query.documents import Document, file_name
from filingforest.query.filters import Filters
from filingforest.query.periods import find_periods
from filingforest.query.scope import Corpus, Scope
from filingforest.query.scope_read import read_scope

WRITTEN = {"backlog", "tablet", "googol", "services", "sales", "margin", "income", "china", "brexit"}


def filing(company: str, ticker: str | None, cik: str, year: int = 2023, form: str = "10-K", period: str = "FY") -> Document:
    row = {"company": company, "ticker": ticker, "cik": cik.zfill(10), "fiscal_year": year, "form": form, "fiscal_period": period}
    return Document.of_row(row | {"doc_id": f"{cik}-{year}-{period}", "form_base": form, "filed_at": f"{year + 1}-02-01"})


DOCUMENTS = [
    filing("Quince Inc.", "QNCE", "1", 2022),
    filing("Quince Inc.", "QNCE", "1", 2023),
    filing("Quince Inc.", "QNCE", "1", 2024, "10-Q", "Q2"),
    filing("SKYWARD AIRCRAFT CO /DE/", "SKY", "2"),
    filing("MARLOW & MARLOW", "MRL", "3"),
    filing("AMERICAN TAPWATER WORKS COMPANY, INC.", "ATW", "4"),
    filing("Target Widgets Corp", "TGW", "5"),
    filing("Target Corp", "TAR", "6"),
    filing("R4.ai, Inc.", "AI", "7"),
    filing("PELICAN COM INC", "PLCN", "8"),
    filing("9X CO", "NNX", "9"),
    filing("General Oats, Inc.", "GO", "10"),
    filing("BRIGHTLAMPSTUDIO", None, "11", 2019),
    filing("Advanced Tiny Devices, Inc.", "ATD", "12"),
    filing("Koba-Kola CO", "KOBA", "13"),
]
CORPUS = Corpus(DOCUMENTS, CompanyIndex(DOCUMENTS), np.ones(len(DOCUMENTS), bool), is_written=lambda word: word in WRITTEN)


def scope_of(question: str, **filters: object) -> Scope:
    return read_scope(question, Filters.of(filters), CORPUS)


def names(scope: Scope) -> list[str]:
    return [f.company.name.split()[0] for f in scope.found]


KNOWN = [
    ("What were Quince's total net sales in fiscal 2023?", ["Quince"]),
    ("what were quince's total net sales in fiscal 2023?", ["Quince"]),
    ("WHAT WERE QUINCE'S NET SALES?", ["Quince"]),
    ("What did Skyward say about its backlog?", ["SKYWARD"]),
    ("SKY backlog 2023", ["SKYWARD"]),
    ("How did Marlow & Marlow do?", ["MARLOW"]),
    ("How did Marlow and Marlow do?", ["MARLOW"]),
    ("What drove gross margin for MnM in 2023?", ["MARLOW"]),
    ("What drove gross margin for M&M in 2023?", ["MARLOW"]),
    ("What was American Tapwater's capex?", ["AMERICAN"]),
    ("What did Target Widgets say?", ["Target"]),
    ("What does $AI report for revenue?", ["R4.ai,"]),
    ("Pelican.com revenue", ["PELICAN"]),
    ("Which segments of 9X declined?", ["9X"]),
    ("What was General Oats' cash conversion cycle (CCC)?", ["General"]),
    ("What about Bright Lamp Studio in FY2019?", ["BRIGHTLAMPSTUDIO"]),
    ("Summarize the PAINT Act's effect on ATD.", ["Advanced"]),
    ("Describe Koba-Kola's bottling partners", ["Koba-Kola"]),
    ("Compare Quince's and Skyward's gross margin", ["Quince", "SKYWARD"]),
    ("What did Quince say about Googol?", ["Quince"]),
]


@pytest.mark.parametrize(("question", "companies"), KNOWN)
def test_companies_of_the_publication_are_recognised(question: str, companies: list[str]) -> None:
    scope = scope_of(question)
    assert names(scope) == companies
    assert scope.unknown == ()
    assert scope.flags.any()


UNKNOWN = [
    ("What did Zephyron say about its backlog?", ("Zephyron",)),
    ("what did zephyron say about its backlog?", ("zephyron",)),
    ("What were Zephyron's revenues in 2023?", ("Zephyron",)),
    ("Zephyron's subscribers in 2023?", ("Zephyron",)),
    ("What is the revenue of Umbra Motors Corporation?", ("Umbra Motors Corporation",)),
    ("Using only the balance sheet, how much total assets did Costalot have at the end of FY2021?", ("Costalot",)),
    ("What was net income for ZPHR in 2023?", ("ZPHR",)),
    ("How many subscribers does Netflux have?", ("Netflux",)),
    ("revenue of zephyron in 2023", ("zephyron",)),
    ("zephyron net income", ("zephyron",)),
]


@pytest.mark.parametrize(("question", "unknown"), UNKNOWN)
def test_a_company_that_is_not_there_is_a_note_and_no_answer(question: str, unknown: tuple[str, ...]) -> None:
    scope = scope_of(question)
    assert scope.unknown == unknown
    assert not scope.flags.any()
    assert [note.code for note in scope.notes] == ["unknown_company"]


def test_a_known_company_beside_an_unknown_one_still_answers() -> None:
    scope = scope_of("Compare Skyward and Zephyron backlog")
    assert names(scope) == ["SKYWARD"]
    assert scope.unknown == ("Zephyron",)
    assert scope.flags.any()


ORDINARY = [
    "What are the Company's risk factors?",
    "What are the main risk factors in Item 1A?",
    "How did tablet sales do in Greater China?",
    "How is AI affecting the business?",
    "What is the target price range?",
    "Who is the Chief Executive Officer?",
    "What is the Effective Tax Rate for Fiscal 2023?",
    "How did the COVID-19 pandemic affect results?",
    "What is the impact of the Inflation Reduction Act?",
    "What did management say about liquidity?",
    "What lawsuits were filed in Delaware?",
    "What does ASC 606 require?",
    "Which companies mention supply chain problems?",
    "What is the impact of Brexit?",
    "What did the Federal Reserve do?",
    "Is the gap between R&D and SG&A growing?",
    "What was EBITDA in Q3 2023?",
    "repossess the ferry",
    "bankruptcy of borrower",
    "dockworkers",
]


@pytest.mark.parametrize("question", ORDINARY)
def test_ordinary_questions_name_no_company(question: str) -> None:
    scope = scope_of(question)
    assert names(scope) == []
    assert scope.unknown == ()
    assert scope.flags.any()


PERIODS = [
    ("sales in fiscal 2024", (2024,), ()),
    ("FY2018 capex, FY18", (2018,), ()),
    ("FY2017 - FY2019 3 year average", (2017, 2018, 2019), ()),
    ("from 2019 to 2021", (2019, 2020, 2021), ()),
    ("Q2 2023 revenue", (2023,), ("Q2",)),
    ("2Q23", (2023,), ("Q2",)),
    ("second quarter of fiscal 2023", (2023,), ("Q2",)),
    ("year ended December 31, 2022", (2022,), ()),
    ("as of 2022-09-30", (2022,), ()),
    ("between FY2018 and FY2019", (2018, 2019), ()),
    ("2000 employees and $2,023 million", (), ()),
    ("ASU 2016-13 and Rule 2023", (), ()),
    ("Item 7 of the 10-K", (), ()),
]


@pytest.mark.parametrize(("question", "years", "quarters"), PERIODS)
def test_periods(question: str, years: tuple[int, ...], quarters: tuple[str, ...]) -> None:
    found = find_periods(question)
    assert (found.years, found.quarters) == (years, quarters)


def chosen(scope: Scope) -> Sequence[tuple[int | None, str | None]]:
    return [(DOCUMENTS[i].fiscal_year, DOCUMENTS[i].form) for i in np.flatnonzero(scope.flags)]


def test_a_year_narrows_to_its_filing() -> None:
    assert chosen(scope_of("Quince's sales in fiscal 2022")) == [(2022, "10-K")]


def test_a_year_without_a_filing_falls_to_later_ones_that_print_it() -> None:
    scope = scope_of("Quince's sales in fiscal 2021")
    assert chosen(scope) == [(2022, "10-K")]
    assert [note.code for note in scope.notes] == ["year_from_later_filing"]
    assert scope.confidence < 1


def test_form_and_quarter_narrow_too() -> None:
    assert chosen(scope_of("What did Quince say in its 10-Q for Q2 2024?")) == [(2024, "10-Q")]
    assert chosen(scope_of("Quince's annual report on sales")) == [(2022, "10-K"), (2023, "10-K")]


def test_demanded_filters_are_hard() -> None:
    assert not scope_of("sales", company="Quince", year=2019).flags.any()
    assert chosen(scope_of("sales", company="QNCE", form="10-Q")) == [(2024, "10-Q")]
    assert [note.code for note in scope_of("sales", company="Zephyron").notes] == ["unknown_company"]
    assert chosen(scope_of("sales", company="0000000001", until="2023-06-30")) == [(2022, "10-K")]


def test_a_demanded_companys_name_is_no_search_word_however_the_question_writes_it() -> None:
    scope = scope_of("What drove MnM's backlog beside Skyward's?", company="Marlow & Marlow")
    assert names(scope) == ["MARLOW"]
    assert {"mnm", "marlow"} <= scope.consumed
    assert "skyward" not in scope.consumed, "another company's name is a word like others"
    assert scope.anonymous == "What drove the company's backlog beside Skyward's?"
    assert scope.anonymous == scope_of("What drove the company's backlog beside Skyward's?", company="MRL").anonymous


def test_a_demanded_document_is_not_left_for_a_company_and_its_name_is_no_search_word() -> None:
    scope = scope_of("What did Skyward say about backlog?", doc="2-2023-FY")
    assert chosen(scope) == [(2023, "10-K")]
    assert "skyward" in scope.consumed
    assert scope_of("What did Zephyron say about its backlog?", doc="2-2023-FY").flags.any()


def test_a_short_name_that_two_companies_share_means_neither() -> None:
    twins = [filing("Harbor Foods Inc", "HF", "21"), filing("Harbor Steel Inc", "HS", "22")]
    corpus = Corpus(twins, CompanyIndex(twins), np.ones(2, bool), is_written=lambda word: True)
    assert read_scope("What did Harbor Steel say?", Filters(), corpus).flags.tolist() == [False, True]
    assert read_scope("harbor traffic", Filters(), corpus).found == []


def test_files_of_one_renamed_company_belong_together() -> None:
    rows = [("Bright Lamp Inc", 2022), ("Bright Lamp Systems Incorporated", 2016)]
    more = {"source": "folder", "form": "10-K"}
    files = [Document.of_row(more | {"company": name, "fiscal_year": y, "doc_id": f"folder:BRIGHTLAMP_{y}_10K"}) for name, y in rows]
    assert len(CompanyIndex(files).companies) == 1


def test_a_folder_document_is_called_after_its_file() -> None:
    assert file_name("folder:BRIGHT_LAMP_2019_10K") == "BRIGHT LAMP"
    assert file_name("folder:9X_2018_10K") == "9X"
