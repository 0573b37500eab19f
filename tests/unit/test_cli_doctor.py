"""The doctor looks at what a machine is for: a reader's lacks nothing because it does not publish."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest

from filingforest import cli
from filingforest.config import EdgarSettings
from filingforest.sources.edgar_client import EdgarClient
from filingforest.store import open_store
from tests.support.corpus import Doc, Unit, publish

READER = {"numpy", "pyarrow", "onnxruntime", "tokenizers", "boto3"}


@pytest.fixture
def index(tmp_path: Path) -> str:
    return publish(tmp_path / "index", [[Doc("Acme", units=[Unit("Sales rose.")])]])


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the `query` extra seems to be installed."""
    version = metadata.version

    def seen(name: str) -> str:
        if name not in READER:
            raise metadata.PackageNotFoundError(name)
        return version(name)

    monkeypatch.setattr(metadata, "version", seen)


def findings(capsys: pytest.CaptureFixture[str], *flags: str) -> tuple[int, dict[str, dict[str, str]]]:
    code = cli.main(["doctor", "--json", "--no-model", *flags])
    return code, {f["name"]: f for f in map(json.loads, capsys.readouterr().out.splitlines())}


def test_a_reader_s_machine_is_well(index: str, reader: None, capsys: pytest.CaptureFixture[str]) -> None:
    code, found = findings(capsys, "--index", index)
    assert code == 0
    assert found["role"]["detail"] == "reads publications"
    assert found["published"]["detail"].startswith("000001-")
    assert not {"store", "edgar user-agent", "encoder"} & set(found)
    assert not any(key.startswith("doctor/") for key in open_store(index).list(""))


def test_a_publisher_s_store_is_tried(index: str, capsys: pytest.CaptureFixture[str]) -> None:
    _, found = findings(capsys, "--index", index)
    assert found["role"]["detail"] == "reads publications and publishes"
    assert [found[name]["level"] for name in ("store", "store create-only", "store swap", "opensearch")] == ["ok"] * 4
    assert not any(key.startswith("doctor/") for key in open_store(index).list(""))


def test_a_cool_down_that_a_crawl_began_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FILINGFOREST_EDGAR_LIMITER_DIR", str(tmp_path))
    assert findings(capsys)[1]["edgar limiter"]["level"] == "ok"
    agent = EdgarSettings(user_agent="Ann Doe ann@example.org", limiter_dir=str(tmp_path))
    EdgarClient(agent)._http._limiter.cool_down(600, "429 by www.sec.gov")
    found = findings(capsys)[1]["edgar limiter"]
    assert found["level"] == "warn"
    assert found["detail"].endswith(": 429 by www.sec.gov")


class _Node(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        plugins = [{"component": "opensearch-knn"}]
        body = json.dumps(plugins if self.path.startswith("/_cat") else {"version": {"number": "3.6.0"}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def node() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Node) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_opensearch_and_its_plugins(node: str, index: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["doctor", "--no-model", "--index", index, "--set", f"opensearch.url={node}"]) == 0
    shown = capsys.readouterr().out
    assert f"3.6.0 answers at {node}" in shown
    assert "the plugin opensearch-neural-search is missing" in shown


def test_an_opensearch_that_does_not_answer(index: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, found = findings(capsys, "--index", index, "--set", "opensearch.url=http://127.0.0.1:9")
    assert (code, found["opensearch"]["level"]) == (1, "bad")
    assert "does not answer" in found["opensearch"]["detail"]
