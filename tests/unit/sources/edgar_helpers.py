"""A small archive and settings for tests of the EDGAR source."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from filingforest.config import EdgarSettings

CIK, ACCESSION = 9800001, "0009800001-24-000007"
FLAT = ACCESSION.replace("-", "")
PAGE = b"<!DOCTYPE html><html><body>" + b"<p>Net sales rose.</p>" * 400 + b"</body></html>\n"


def settings(url: str, folder: Path, **more: Any) -> EdgarSettings:
    """Patient for milliseconds, so that failing takes no time."""
    known: dict[str, Any] = {"rate": 10.0, "backoff_s": 0.01, "timeout_s": 5.0, "retries": 2}
    return EdgarSettings(base_url=url, user_agent="Test Team test@example.org", limiter_dir=str(folder / "limiter"), **{**known, **more})


def write(root: Path, name: str, content: bytes | str) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)


def archive(root: Path, index_lines: str = "", primary: bytes = PAGE) -> Path:
    """One company with one 10-K of 2024-01-31 and an exhibit."""
    line = f"{CIK}|TINY CO|10-K|20240131|edgar/data/{CIK}/{ACCESSION}.txt\n"
    heading = "Description: Master Index\n\nCIK|Company Name|Form Type|Date Filed|File Name\n" + "-" * 80 + "\n"
    write(root, "Archives/edgar/daily-index/2024/QTR1/master.20240131.idx", heading + line + index_lines)
    write(root, f"Archives/edgar/data/{CIK}/{FLAT}/tiny-20231231.htm", primary)
    write(root, f"Archives/edgar/data/{CIK}/{FLAT}/tinyex13.htm", b"<html><body>Annual report</body></html>")
    columns = {
        "accessionNumber": [ACCESSION],
        "filingDate": ["2024-01-31"],
        "reportDate": ["2023-12-31"],
        "acceptanceDateTime": ["2024-01-31T16:05:00.000Z"],
        "form": ["10-K"],
        "primaryDocument": ["tiny-20231231.htm"],
    }
    company = {"cik": str(CIK), "name": "Tiny Co", "tickers": ["TINY", "TINYW"], "sic": "3823", "sicDescription": "Instruments"}
    more = {"fiscalYearEnd": "1231", "filings": {"recent": columns, "files": []}}
    write(root, f"submissions/CIK{CIK:010d}.json", json.dumps(company | more))
    write(root, "files/company_tickers.json", json.dumps({"0": {"cik_str": CIK, "ticker": "TINY", "title": "Tiny Co"}}))
    return root
