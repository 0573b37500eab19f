"""The limiter of many hosts against a real PostgreSQL; skipped with a reason where the machine has none."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from filingforest.errors import SourceForbidden, SourceUnavailable
from filingforest.sources.limiter import open_limiter
from infra.servers.postgres import Postgres, binaries

pytestmark = pytest.mark.service
psycopg = pytest.importorskip("psycopg", reason="needs the `postgres` extra: pip install 'psycopg[binary]'")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    folder = binaries()
    if folder is None:
        pytest.skip("needs PostgreSQL on this machine: apt-get install postgresql")
    with Postgres(folder) as server:
        for _ in range(50):  # it listens a moment before it answers
            try:
                psycopg.connect(server.address).close()
                break
            except psycopg.OperationalError:
                time.sleep(0.1)
        yield server.address


def test_many_users_share_the_rate(address: str) -> None:
    times: list[float] = []

    def ask() -> None:
        limiter = open_limiter("host-a", 10, Path(), address)
        for _ in range(4):
            limiter.acquire()
            times.append(time.time())

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    times.sort()
    assert len(times) == 16
    assert times[-1] - times[0] >= 15 / 10
    assert max(sum(1 for t in times if start <= t < start + 1) for start in times) <= 11  # stamped after the grant


def test_cool_down_reaches_all_and_only_its_host(address: str) -> None:
    one, other = (open_limiter("host-b", 10, Path(), address) for _ in range(2))
    one.cool_down(60, "403 from x")
    one.cool_down(5, "403 from y")  # never shortens
    with pytest.raises(SourceForbidden, match="403 from x"):
        other.acquire()
    mark = other.cooling()
    assert mark is not None
    assert mark.reason == "403 from x"
    open_limiter("host-c", 10, Path(), address).acquire()


def test_a_database_that_does_not_answer() -> None:
    with pytest.raises(SourceUnavailable, match=r"edgar\.limiter_url"):
        open_limiter("x", 10, Path(), "postgresql://nobody@127.0.0.1:9/none")
