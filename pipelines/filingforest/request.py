"""What one run is asked for, as plain values: the same words serve flags, a DAG's params and a failure that is tried again.

One request is one *interval* (a filing date, a span of a ticker's history, a set of files) and leaves one receipt.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from filingforest.config import Settings
from filingforest.errors import ConfigError
from filingforest.sources.base import DocumentRef, RawDocument, absolute, unique

SOURCES = ("edgar", "folder")
MOST_LOOKBACK_DAYS = 3_660
DAY = datetime.timedelta(days=1)


@dataclass(frozen=True)
class Request:
    """Dates are ISO texts, both ends included. `tickers` narrow days down, or, without a date, ask for whole histories."""

    source: str
    since: str | None = None
    until: str | None = None
    tickers: tuple[str, ...] = ()
    forms: tuple[str, ...] = ()
    lookback_days: int = 0
    inputs: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for problem, remedy in _problems(self):
            raise ConfigError(problem, stage="discover", remedy=remedy)

    @property
    def interval(self) -> str:
        """The name under which its receipt stands: a date, `SINCE~UNTIL`, or the inputs' names (never their paths on this machine)."""
        if self.source == "folder":
            return "~".join(sorted(absolute(p).name or "files" for p in self.inputs))[:120]
        days = list(dict.fromkeys(d for d in (self.since, self.until) if d))
        return "~".join([*(days or ["all"]), *(sorted(t.upper() for t in self.tickers) if self.by_history else [])])[:120]

    @property
    def by_history(self) -> bool:
        """Listed through the companies' own histories, not day by day."""
        return self.source == "edgar" and bool(self.tickers) and (self.since is None or self.since != self.until)

    def nights(self) -> list[Request]:
        """One request a night: a span of days becomes business days, each with its own interval, oldest first."""
        if self.source == "folder" or self.by_history:
            return [self]
        first, last = date(self.since), date(self.until)
        days = [first + n * DAY for n in range((last - first).days + 1)]
        return [replace(self, since=d.isoformat(), until=d.isoformat()) for d in days if d.weekday() < 5 or first == last]

    def to_dict(self) -> dict[str, Any]:
        """JSON-able; what is empty is left out."""
        return {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(self).items() if v}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Request:
        """The inverse of `to_dict`. Raises ConfigError for keys that are not known."""
        unknown = set(data) - {f.name for f in fields(cls)}
        if unknown:
            raise ConfigError(
                f"unknown request key(s) {sorted(unknown)}", stage="discover", remedy=f"known: {[f.name for f in fields(cls)]}"
            )
        plain: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in data.items()}
        return cls(**plain)


class Documents:
    """What a request asks of its source: lists the documents and fetches them. `source` is one that `open_source` gave."""

    def __init__(self, request: Request, settings: Settings, source: Any = None) -> None:
        self.request, self.settings = request, settings
        self.source = open_source(request, settings) if source is None else source

    @property
    def immutable(self) -> bool:
        """A filing never changes under its accession number: what is kept need not be fetched again. A file may change."""
        return self.request.source == "edgar"

    def listed(self) -> list[DocumentRef]:
        """Everything that the request asks for, each document once, sorted by filing date and id."""
        found = self.source.discover() if self.request.source == "folder" else self._edgar()
        return sorted(unique(found), key=lambda r: (r.filed_at or "", r.doc_id))

    def fetch(self, ref: DocumentRef) -> RawDocument:
        raw: RawDocument = self.source.fetch(ref)
        return raw

    def _edgar(self) -> list[DocumentRef]:
        r = self.request
        forms = r.forms or self.settings.night.forms
        if r.by_history:
            return list(self.source.discover_tickers(r.tickers, forms, since=_maybe(r.since), until=_maybe(r.until)))
        return list(
            self.source.discover_days(date(r.since), r.lookback_days or self.settings.night.lookback_days, forms, tickers=r.tickers)
        )


def parse_dates(text: str) -> tuple[str, str]:
    """`2024-01-31`, or a span `2024-01-29..2024-02-02` (also `:`, both ends included). Raises ConfigError."""
    parts = [p.strip() for p in re.split(r"\.\.|:|~", text)]
    if len(parts) > 2 or not all(parts):
        raise ConfigError(
            f"'{text}' is not a date or a span of dates", stage="discover", remedy="write 2024-01-31 or 2024-01-29..2024-02-02"
        )
    return date(parts[0]).isoformat(), date(parts[-1]).isoformat()


def date(text: str | None) -> datetime.date:
    """An ISO date. Raises ConfigError."""
    try:
        return datetime.date.fromisoformat(text or "")
    except ValueError:
        raise ConfigError(f"'{text}' is not a date", stage="discover", remedy="write it as 2024-01-31") from None


def _maybe(text: str | None) -> datetime.date | None:
    return date(text) if text else None


def open_source(request: Request, settings: Settings) -> Any:
    """The source that a request names. Raises ConfigError, for EDGAR at once where no contact is named."""
    if request.source == "folder":
        from filingforest.sources.folder import FolderSource

        return FolderSource([Path(p) for p in request.inputs], settings.parse.max_bytes)
    from filingforest.sources.edgar import EdgarSource

    return EdgarSource(settings.edgar)


def _problems(r: Request) -> Sequence[tuple[str, str]]:
    """What is wrong with a request, each with its remedy."""
    out = []
    if r.source not in SOURCES:
        out.append((f"unknown source '{r.source}'", f"one of {', '.join(SOURCES)}"))
    if r.source == "folder" and not r.inputs:
        out.append(("no input was named", "name files or folders with --input"))
    if not all(p.strip() for p in r.inputs):
        out.append(("an input was named and is empty", "name files or folders with --input"))
    if r.source == "edgar" and not (r.since or r.tickers):
        out.append(("neither a date nor tickers were named", "name one with --date or --tickers"))
    if r.source == "edgar" and not r.tickers and not r.until:
        out.append(("a span of days needs its end", "write 2024-01-29..2024-02-02"))
    if r.since and r.until and date(r.since) > date(r.until):
        out.append((f"{r.since} is after {r.until}", "write the earlier date first"))
    if r.lookback_days < 0:
        out.append(("look-back days cannot be negative", "0 or more"))
    if r.lookback_days > MOST_LOOKBACK_DAYS:
        out.append((f"{r.lookback_days} look-back days are too many", f"at most {MOST_LOOKBACK_DAYS}; name a span of dates instead"))
    return out
