"""One way to ask a server: every source's requests take their turn, back off, obey a 403, and never pass on half a body.

403 stops everybody (SEC answers it to unnamed or too fast clients); 429 and 5xx are asked again after a pause that grows, with
jitter, never shorter than Retry-After. Redirects are followed within the allowed hosts only.
"""

from __future__ import annotations

import random
import re
import threading
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import NoReturn
from urllib.parse import urljoin, urlsplit

import requests

from filingforest import errors
from filingforest.errors import FilingForestError, SourceForbidden, SourceMissing
from filingforest.sources.limiter import Limiter

CONTACT = re.compile(r"[^\s@<>()]+@[^\s@<>()]+\.[^\s@<>()]{2,}")
RETRIED = {408, 425, 429, 500, 502, 503, 504}
REDIRECTS = {301, 302, 303, 307, 308}
MAX_PAUSE_S = 120.0  # a server that asks for more is asked again by the next try of the task, not by waiting here
MAX_REDIRECTS = 5
KEPT_HEADERS = ("Content-Type", "Content-Length", "Content-Encoding", "ETag", "Last-Modified", "Date")


@dataclass(frozen=True, slots=True)
class Fetched:
    """A whole answer. `measured` is true where the server said how long the body is and it was."""

    url: str
    content: bytes
    headers: dict[str, str]
    measured: bool


@dataclass(frozen=True, slots=True)
class HttpPolicy:
    """How patient a client is. Seconds, bytes."""

    timeout_s: float = 30.0
    total_s: float = 900.0
    retries: int = 5
    backoff_s: float = 1.0
    cooldown_s: float = 600.0
    max_bytes: int = 400_000_000


class _Again(Exception):
    """This try failed in a way that another may not; `error` is what is raised when patience ends."""

    def __init__(self, error: FilingForestError, pause: float = 0.0) -> None:
        self.error, self.pause = error, pause


Complete = Callable[[Fetched], bool]
Absent = Callable[[int, bytes], bool]


def missing(status: int, body: bytes) -> bool:
    """What usually says "there is no such file"."""
    return status in (404, 410)


def require_contact(user_agent: str) -> str:
    """The User-Agent, trimmed. Raises ConfigError without a name and a mail address (SEC's fair-access rule)."""
    agent = " ".join(user_agent.split())
    found = CONTACT.search(agent)
    if not found or not agent.replace(found[0], "").strip(" <>()"):
        raise errors.ConfigError(
            f"SEC demands a User-Agent with a name and a mail address, not {agent!r}",
            remedy='set edgar.user_agent, FILINGFOREST_EDGAR_USER_AGENT or --user-agent to "Your Name your.name@your-company.com"',
        )
    return agent


