"""SEC EDGAR as a source: filings by day, company or ticker, and each filing's own document with where it came from.

Listing and fetching only; how EDGAR's answers are read stands in the modules beside this one, and why in docs/edgar.md.
Refs carry SEC's own addresses, whatever server answers (`edgar.base_url`): what is published does not depend on a mirror's port.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any

from filingforest.config import EdgarSettings
from filingforest.errors import SourceMissing, SourceUnavailable, TruncatedDocument
from filingforest.parse.model import DocumentHint
from filingforest.sources import edgar_calendar as calendar
from filingforest.sources.base import DocumentRef, RawDocument, hint_for, unique
from filingforest.sources.edgar_client import EdgarClient, index_absent
from filingforest.sources.edgar_company import Companies, one_each
from filingforest.sources.edgar_fetch import FilingFetcher, Found, submission_url
from filingforest.sources.edgar_forms import wanted_form
from filingforest.sources.edgar_index import Entry, Skipped, index_path, is_index, read_index
from filingforest.sources.http import Fetched
from filingforest.sources.limiter import Limiter

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Listing:
    """One day: what is wanted of its index, the lines that could not be read, and why there is no index where there is none."""

    day: date
    refs: list[DocumentRef]
    skipped: list[Skipped] = field(default_factory=list)
    no_index: str | None = None


class EdgarSource:
    """EDGAR, or a server that speaks its paths. Raises ConfigError at once without a User-Agent that names a contact."""

    name = "edgar"

    def __init__(
        self, settings: EdgarSettings, limiter: Limiter | None = None, now: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._client = EdgarClient(settings, limiter)
        self._companies, self._fetcher, self._now = Companies(self._client), FilingFetcher(self._client), now

    def day(self, day: date, forms: Iterable[str] = (), *, ciks: Iterable[str] = (), tickers: Iterable[str] = ()) -> Listing:
        """A day's filings by its master index. No index on a day that has none is an empty listing with its reason.

        Raises SourceUnavailable while the index may still appear, SourceForbidden, ConfigError (unknown ticker).
        """
        only = self._ciks(ciks, tickers)
        try:
            content = self._client.file(index_path(day), absent=index_absent(day), complete=_whole_index).content
        except SourceMissing:
            return self._no_index(day)
        except TruncatedDocument as e:
            raise SourceUnavailable(f"the index of {day} is not whole", stage="discover", remedy="run this day again later") from e
        entries, skipped = read_index(content)
        for bad in skipped:
            log.warning("index of %s, line %d skipped: %s: %s", day, bad.line, bad.reason, bad.text)
        wanted = [e for e in entries if wanted_form(e.form, forms) and (only is None or only & set(e.ciks))]
        return Listing(day, [_ref(entry) for entry in wanted], skipped)

    def discover_day(
        self, day: date, forms: Iterable[str] = (), *, ciks: Iterable[str] = (), tickers: Iterable[str] = ()
    ) -> list[DocumentRef]:
        """The refs of `day`, in the index's order; each filing once, with the company that the index names first."""
        return self.day(day, list(forms), ciks=ciks, tickers=tickers).refs

    def discover_days(self, last: date, look_back: int, forms: Sequence[str] = (), **only: Iterable[str]) -> list[DocumentRef]:
        """`last` and the `look_back` business days before it (filings come late), oldest first, each filing once."""
        return unique([ref for day in calendar.back(last, look_back) for ref in self.discover_day(day, forms, **only)])

    def discover_tickers(
        self, tickers: Iterable[str], forms: Iterable[str] = (), since: date | None = None, until: date | None = None
    ) -> list[DocumentRef]:
        """Companies' histories by ticker, newest first. Raises ConfigError for an unknown ticker, before anything is listed."""
        return self.discover_companies([self._companies.cik(ticker) for ticker in tickers], forms, since, until)

    def discover_companies(
        self, ciks: Iterable[str], forms: Iterable[str] = (), since: date | None = None, until: date | None = None
    ) -> list[DocumentRef]:
        """Companies' histories by CIK, from submissions JSON with its older files, `since` and `until` included."""
        asked, first, last = list(forms), since.isoformat() if since else None, until.isoformat() if until else None
        rows = [row for cik in ciks for row in self._companies.rows(str(int(cik)), first, last)]
        return [_ref(row.entry) for row in one_each(rows) if wanted_form(row.entry.form, asked)]

    def fetch(self, ref: DocumentRef) -> RawDocument:
        """A filing's primary document, or an exhibit's, whole. Raises DocumentError and SourceError types."""
        found = self._fetcher.exhibit(ref) if ref.kind == "exhibit" else self._fetcher.primary(ref, self._companies)
        filers = [cik for cik, _ in found.filing.filers] or [ref.cik or "0"]
        snapshot = self._companies.snapshot(filers[0], ref)
        raw = RawDocument(ref, found.content, _hint(ref, filers[0], found, snapshot or {}))
        return RawDocument(raw.ref, raw.content, raw.hint, _provenance(raw, found, snapshot, self._now()))

    def exhibits(self, ref: DocumentRef, types: Sequence[str] = ()) -> list[DocumentRef]:
        """A filing's exhibits that are text (no XBRL data files); `types` ("EX-13") narrows. One or two requests."""
        return self._fetcher.exhibits(ref, types)

    def _ciks(self, ciks: Iterable[str], tickers: Iterable[str]) -> set[str] | None:
        found = {str(int(cik)) for cik in ciks} | {self._companies.cik(ticker) for ticker in tickers}
        return found or None

    def _no_index(self, day: date) -> Listing:
        if calendar.may_come(day, self._now()):
            raise SourceUnavailable(
                f"the index of {day} is not there yet", stage="discover", remedy="it appears about 22:45 New York time: run after that"
            )
        why = (
            "EDGAR was closed that day, or the day's index was never made" if calendar.business_day(day) else "a weekend or federal holiday"
        )
        log.info("no index of %s: %s", day, why)
        return Listing(day, [], no_index=why)


