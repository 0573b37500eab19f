"""EDGAR counts requests per user, not per process: so threads and tasks of all kinds take turns at one shared limiter.

Whoever holds the lock waits until one gap (1/rate) has passed since the last grant, writes down the time and goes. Spacing is
kept between the grants themselves, not between planned slots, so waking late can never squeeze more than `rate` grants into a second.
A 403 leaves a cool-down mark in the same place; until it is over every `acquire` raises SourceForbidden.
Source: SEC, "Accessing EDGAR Data": 10 requests a second in all.
"""

from __future__ import annotations

import fcntl
import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from filingforest.config import MAX_EDGAR_RATE
from filingforest.errors import ConfigError, SourceForbidden

MARGIN = 1.02  # the gap is 2 % wider than 1/rate: jitter on the way to the server does not make an eleventh


@dataclass(frozen=True, slots=True)
class Mark:
    """A cool-down: nobody asks until then (seconds since the epoch)."""

    until: float
    reason: str


class Limiter(Protocol):
    """The turn-taking that every request goes through."""

    def acquire(self) -> None:
        """Returns when a request may be sent. Raises SourceForbidden during a cool-down."""
        ...

    def cool_down(self, seconds: float, reason: str) -> None:
        """Stops every user of this limiter for `seconds`; a longer mark that is already there stays."""
        ...

    def cooling(self) -> Mark | None:
        """The mark, while it holds."""
        ...


def gap_for(rate: float) -> float:
    """Seconds between grants. Raises ConfigError for a rate that SEC does not allow."""
    if not 0 < rate <= MAX_EDGAR_RATE:
        raise ConfigError(f"{rate:g} requests a second is not allowed", remedy=f"set edgar.rate above 0 and at most {MAX_EDGAR_RATE:g}")
    return MARGIN / rate


def wait_for(last: float, now: float, gap: float) -> float:
    """Seconds until the next grant: never more than one gap, so that a clock set back does not stop the night."""
    return min(max(0.0, last + gap - now), gap)


def check_cool(mark: Mark | None, now: float) -> None:
    """Raises SourceForbidden while the mark holds."""
    if mark and mark.until > now:
        until = datetime.fromtimestamp(mark.until, UTC).isoformat(timespec="seconds")
        raise SourceForbidden(
            f"cooling down until {until} after: {mark.reason}",
            stage="crawl",
            remedy=f"wait {mark.until - now:.0f} s; check edgar.user_agent and that nothing else on this address asks EDGAR",
        )


class FileLimiter:
    """All processes and threads of one host, through two small files: the last grant under an flock, and the cool-down mark.

    The kernel frees a killed holder's lock. The mark is written without the lock, so that it does not queue behind those who wait.
    """

    def __init__(
        self, path: Path, rate: float, *, clock: Callable[[], float] = time.time, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._path, self._mark, self._gap, self._clock, self._sleep = path, path.with_suffix(".cooldown"), gap_for(rate), clock, sleep
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with self._locked():
                pass
        except OSError as e:
            raise ConfigError(f"cannot use {path}: {e.strerror}", remedy="set edgar.limiter_dir to a folder that can be written") from e

    def acquire(self) -> None:
        check_cool(self.cooling(), self._clock())
        with self._locked() as file:
            self._sleep(wait_for(_read_time(file), self._clock(), self._gap))
            check_cool(self.cooling(), self._clock())
            os.pwrite(file, f"{self._clock():<32.6f}".encode(), 0)

    def cool_down(self, seconds: float, reason: str) -> None:
        mark, old = Mark(self._clock() + seconds, reason), self.cooling()
        if old is None or old.until < mark.until:
            part = self._mark.with_suffix(f".{os.getpid()}.{threading.get_ident()}")
            part.write_text(json.dumps(asdict(mark)), "utf-8")
            part.replace(self._mark)

    def cooling(self) -> Mark | None:
        try:
            mark = Mark(**json.loads(self._mark.read_text("utf-8")))
        except (FileNotFoundError, ValueError, TypeError):
            return None
        return mark if mark.until > self._clock() else None

    @contextmanager
    def _locked(self) -> Iterator[int]:
        # a descriptor of its own each time: flock then also keeps the threads of one process apart
        file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield file
        finally:
            os.close(file)


def _read_time(file: int) -> float:
    try:
        return float(os.pread(file, 64, 0).strip() or 0)
    except ValueError:
        return 0.0  # torn by a power cut: worth one gap, not a night


def open_limiter(name: str, rate: float, folder: Path, database: str = "") -> Limiter:
    """The limiter called `name` (a host): a row where a PostgreSQL address is given (many hosts), else a file in `folder`."""
    if database:
        from filingforest.sources.limiter_postgres import PostgresLimiter

        return PostgresLimiter(database, name, rate)
    safe = "".join(c if c.isalnum() or c in ".-" else "_" for c in name)
    return FileLimiter(folder / f"{safe}.limiter", rate)