class HttpClient:
    """GETs for one service: a session a thread, one limiter for all."""

    def __init__(
        self,
        user_agent: str,
        limiter: Limiter,
        hosts: Collection[str],
        policy: HttpPolicy | None = None,
        *,
        sleep: Callable[[float], None] = time.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._agent, self._limiter, self._hosts = require_contact(user_agent), limiter, frozenset(hosts)
        self._policy, self._sleep, self._jitter, self._local = policy or HttpPolicy(), sleep, jitter, threading.local()

    def get(
        self,
        url: str,
        *,
        document: str | None = None,
        max_bytes: int | None = None,
        complete: Complete | None = None,
        absent: Absent = missing,
    ) -> Fetched:
        """The whole body at `url`. `complete` says whether it has its end; `absent` which answers mean "there is no such file".

        Raises SourceMissing, SourceForbidden, SourceUnavailable, SourceError, TooLarge, TruncatedDocument.
        """
        job = _Job(url, document, max_bytes or self._policy.max_bytes, complete, absent)
        for attempt in range(self._policy.retries + 1):
            try:
                return self._try(job)
            except _Again as again:
                pause = max(again.pause, self._policy.backoff_s * 2**attempt * (0.5 + self._jitter() / 2))
                if attempt == self._policy.retries or again.pause > MAX_PAUSE_S:
                    raise again.error from again.__cause__
                self._sleep(min(pause, MAX_PAUSE_S))
        raise AssertionError("unreachable")

    def _try(self, job: _Job) -> Fetched:
        url = job.url
        for _ in range(MAX_REDIRECTS + 1):
            self._allow(url, job)
            self._limiter.acquire()
            try:
                with self._session().get(url, stream=True, timeout=self._policy.timeout_s, allow_redirects=False) as answer:
                    if answer.status_code not in REDIRECTS:
                        return self._accept(answer, job)
                    url = urljoin(url, answer.headers.get("Location", ""))
            except requests.RequestException as e:
                raise _Again(job.unavailable(f"{type(e).__name__} while reading")) from e
        raise job.error(errors.SourceError, f"{job.url} redirects more than {MAX_REDIRECTS} times", "check edgar.base_url")

    def _accept(self, answer: requests.Response, job: _Job) -> Fetched:
        status = answer.status_code
        if status != 200:
            self._refuse(answer, _body(answer, 65_536, job, time.monotonic() + self._policy.timeout_s, strict=False), job)
        fetched = self._read(answer, job)
        if job.complete and not job.complete(fetched):
            why = f"{job.url} ends in the middle ({len(fetched.content)} bytes)"
            raise _Again(job.error(errors.TruncatedDocument, why, "the source holds half of it: `filingforest failures retry` later"))
        return fetched

    def _read(self, answer: requests.Response, job: _Job) -> Fetched:
        told = answer.headers.get("Content-Length", "")
        if told.isdigit() and int(told) > job.max_bytes:
            raise job.too_large()
        content = _body(answer, job.max_bytes, job, time.monotonic() + self._policy.total_s)
        came = answer.raw.tell()  # as it came over the wire, before any decompression
        if told.isdigit() and came != int(told):
            raise _Again(job.unavailable(f"{came} of {told} bytes came"))
        headers = {name: answer.headers[name] for name in KEPT_HEADERS if name in answer.headers}
        measured = told.isdigit() or answer.headers.get("Transfer-Encoding", "").lower() == "chunked"
        return Fetched(answer.url, content, headers, measured)

    def _refuse(self, answer: requests.Response, body: bytes, job: _Job) -> NoReturn:
        status, url = answer.status_code, answer.url
        if job.absent(status, body):
            raise job.error(SourceMissing, f"{url} is not there ({status})", "check the address")
        if status == 403:
            reason = f"403 from {url}"
            self._limiter.cool_down(self._policy.cooldown_s, reason)
            why = f"{reason}; all requests stop for {self._policy.cooldown_s:.0f} s"
            raise job.error(SourceForbidden, why, "check edgar.user_agent (name and mail address) and edgar.rate, then run again")
        if status in RETRIED:
            raise _Again(job.unavailable(f"status {status}"), retry_after(answer.headers.get("Retry-After")))
        raise job.error(errors.SourceError, f"{url} answers {status}", "check the address and edgar.base_url")

    def _allow(self, url: str, job: _Job) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or parts.netloc not in self._hosts:
            why = f"{job.url} leads to {parts.netloc or url}, which is not one of {', '.join(sorted(self._hosts))}"
            raise job.error(errors.SourceError, why, "check edgar.base_url and edgar.data_url")

    def _session(self) -> requests.Session:
        session: requests.Session | None = getattr(self._local, "session", None)
        if session is None:
            session = self._local.session = requests.Session()
            session.headers.update({"User-Agent": self._agent, "Accept-Encoding": "gzip, deflate", "Accept": "*/*"})
        return session


@dataclass(frozen=True, slots=True)
class _Job:
    url: str
    document: str | None
    max_bytes: int
    complete: Complete | None
    absent: Absent

    def error(self, kind: type[FilingForestError], message: str, remedy: str) -> FilingForestError:
        return kind(message, document=self.document, stage="crawl", remedy=remedy)

    def unavailable(self, why: str) -> FilingForestError:
        return self.error(errors.SourceUnavailable, f"{self.url}: {why}", "run again later; what was done is kept")

    def too_large(self) -> FilingForestError:
        return self.error(errors.TooLarge, f"{self.url} is larger than {self.max_bytes} bytes", "raise edgar.max_bytes to take it")


def _body(answer: requests.Response, limit: int, job: _Job, until: float, strict: bool = True) -> bytes:
    """At most `limit` decoded bytes; more raises TooLarge (`strict`) or is left unread. A server that drips is given up at `until`."""
    parts, size = [], 0
    for chunk in answer.iter_content(1 << 16):
        parts.append(chunk)
        size += len(chunk)
        if size > limit and strict:
            raise job.too_large()
        if size > limit:
            break
        if time.monotonic() > until:
            raise _Again(job.unavailable(f"only {size} bytes came in time"))
    return b"".join(parts)


def retry_after(value: str | None) -> float:
    """Seconds that a Retry-After header asks for (RFC 9110: seconds or a date); 0 where it says nothing useful."""
    if not value:
        return 0.0
    if value.strip().isdigit():
        return float(value)
    try:
        when = parsedate_to_datetime(value)
    except ValueError:
        return 0.0
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    return max(0.0, (when - datetime.now(UTC)).total_seconds())
