"""Airflow workers on many hosts share no file: they take turns at a row of a database that they all reach.

The same protocol as the file limiter: the row lock is the turn, the mark has a table of its own (it waits for nobody),
and the database's clock is the only clock.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from filingforest.errors import ConfigError, SourceUnavailable
from filingforest.sources.limiter import Mark, check_cool, gap_for, wait_for

TABLE = """
CREATE TABLE IF NOT EXISTS filingforest_limiter (
    name text PRIMARY KEY, last double precision NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS filingforest_cooldown (
    name text PRIMARY KEY, until double precision NOT NULL, reason text NOT NULL);
"""
LOCK = "SELECT last FROM filingforest_limiter WHERE name = %s FOR UPDATE"
GRANT = "UPDATE filingforest_limiter SET last = %s WHERE name = %s"
MARK = "SELECT until, reason FROM filingforest_cooldown WHERE name = %s AND until > extract(epoch FROM clock_timestamp())"
COOL = """
INSERT INTO filingforest_cooldown AS old (name, until, reason) VALUES (%s, %s, %s)
ON CONFLICT (name) DO UPDATE SET until = excluded.until, reason = excluded.reason WHERE old.until < excluded.until
"""
NOW = "SELECT extract(epoch FROM clock_timestamp())::float8"
MAKE_LOCK = 0x66666C31  # two first users must not both create the table


class PostgresLimiter:
    """All processes of all hosts, through one row locked with SELECT ... FOR UPDATE. One short connection an operation."""

    def __init__(self, address: str, name: str, rate: float) -> None:
        self._address, self._name, self._gap = address, name, gap_for(rate)
        try:
            import psycopg
        except ImportError as e:
            remedy = "pip install 'psycopg[binary]', or unset edgar.limiter_url"
            raise ConfigError("a PostgreSQL limiter needs psycopg", remedy=remedy) from e
        self._driver = psycopg
        with self._connected() as db:
            db.execute("SELECT pg_advisory_xact_lock(%s)", (MAKE_LOCK,))
            db.execute(TABLE)
            db.execute("INSERT INTO filingforest_limiter (name) VALUES (%s) ON CONFLICT DO NOTHING", (name,))

    def acquire(self) -> None:
        with self._connected() as db:
            check_cool(self._read_mark(db), _now(db))
            (last,) = db.execute(LOCK, (self._name,)).fetchone()
            time.sleep(wait_for(last, _now(db), self._gap))
            check_cool(self._read_mark(db), _now(db))
            db.execute(GRANT, (_now(db), self._name))

    def cool_down(self, seconds: float, reason: str) -> None:
        with self._connected() as db:
            db.execute(COOL, (self._name, _now(db) + seconds, reason))

    def cooling(self) -> Mark | None:
        with self._connected() as db:
            return self._read_mark(db)

    def _read_mark(self, db: Any) -> Mark | None:
        row = db.execute(MARK, (self._name,)).fetchone()
        return Mark(*row) if row else None

    @contextmanager
    def _connected(self) -> Iterator[Any]:
        try:
            with self._driver.connect(self._address, connect_timeout=10) as db:  # commits at the end
                yield db
        except self._driver.OperationalError as e:
            raise SourceUnavailable(
                f"the limiter's database does not answer: {e}", stage="crawl", remedy="check edgar.limiter_url and that PostgreSQL is up"
            ) from e


def _now(db: Any) -> float:
    return float(db.execute(NOW).fetchone()[0])
