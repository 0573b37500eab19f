"""Our listing of a company's history against sec-edgar-downloader's, which is driven with its gateway replaced by our client."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from filingforest.sources.edgar import EdgarSource
from filingforest.sources.edgar_client import EdgarClient
from filingforest.sources.limiter import FileLimiter
from tests.support.replay import Replay
from tests.unit.sources.edgar_helpers import settings

orchestrator: Any = pytest.importorskip("sec_edgar_downloader._orchestrator", reason="needs sec-edgar-downloader")
SAMPLES = Path(__file__).resolve().parent.parent.parent / "samples"


def theirs(client: EdgarClient, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], list[str]]:
    from sec_edgar_downloader._types import DownloadMetadata

    def gateway(uri: str, user_agent: str) -> Any:
        return client.data_json(uri.removeprefix("https://data.sec.gov"))

    monkeypatch.setattr(orchestrator, "get_list_of_available_filings", gateway)

    def listing(cik: str, form: str) -> list[str]:
        asked = DownloadMetadata(Path(), form, cik.zfill(10), include_amends=True)
        return [found.accession_number for found in orchestrator.aggregate_filings_to_download(asked, "unused")]

    return listing


def compare(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    with Replay(root) as server:
        told, limiter = settings(server.url, tmp_path), FileLimiter(tmp_path / "x.limiter", 10)
        listing, source = theirs(EdgarClient(told, limiter), monkeypatch), EdgarSource(told, limiter)
        tickers = json.loads((root / "files/company_tickers.json").read_text("utf-8")).values()
        count = 0
        for row in list(tickers)[:6]:
            for form in ("10-K", "10-Q"):
                ours = [ref.doc_id for ref in source.discover_tickers([row["ticker"]], [form])]
                assert ours == listing(str(row["cik_str"]), form)
                count += len(ours)
        return count


def test_samples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert compare(SAMPLES, tmp_path, monkeypatch) == 5


@pytest.mark.shared
def test_corpus(shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert compare(shared / "edgar", tmp_path, monkeypatch) >= 12
