"""Writes the sample archive: invented companies' filings with the indexes that EDGAR would have of them.

python samples/build.py          writes samples/Archives, samples/submissions and samples/files anew, always the same bytes
"""

# ruff: noqa: E501  (tables of data)
from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
SOURCE = HERE / "source"
sys.path.insert(0, str(SOURCE))

import harrow_creek  # noqa: E402
import larkfield  # noqa: E402
from company import Company  # noqa: E402
from render import Report  # noqa: E402


@dataclass(frozen=True)
class Filed:
    """One filing: who, what, when. `period` "" for a filing whose text stands ready in source/."""

    cik: int
    name: str
    form: str
    period: str
    filed: str
    accession: str
    report_date: str
    template: str
    primary: str = ""
    exhibits: tuple[tuple[str, str], ...] = ()  # file name, source


LARK, HARROW = larkfield.COMPANY, harrow_creek.COMPANY
FILINGS = (
    Filed(LARK.cik, LARK.name, "10-K", "2023", "2023-11-17", "0009900001-23-000041", "2023-09-30", "larkfield_10k.txt", "lrkf-20230930.htm"),
    Filed(
        LARK.cik, LARK.name, "10-K", "2024", "2024-11-15", "0009900001-24-000057", "2024-09-30", "larkfield_10k.txt", "lrkf-20240930.htm",
        (("lrkf-20240930xex21_1.htm", "larkfield_ex21.htm"),),
    ),
    Filed(LARK.cik, LARK.name, "10-Q", "2025Q1", "2025-02-05", "0009900001-25-000006", "2024-12-31", "larkfield_10q.txt", "lrkf-20241231.htm"),
    Filed(HARROW.cik, HARROW.name, "10-K", "2023", "2023-10-27", "0009900002-23-000019", "2023-08-31", "harrow_creek_10k.txt", "hrck-20230831.htm"),
    Filed(HARROW.cik, HARROW.name, "10-K", "2024", "2024-11-15", "0009900002-24-000022", "2024-08-31", "harrow_creek_10k.txt", "hrck-20240831.htm"),
    Filed(9900003, "PELLWICK BEARINGS CORP", "10-K", "", "1997-03-27", "0009900003-97-000004", "1996-12-31", "pellwick_10k.txt"),
)  # fmt: skip
COMPANIES = {company.cik: company for company in (LARK, HARROW)}
HEADING = """Description:           Master Index of EDGAR Dissemination Feed (fictional sample filings)
Last Data Received:    {last}
Comments:              not from the SEC; see samples/README.md
Anonymous FTP:         none
 
 
 
 
CIK|Company Name|Form Type|Date Filed|File Name
--------------------------------------------------------------------------------
"""  # noqa: W293


def main(out: Path = HERE) -> None:
    for name, text in files():
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8", newline="\n")


def files() -> Iterator[tuple[str, str]]:
    """Path and text of every file of the archive."""
    for filed in FILINGS:
        yield from documents(filed)
    days = defaultdict(list)
    for filed in FILINGS:
        days[filed.filed].append(filed)
    for day, filings in days.items():
        folder = f"daily-index/{day[:4]}/QTR{(int(day[5:7]) + 2) // 3}"
        yield f"Archives/edgar/{folder}/master.{day.replace('-', '')}.idx", index(filings, day, day.replace("-", ""))
    quarters = defaultdict(list)
    for filed in FILINGS:
        quarters[f"{filed.filed[:4]}/QTR{(int(filed.filed[5:7]) + 2) // 3}"].append(filed)
    for quarter, filings in quarters.items():
        yield f"Archives/edgar/full-index/{quarter}/master.idx", index(filings, max(f.filed for f in filings), "")
    for cik in {filed.cik for filed in FILINGS}:
        yield f"submissions/CIK{cik:010d}.json", json.dumps(submissions(cik), indent=1, ensure_ascii=False) + "\n"
    tickers = [{"cik_str": c.cik, "ticker": c.ticker, "title": c.name} for c in COMPANIES.values()]
    yield "files/company_tickers.json", json.dumps({str(n): row for n, row in enumerate(tickers)}, indent=1) + "\n"


def documents(filed: Filed) -> list[tuple[str, str]]:
    """Path and text of each file of a filing."""
    folder = f"Archives/edgar/data/{filed.cik}"
    template = (SOURCE / filed.template).read_text("utf-8")
    if not filed.period:
        return [(f"{folder}/{filed.accession}.txt", template)]
    flat = f"{folder}/{filed.accession.replace('-', '')}"
    main_text = Report(COMPANIES[filed.cik], filed.form, filed.period).html(template)
    return [
        (f"{flat}/{filed.primary}", main_text),
        *((f"{flat}/{name}", (SOURCE / source).read_text("utf-8")) for name, source in filed.exhibits),
    ]


def index(filings: list[Filed], last: str, day: str) -> str:
    """A master index; daily ones write dates without hyphens."""
    lines = [
        f"{f.cik}|{f.name.upper()}|{f.form}|{day or f.filed}|edgar/data/{f.cik}/{f.accession}.txt\n"
        for f in sorted(filings, key=lambda f: (f.cik, f.form))
    ]
    return HEADING.format(last=last) + "".join(lines)


def submissions(cik: int) -> dict[str, object]:
    company: Company | None = COMPANIES.get(cik)
    own = sorted((f for f in FILINGS if f.cik == cik), key=lambda f: f.filed, reverse=True)
    about = (
        (company.sic, company.industry, company.name, company.year_end, company.state)
        if company
        else ("3562", "Ball & Roller Bearings", own[0].name, "1231", "CT")
    )
    recent = {
        "accessionNumber": [f.accession for f in own],
        "filingDate": [f.filed for f in own],
        "reportDate": [f.report_date for f in own],
        "acceptanceDateTime": [f"{f.filed}T16:31:{10 + n:02d}.000Z" for n, f in enumerate(own)],
        "act": ["34"] * len(own),
        "form": [f.form for f in own],
        "items": [""] * len(own),
        "isXBRL": [int(bool(f.period)) for f in own],
        "isInlineXBRL": [int(bool(f.period)) for f in own],
        "primaryDocument": [f.primary for f in own],
        "primaryDocDescription": [f.form for f in own],
    }
    return {
        "cik": f"{cik:010d}", "entityType": "operating", "sic": about[0], "sicDescription": about[1], "name": about[2],
        "tickers": [company.ticker] if company else [], "exchanges": [company.exchange] if company else [], "fiscalYearEnd": about[3],
        "stateOfIncorporation": about[4], "formerNames": [], "filings": {"recent": recent, "files": []},
    }  # fmt: skip


if __name__ == "__main__":
    main()
