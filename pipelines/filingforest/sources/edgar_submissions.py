"""What EDGAR knows of a company: its filings, and the names, tickers and industry that no filing's own bytes carry for sure.

Format: SEC, "EDGAR Application Programming Interfaces": CIK##########.json with columns of up to 1,000 recent filings, older ones
in further files, each naming the dates that it spans.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from filingforest.sources.edgar_index import Entry, Skipped, read_date

COLUMNS = ("accessionNumber", "form", "filingDate")  # without these a row is no filing
KEPT = ("accessionNumber", "form", "filingDate", "reportDate", "acceptanceDateTime", "primaryDocument", "items", "isInlineXBRL")
COMPANY = ("cik", "name", "entityType", "sic", "sicDescription", "tickers", "exchanges", "fiscalYearEnd", "stateOfIncorporation")


@dataclass(frozen=True, slots=True)
class Row:
    """One filing of a company, with its columns as EDGAR has them."""

    entry: Entry
    columns: dict[str, Any]


def submissions_path(cik: str) -> str:
    return f"/submissions/CIK{int(cik):010d}.json"


def read_rows(columns: Mapping[str, Any], cik: str, company: str) -> tuple[list[Row], list[Skipped]]:
    """The rows of `filings.recent` or of an older file (the same columns), in their order; broken ones are named and left out."""
    rows: list[Row] = []
    skipped: list[Skipped] = []
    for place in range(max((len(columns.get(name) or []) for name in COLUMNS), default=0)):
        row = {name: values[place] for name in KEPT if isinstance(values := columns.get(name), list) and place < len(values)}
        try:
            rows.append(Row(_entry(row, cik, company), row))
        except ValueError as e:
            skipped.append(Skipped(place + 1, str(row)[:200], str(e)))
    return rows, skipped


def _entry(row: Mapping[str, Any], cik: str, company: str) -> Entry:
    missing = [name for name in COLUMNS if not row.get(name)]
    if missing:
        raise ValueError(f"no {', '.join(missing)}")
    return Entry(str(row["accessionNumber"]), str(row["form"]).upper(), company, read_date(str(row["filingDate"])), (str(int(cik)),))


def older_files(data: Mapping[str, Any], since: str | None, until: str | None) -> list[str]:
    """Names of the further files that may hold filings from `since` to `until` (ISO dates, either may be open)."""
    files = (data.get("filings") or {}).get("files") or []
    return [
        str(file["name"])
        for file in files
        if (not since or str(file.get("filingTo") or "9999") >= since) and (not until or str(file.get("filingFrom") or "") <= until)
    ]


def snapshot(data: Mapping[str, Any], row: Row | None) -> dict[str, Any]:
    """What is kept beside a filing's bytes: the company as EDGAR had it that day, and the filing's own columns."""
    out = {name: data[name] for name in COMPANY if data.get(name) not in (None, "", [])}
    former = [f["name"] for f in data.get("formerNames") or [] if isinstance(f, Mapping) and f.get("name")]
    return out | ({"formerNames": former} if former else {}) | ({"filing": row.columns} if row else {})


def read_tickers(data: Any) -> dict[str, str]:
    """Ticker -> CIK (no leading zeros) from company_tickers.json; where a ticker stands twice the first counts."""
    rows: Iterable[Any] = data.values() if isinstance(data, Mapping) else data
    out: dict[str, str] = {}
    for row in rows:
        if isinstance(row, Mapping) and row.get("ticker") and str(row.get("cik_str", "")).isdigit():
            out.setdefault(clean_ticker(str(row["ticker"])), str(int(row["cik_str"])))
    return out


def clean_ticker(ticker: str) -> str:
    """As EDGAR writes it: BRK.B and brk/b are BRK-B."""
    return ticker.strip().upper().replace(".", "-").replace("/", "-")
