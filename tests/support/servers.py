"""Real servers as pytest fixtures, started once a session and stopped with it."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest

from infra.servers.seaweedfs import BUCKET, SeaweedFS


@pytest.fixture(scope="session")
def seaweedfs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SeaweedFS]:
    """A running SeaweedFS; see `s3_url` for a place in it."""
    with SeaweedFS(tmp_path_factory.mktemp("seaweedfs")) as server:
        yield server


@pytest.fixture
def s3_url(seaweedfs: SeaweedFS, monkeypatch: pytest.MonkeyPatch) -> str:
    """An empty `s3://bucket/prefix` of the test's own, with the administrator's credentials in the environment."""
    for name, value in seaweedfs.environment().items():
        monkeypatch.setenv(name, value)
    return f"s3://{BUCKET}/{uuid.uuid4().hex}"
