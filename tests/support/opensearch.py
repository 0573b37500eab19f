"""A real OpenSearch as a pytest fixture: one for all workers of a run, ended when the run ends. Where it cannot start, tests fail."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from filingforest.config.opensearch import OpenSearchSettings
from filingforest.opensearch import erasing
from filingforest.opensearch.client import connect
from infra.servers import opensearch as starter
from infra.servers.opensearch_home import home, locked

if TYPE_CHECKING:
    from tests.support.opensearch_place import Place

_PATIENCE_S = 400.0
RUNNING = "FILINGFOREST_TEST_OPENSEARCH"  # the address of a node that runs already (`make services` prints it)


@pytest.fixture(scope="session")
def opensearch_url(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a running node. Its process lives as long as the one that runs all the tests."""
    if RUNNING in os.environ:
        return os.environ[RUNNING]
    home()  # may take minutes once; says so
    worker = "PYTEST_XDIST_WORKER" in os.environ
    run = os.getppid() if worker else os.getpid()
    folder = tmp_path_factory.getbasetemp().parent if worker else tmp_path_factory.getbasetemp()
    said, log = folder / f"opensearch-{run}", folder / f"opensearch-{run}.log"
    with locked(folder / "opensearch.lock"):
        if not said.exists():
            _start(run, said, log)
    return said.read_text()


def _start(run: int, said: Path, log: Path) -> None:
    command = [sys.executable, starter.__file__, "--while", str(run), "--say", str(said)]
    with log.open("wb") as out:
        process = subprocess.Popen(command, stdout=out, stderr=out, start_new_session=True)
    until = time.monotonic() + _PATIENCE_S
    while not said.exists():
        if process.poll() is not None or time.monotonic() > until:
            process.terminate()
            pytest.fail(f"OpenSearch did not start:\n{log.read_text(errors='replace')[-4000:]}", pytrace=False)
        time.sleep(0.2)


@pytest.fixture
def opensearch(opensearch_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenSearchSettings]:
    """Settings with a prefix of the test's own; its indexes are deleted afterwards. No test waits for deleted text to leave its files
    (up to half a minute) but the one that asks for it."""
    monkeypatch.setattr(erasing, "PATIENCE_S", 0.0)
    settings = OpenSearchSettings(url=opensearch_url, prefix=f"t{uuid.uuid4().hex[:10]}", backoff_s=0.05)
    yield settings
    connect(settings).indices.delete(index=f"{settings.prefix}-*", params={"ignore_unavailable": "true"})


@pytest.fixture
def place(
    s3_url: str, opensearch: OpenSearchSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Place:
    """An index on S3 that OpenSearch carries too, and the settings that say so in the environment."""
    from filingforest import pipeline
    from tests.support.opensearch_place import Place
    from tests.support.tiny_index import TinyEmbedder

    monkeypatch.setenv("FILINGFOREST_LLM_CACHE", str(tmp_path / "llm"))
    monkeypatch.setenv("FILINGFOREST_OPENSEARCH_URL", opensearch.url)
    monkeypatch.setenv("FILINGFOREST_OPENSEARCH_PREFIX", opensearch.prefix)
    monkeypatch.setattr(pipeline.Night, "embedder", property(lambda night: TinyEmbedder()))  # a takedown publishes as the next night would
    return Place(f"{s3_url}/tiny", opensearch, capsys)


@pytest.fixture
def repository(place: Place, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A repository on S3 that only the command line knows of: nights take no snapshot of their own."""
    name = f"r-{place.settings.prefix}"
    place.register(name)
    monkeypatch.setenv("FILINGFOREST_OPENSEARCH_REPOSITORY", name)
    yield name
    place.client.snapshot.delete_repository(repository=name)
