"""EDGAR's addresses and manners in one place: which host serves what, what "not there" looks like, and when a document is whole."""

from __future__ import annotations

import json
from datetime import date
from typing import Any
from urllib.parse import urlsplit

from filingforest.config import SEC_URL, EdgarSettings
from filingforest.errors import SourceError
from filingforest.sources import edgar_calendar as calendar
from filingforest.sources.http import Absent, Complete, Fetched, HttpClient, HttpPolicy, missing, require_contact
from filingforest.sources.limiter import Limiter, open_limiter

S3_MISSING = b"<Code>AccessDenied</Code>"  # how EDGAR's storage says that a file of an index folder is not there
REFUSED = (b"Automated Tool", b"Rate Threshold", b"Undeclared")  # how its front door says that we are not welcome
HTML_END = b"</html>"
TAIL = 4096


def limiter_of(settings: EdgarSettings) -> Limiter:
    """The limit of EDGAR's host, which all processes share; the data host shares it too."""
    return open_limiter(urlsplit(settings.base_url).netloc, settings.rate, settings.limiter_path, settings.limiter_url)


class EdgarClient:
    """Fetches by path from the two hosts (or their stand-in), through one limiter. Raises ConfigError at once without a contact."""

    def __init__(self, settings: EdgarSettings, limiter: Limiter | None = None) -> None:
        self._base, self._data = settings.base_url.rstrip("/"), settings.data_base.rstrip("/")
        require_contact(settings.user_agent)
        hosts = {urlsplit(address).netloc for address in (self._base, self._data)}
        limiter = limiter or limiter_of(settings)
        policy = HttpPolicy(
            timeout_s=settings.timeout_s,
            retries=settings.retries,
            backoff_s=settings.backoff_s,
            cooldown_s=settings.cooldown_s,
            max_bytes=settings.max_bytes,
        )
        self._http = HttpClient(settings.user_agent, limiter, hosts, policy)

    def file(self, path: str, *, document: str | None = None, complete: Complete | None = None, absent: Absent | None = None) -> Fetched:
        """A file of www.sec.gov by its path or its address there. Raises as HttpClient.get."""
        url = self._base + path.removeprefix(SEC_URL)
        return self._http.get(url, document=document, complete=complete, absent=absent or missing)

    def www_json(self, path: str) -> Any:
        """A JSON file of www.sec.gov. Raises as HttpClient.get; SourceError when it is not JSON."""
        return self._json(self._base + path)

    def data_json(self, path: str) -> Any:
        """A JSON file of data.sec.gov."""
        return self._json(self._data + path)

    def _json(self, url: str) -> Any:
        content = self._http.get(url, complete=_whole_json).content
        try:
            return json.loads(content)
        except ValueError as e:
            raise SourceError(f"{url} is not JSON: {e}", stage="discover", remedy="check edgar.base_url and edgar.data_url") from e


def index_absent(day: date) -> Absent:
    """What says that `day` has no index: 404; storage's own 403; any 403 but a refusal on days when none is expected.

    (None is on weekends and federal holidays, and a new quarter's folder answers 403 until its first index.)
    """
    none_expected = not calendar.business_day(day) or calendar.quarter_opens(day)

    def absent(status: int, body: bytes) -> bool:
        if status == 403 and not any(mark in body for mark in REFUSED):
            return none_expected or S3_MISSING in body
        return status == 404

    return absent


def whole_document(size: int | None) -> Complete:
    """Whether a document has come whole: HTML by its end tag, other text by the length that the server told.

    Some filers leave the end tag out: then the size that the filing's index lists must be the one that came.
    """

    def whole(fetched: Fetched) -> bool:
        content = fetched.content
        if size is not None and len(content) == size > 0:
            return True
        return HTML_END in content[-TAIL:].lower() if looks_html(content, fetched.url) else fetched.measured

    return whole


def looks_html(content: bytes, url: str) -> bool:
    """By its first bytes; by its name where they say nothing (half a page must not pass as text)."""
    head = content[:2048].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if head.startswith((b"%pdf", b"pk\x03\x04", b"\x1f\x8b")):
        return False
    return b"<html" in head or head.startswith(b"<!doctype html") or url.lower().endswith((".htm", ".html"))


def _whole_json(fetched: Fetched) -> bool:
    return fetched.content.rstrip()[-1:] in (b"}", b"]")
