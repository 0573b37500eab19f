"""Companies as EDGAR knows them, asked once each: ticker -> CIK, their filings, and the snapshot that is kept beside a filing."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, TypeVar

from filingforest.errors import ConfigError, SourceMissing
from filingforest.sources.base import DocumentRef
from filingforest.sources.edgar_client import EdgarClient
from filingforest.sources.edgar_submissions import Row, clean_ticker, older_files, read_rows, read_tickers, snapshot, submissions_path

log = logging.getLogger(__name__)
T = TypeVar("T")
KEEP = 256  # companies remembered; a batch has a handful


class Companies:
    """A memo over EDGAR's company files, safe for threads. One is made a run, so that a snapshot is never older than the run."""

    def __init__(self, client: EdgarClient) -> None:
        self._client, self._lock, self._known = client, threading.Lock(), dict[str, Any]()

    def cik(self, ticker: str) -> str:
        """Raises ConfigError for a ticker that EDGAR does not list (any more)."""
        found = self._once("tickers", lambda: read_tickers(self._client.www_json("/files/company_tickers.json")))
        if clean_ticker(ticker) not in found:
            raise ConfigError(
                f"EDGAR's company_tickers.json has no ticker {ticker!r}",
                stage="discover",
                remedy="check the spelling; name a company without a current ticker by its CIK",
            )
        return str(found[clean_ticker(ticker)])

    def rows(self, cik: str, since: str | None = None, until: str | None = None) -> Iterator[Row]:
        """The company's filings between two ISO dates (both included), newest first, older files only where they may hold some.

        Raises SourceMissing for a CIK that EDGAR does not have.
        """
        data = self._submissions(cik)
        name = str(data.get("name") or "")
        pages = [(data.get("filings") or {}).get("recent") or {}]
        older = (self._once(file, partial(self._client.data_json, f"/submissions/{file}")) for file in older_files(data, since, until))
        for columns in (page for source in (pages, older) for page in source):
            rows, skipped = read_rows(columns, cik, name)
            for bad in skipped:
                log.warning("submissions of CIK %s, row %d skipped: %s", cik, bad.line, bad.reason)
            yield from (row for row in rows if (since or "") <= row.entry.filed_at <= (until or "9999"))

    def snapshot(self, cik: str, ref: DocumentRef) -> dict[str, Any] | None:
        """What is kept beside a filing; None where EDGAR has nothing of this company."""
        try:
            data = self._submissions(cik)
            row = next((row for row in self.rows(cik, ref.filed_at, ref.filed_at) if row.entry.accession == ref.accession), None)
        except SourceMissing:
            return None
        return snapshot(data, row)

    def _submissions(self, cik: str) -> dict[str, Any]:
        data = self._once(cik, lambda: self._client.data_json(submissions_path(cik)))
        return data if isinstance(data, dict) else {}

    def _once(self, key: str, ask: Callable[[], T]) -> T:
        with self._lock:
            if key in self._known:
                found: T = self._known[key]
                return found
        answer = ask()  # outside the lock: two threads may ask twice, none waits for another's back-off
        with self._lock:
            while len(self._known) >= KEEP:
                self._known.pop(next(iter(self._known)))
            self._known[key] = answer
        return answer


def one_each(rows: Iterable[Row]) -> list[Row]:
    """Rows without repeats of an accession number: recent and older files overlap at times."""
    first: dict[str, Row] = {}
    for row in rows:
        first.setdefault(row.entry.accession, row)
    return list(first.values())
