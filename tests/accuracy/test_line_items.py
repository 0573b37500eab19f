"""An examination that writes itself: tagged totals are asked for by name and year, and the table that prints them must be found."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from filingforest import query
from filingforest.bundle import read_bundle, write_bundle
from filingforest.parse import parse_document
from filingforest.parse.model import DocumentHint
from filingforest.parse.to_tables import parsed_tables
from filingforest.publish.segment import SegmentInput
from tests.support.corpus import publish_inputs

pytestmark = pytest.mark.shared

FILINGS = 5
ASKED = {
    "total revenue": ("Revenues", "RevenueFromContractWithCustomerExcludingAssessedTax"),
    "net income": ("NetIncomeLoss",),
    "total assets": ("Assets",),
    "capital expenditures": ("PaymentsToAcquirePropertyPlantAndEquipment",),
    "operating cash flow": ("NetCashProvidedByUsedInOperatingActivities",),
    "total shareholders' equity": ("StockholdersEquity",),
    "income tax expense": ("IncomeTaxExpenseBenefit",),
}


def annual_reports(shared: Path) -> list[Mapping[str, Any]]:
    """One 10-K a company, in the order of the list."""
    rows = map(json.loads, (shared / "edgar" / "manifest.jsonl").read_text().splitlines())
    first = {row["cik"]: row for row in rows if row["form"] == "10-K"}
    return list(first.values())[:FILINGS]


def stage(shared: Path, row: Mapping[str, Any]) -> SegmentInput:
    folder = shared / "edgar" / "Archives" / "edgar" / "data" / str(row["cik"]) / row["accession"].replace("-", "")
    content = gzip.decompress((folder / f"{row['primary_document']}.gz").read_bytes())
    cik = str(row["cik"]).zfill(10)
    hint = DocumentHint(
        row["accession"], "edgar", row["primary_document"], row["form"], row["company"], cik, row["ticker"], filed_at=row["filed"]
    )
    bundle = write_bundle(parsed_tables(parse_document(content, hint), "0" * 16))
    return SegmentInput(row["accession"], "0" * 16, lambda: read_bundle(bundle))


@pytest.fixture(scope="module")
def documents(shared: Path) -> list[SegmentInput]:
    return [stage(shared, row) for row in annual_reports(shared)]


@pytest.fixture(scope="module")
def reader(documents: Sequence[SegmentInput], tmp_path_factory: pytest.TempPathFactory) -> query.Reader:
    return query.open(publish_inputs(tmp_path_factory.mktemp("index"), [documents]))


def totals(document: SegmentInput) -> tuple[Mapping[str, Any], dict[str, str]]:
    """The document's row, and the value of each total of its own year: no dimensions, a year long or an instant at its end."""
    about = document.parsed().table("documents").to_pylist()[0]
    out: dict[str, str] = {}
    for row in document.parsed().table("facts").to_pylist():
        whole_year = not row["period_start"] or row["period_start"][:4] != row["period_end"][:4] or row["period_start"][5:7] in ("01", "12")
        if row["dimensions"] in (None, "{}") and row["period_end"] == about["period_end"] and whole_year and not row["is_nil"]:
            out.setdefault(row["concept"].rpartition(":")[2], row["value"])
    return about, out


def printed(value: str, text: str) -> bool:
    """Whether a text prints a value in units, thousands, millions or billions."""
    number, plain = abs(float(value)), text.replace(",", "")
    return any(f"{number / scale:.{digits}f}" in plain for scale, digits in ((1, 0), (1e3, 0), (1e6, 0), (1e6, 1), (1e9, 1)))


def test_tables_with_the_totals_asked_for_are_among_the_first_three(documents: Sequence[SegmentInput], reader: query.Reader) -> None:
    found, missed = 0, []
    for document in documents:
        about, values = totals(document)
        for phrase, concepts in ASKED.items():
            value = next((values[c] for c in concepts if c in values), None)
            if value and float(value):
                answer = reader.query(f"What was {about['company']}'s {phrase} in fiscal {about['fiscal_year']}?", k=3)
                right = any(hit.doc_id == document.doc_id and printed(value, hit.text) for hit in answer.hits)
                found += right
                missed += [] if right else [(about["company"], phrase, value)]
    assert found >= 4 * FILINGS
    assert len(missed) <= 0.03 * found, missed


def test_a_company_s_questions_get_its_own_passages_only(documents: Sequence[SegmentInput], reader: query.Reader) -> None:
    for document in documents:
        company = document.parsed().table("documents").to_pylist()[0]["company"]
        assert {hit.company for hit in reader.query(f"What does {company} say about competition?").hits} == {company}