def _ref(entry: Entry) -> DocumentRef:
    ref = DocumentRef(entry.accession, "edgar", "", "", entry.form, entry.company, entry.ciks[0], entry.filed_at, entry.accession)
    return DocumentRef.from_dict(ref.to_dict() | {"url": submission_url(ref)})


def _whole_index(fetched: Fetched) -> bool:
    return is_index(fetched.content) and fetched.content.endswith(b"\n")


def _hint(ref: DocumentRef, cik: str, found: Found, snapshot: dict[str, Any]) -> DocumentHint:
    """Names, ticker and industry come from the snapshot: the filing's own bytes need not carry them.

    `cik` is the filer that the filing names first, so that a joint filing is the same however it was listed.
    """
    filing = snapshot.get("filing") or {}
    tickers = snapshot.get("tickers") or []
    company = str(snapshot.get("name") or ref.company or "")
    first = {"cik": cik, "name": company, "ticker": tickers[0] if tickers else None, "sic": snapshot.get("sic")}
    others = [{"cik": other, "name": name, "ticker": None, "sic": None} for other, name in found.filing.filers if other != cik]
    return hint_for(
        ref,
        name=found.part.filename or f"{ref.accession}.txt",
        company=company,
        cik=cik,
        ticker=first["ticker"],
        sic=first["sic"],
        industry=snapshot.get("sicDescription"),
        entities=[first, *others],
        accepted_at=filing.get("acceptanceDateTime") or None,
        period_end=filing.get("reportDate") or None,
        fiscal_year_end=snapshot.get("fiscalYearEnd"),
        source_url=found.url,
        title=found.part.description or None,
    )


def _provenance(raw: RawDocument, found: Found, snapshot: dict[str, Any] | None, now: datetime) -> dict[str, Any]:
    return {
        "url": found.url,
        "fetched_at": now.isoformat(timespec="seconds"),
        "sha256": raw.sha256,
        "bytes": len(raw.content),
        "headers": found.headers,
        "document": found.part.as_dict(),
        "told_by": found.told_by,
        "documents": [part.as_dict() for part in found.filing.parts],
        "submissions": snapshot,
    }
