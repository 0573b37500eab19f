"""The client against a server that fails on purpose."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from filingforest.errors import ConfigError, SourceError, SourceForbidden, SourceMissing, SourceUnavailable, TooLarge, TruncatedDocument
from filingforest.sources.http import HttpClient, HttpPolicy, require_contact, retry_after
from filingforest.sources.limiter import FileLimiter
from tests.support.replay import Replay

BODY = b"<html>" + b"0123456789" * 20_000 + b"</html>"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Replay]:
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "page.htm").write_bytes(BODY)
    with Replay(tmp_path / "root") as replay:
        yield replay


def client(server: Replay, tmp_path: Path, sleeps: list[float] | None = None, **policy: Any) -> HttpClient:
    known: dict[str, Any] = {"timeout_s": 2, "retries": 3, "backoff_s": 0.01}
    took = sleeps if sleeps is not None else []
    limiter = FileLimiter(tmp_path / "x.limiter", 10)
    return HttpClient("T t@example.org", limiter, {urlsplit(server.url).netloc}, HttpPolicy(**{**known, **policy}), sleep=took.append)


def test_whole_body(server: Replay, tmp_path: Path) -> None:
    got = client(server, tmp_path).get(server.url + "/page.htm")
    assert got.content == BODY
    assert got.measured
    assert server.seen[0].user_agent == "T t@example.org"


@pytest.mark.parametrize("agent", ["", "   ", "python-requests/2", "you@example.org", "Name name@example", "Name <@>"])
def test_a_user_agent_without_a_contact(agent: str) -> None:
    with pytest.raises(ConfigError, match="--user-agent"):
        require_contact(agent)


@pytest.mark.parametrize("agent", ["Jane Doe jane@example.org", "  Example  Research (crawler@example.co.uk) "])
def test_a_user_agent_with_one(agent: str) -> None:
    assert require_contact(agent) == " ".join(agent.split())


@pytest.mark.parametrize("status", [429, 500, 503])
def test_busy_servers_are_asked_again(server: Replay, tmp_path: Path, status: int) -> None:
    server.fail("page", status=status, times=2)
    assert client(server, tmp_path).get(server.url + "/page.htm").content == BODY
    assert [seen.status for seen in server.seen] == [status, status, 200]


def test_pauses_grow_and_honour_retry_after(server: Replay, tmp_path: Path) -> None:
    server.fail("page", status=503, times=1)
    server.fail("page", status=429, times=1, retry_after="7")
    server.fail("page", status=503, times=1)
    sleeps: list[float] = []
    client(server, tmp_path, sleeps, backoff_s=1).get(server.url + "/page.htm")
    assert 0.5 <= sleeps[0] <= 1
    assert sleeps[1] == 7
    assert 2 <= sleeps[2] <= 4


def test_patience_ends(server: Replay, tmp_path: Path) -> None:
    server.fail("page", status=503, times=-1)
    with pytest.raises(SourceUnavailable, match="status 503") as caught:
        client(server, tmp_path).get(server.url + "/page.htm", document="d1")
    assert caught.value.transient
    assert caught.value.document == "d1"
    assert len(server.seen) == 4


def test_a_long_retry_after_is_left_to_the_next_run(server: Replay, tmp_path: Path) -> None:
    server.fail("page", status=429, times=-1, retry_after="3600")
    with pytest.raises(SourceUnavailable):
        client(server, tmp_path).get(server.url + "/page.htm")
    assert len(server.seen) == 1


def test_403_stops_all_clients(server: Replay, tmp_path: Path) -> None:
    server.fail("page", status=403)
    with pytest.raises(SourceForbidden, match="all requests stop"):
        client(server, tmp_path).get(server.url + "/page.htm")
    with pytest.raises(SourceForbidden, match="cooling down"):
        client(server, tmp_path).get(server.url + "/page.htm")
    assert len(server.seen) == 1  # the second never asked


@pytest.mark.parametrize("kind", ["cut", "cut_quietly"])
def test_half_a_body_is_asked_for_again(server: Replay, tmp_path: Path, kind: str) -> None:
    server.fail("page", kind=kind, times=2)
    got = client(server, tmp_path).get(server.url + "/page.htm", complete=lambda f: f.content.endswith(b"</html>"))
    assert got.content == BODY
    assert len(server.seen) == 3


@pytest.mark.parametrize(("kind", "error"), [("cut", SourceUnavailable), ("cut_quietly", TruncatedDocument)])
def test_half_a_body_is_never_returned(server: Replay, tmp_path: Path, kind: str, error: type[Exception]) -> None:
    server.fail("page", kind=kind, times=-1)
    with pytest.raises(error):
        client(server, tmp_path).get(server.url + "/page.htm", complete=lambda f: f.content.endswith(b"</html>"))


def test_slow_answers(server: Replay, tmp_path: Path) -> None:
    server.fail("page", kind="slow", seconds=1.5, times=1)
    assert client(server, tmp_path, timeout_s=0.5).get(server.url + "/page.htm").content == BODY
    server.fail("page", kind="drip", seconds=4, times=-1)
    began = time.monotonic()
    with pytest.raises(SourceUnavailable, match="in time"):
        client(server, tmp_path, total_s=0.5, retries=0).get(server.url + "/page.htm")
    assert time.monotonic() - began < 3


def test_size_bound(server: Replay, tmp_path: Path) -> None:
    with pytest.raises(TooLarge, match="larger than 1000"):
        client(server, tmp_path).get(server.url + "/page.htm", max_bytes=1_000)


def test_missing_files(server: Replay, tmp_path: Path) -> None:
    with pytest.raises(SourceMissing):
        client(server, tmp_path).get(server.url + "/nothing.htm")
    assert len(server.seen) == 1


def test_redirects_stay_within_the_allowed_hosts(server: Replay, tmp_path: Path) -> None:
    server.fail("old", kind="redirect", location="/page.htm")
    assert client(server, tmp_path).get(server.url + "/old.htm").content == BODY
    server.fail("page", kind="redirect", location="http://elsewhere.example/page.htm")
    with pytest.raises(SourceError, match=r"elsewhere\.example"):
        client(server, tmp_path).get(server.url + "/page.htm")
    server.fail("page", kind="redirect", location="/page.htm", times=-1)
    with pytest.raises(SourceError, match="redirects more than"):
        client(server, tmp_path).get(server.url + "/page.htm")


def test_nobody_listens(tmp_path: Path) -> None:
    limiter = FileLimiter(tmp_path / "x.limiter", 10)
    lost = HttpClient("T t@example.org", limiter, {"127.0.0.1:9"}, HttpPolicy(retries=1, backoff_s=0.01))
    with pytest.raises(SourceUnavailable, match="ConnectionError"):
        lost.get("http://127.0.0.1:9/x")


def test_retry_after_forms() -> None:
    assert retry_after("120") == 120
    assert retry_after(None) == retry_after("soon") == retry_after("-5") == 0
    assert 50 < retry_after(format_datetime(datetime.now(UTC) + timedelta(seconds=60))) <= 60
    assert retry_after(format_datetime(datetime.now(UTC) - timedelta(seconds=60))) == 0
