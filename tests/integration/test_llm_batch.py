"""A batch whose client is killed and whose server dies accounts for every request exactly once."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from filingforest.errors import ConfigError, LlmUnavailable
from filingforest.models.llm.log import ANSWER, segments
from infra.servers.seaweedfs import free_ports
from tests.support.fake_llm import FakeLlm
from tests.support.llm_work import REFUSED, batch, requests, settings

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'pipelines'}"}


def start(module: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", f"tests.support.{module}", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT, cwd=ROOT)


def serve(port: int, *arguments: object) -> subprocess.Popen[str]:
    """A fake server in a process of its own, ready; it refuses what `llm_work` makes to be refused."""
    server = start("fake_llm", "--port", port, *arguments)
    assert server.stdout is not None
    server.stdout.readline()
    import requests as http

    http.post(f"http://127.0.0.1:{port}/_fake/faults", json={"kind": "status", "status": 422, "times": -1, "pattern": REFUSED}, timeout=10)
    return server


def entered(folder: Path) -> Counter[tuple[str, str]]:
    """How often each request stands in the ledger's files, as (id, kind)."""
    found: Counter[tuple[str, str]] = Counter()
    for path in segments(folder / "ledger"):
        for line in path.read_bytes().splitlines():
            if line.endswith(b"}"):
                found[json.loads(line[44:])["id"], chr(line[42])] += 1
    return found


def killed_at_random(folder: Path, count: int, kills: int, pause: tuple[float, float], chance: random.Random) -> dict[str, int]:
    """Runs the batch to its end; the client is killed `kills` times, the server after each second one. The last report."""
    port = free_ports(1)[0]
    server = serve(port)
    for number in range(kills):
        client = start("llm_work", folder, f"http://127.0.0.1:{port}/v1", count)
        time.sleep(chance.uniform(*pause))
        if number % 2:
            server.kill()  # under way: connections break, and nobody is there
            time.sleep(0.3)
            server.wait()
            server = serve(port)
            time.sleep(chance.uniform(*pause) / 2)
        client.send_signal(signal.SIGKILL)
        client.wait()
    client = start("llm_work", folder, f"http://127.0.0.1:{port}/v1", count)
    output, _ = client.communicate()
    server.kill()
    server.wait()
    assert client.returncode == 0
    return dict(json.loads(output))


def check(folder: Path, count: int, report: dict[str, int]) -> None:
    refused = count // 100
    assert (report["total"], report["done"], report["dead"]) == (count, count - refused, refused)
    ledger = entered(folder)
    assert set(ledger.values()) == {1}
    assert len(ledger) == count
    assert sum(kind == ANSWER for _, kind in ledger) == count - refused
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert len(files) < 30  # not one a request


def test_2000_requests_with_three_kills(tmp_path: Path) -> None:
    report = killed_at_random(tmp_path, 2000, 3, (0.8, 1.6), random.Random(5))
    check(tmp_path, 2000, report)


@pytest.mark.slow
def test_100000_requests_with_six_kills(tmp_path: Path) -> None:
    report = killed_at_random(tmp_path, 100_000, 6, (5.0, 15.0), random.Random())
    check(tmp_path, 100_000, report)
    work = batch(tmp_path, settings("http://127.0.0.1:9/v1"))  # nobody there: all is known
    again = work.run(requests(100_000))
    assert (again.done, again.dead, again.left, again.now) == (99_000, 1_000, 0, {})


def test_a_server_that_dies_stops_the_batch_and_the_same_call_continues(tmp_path: Path) -> None:
    port = free_ports(1)[0]
    server = serve(port, "--die-after", 40)
    of = settings(f"http://127.0.0.1:{port}/v1", patience_s=0.5, retries=50)
    with pytest.raises(LlmUnavailable):
        batch(tmp_path, of).run(requests(100))
    server.wait()
    held = batch(tmp_path, of)
    half = held.report(f for f, _ in held.ledger.items())
    assert 20 <= half.done + half.dead <= 40
    with FakeLlm(port) as llm:
        llm.fail("status", status=422, times=-1, pattern=REFUSED)
        report = batch(tmp_path, of).run(requests(100))
        assert (report.total, report.done, report.dead, report.left, report.reasons) == (100, 99, 1, 0, {"refused": 1})
        assert llm.requests == 100 - half.done


def test_results_dead_letters_and_their_second_try(tmp_path: Path) -> None:
    with FakeLlm() as llm:
        llm.fail("status", status=500, times=-1, pattern="number 7$")
        work = batch(tmp_path, settings(llm.url, retries=1))
        report = work.run(requests(10))
        assert (report.done, report.dead, report.reasons, report.now) == (9, 1, {"failing": 1}, {"done": 9, "dead": 1, "from_cache": 0})
        assert work.run(requests(10)).now == {}
        llm.faults.clear()
        report = work.run(requests(10), retry_dead=True)
        assert (report.done, report.dead, report.now) == (10, 0, {"done": 1, "from_cache": 0})
        values = [answer.value["summary"] for _, answer in work.results(f"r{n:06d}" for n in range(10))]  # type: ignore[union-attr]
        assert set(values) <= {
            "Net sales of the company rose in the year. Say it shortly.",
            "You summarise passages of company filings in one short sentence.",
        }


def test_an_id_that_comes_twice_is_an_error(tmp_path: Path) -> None:
    with FakeLlm() as llm, pytest.raises(ConfigError, match="'r000001' comes twice"):
        batch(tmp_path, settings(llm.url)).run([*requests(3), *list(requests(3))[1:]])
