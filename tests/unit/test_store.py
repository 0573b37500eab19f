"""The folder store keeps the contract of every store, and what goes wrong on a disk is typed."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from filingforest import store_folder, store_steps
from filingforest.errors import ConfigError, PermissionDenied, StoreFull, StoreUnavailable
from filingforest.store import open_store
from filingforest.store_errors import s3_error
from filingforest.store_folder import FolderStore
from tests.support.store_contract import StoreContract


@pytest.fixture
def store(tmp_path: Path) -> FolderStore:
    return FolderStore(tmp_path / "root")


class TestFolderStore(StoreContract):
    pass


def test_addresses(tmp_path):
    assert open_store(str(tmp_path)).url == str(tmp_path)
    assert open_store(f"file://{tmp_path}/a%20b").url == f"{tmp_path}/a b"
    assert open_store("relative").url == str(Path.cwd() / "relative")
    with pytest.raises(ConfigError, match="gopher"):
        open_store("gopher://x/y")


@pytest.mark.parametrize(
    "environment",
    [
        {"FILINGFOREST_S3_ENDPOINT": "seaweedfs"},
        {"AWS_ENDPOINT_URL": "nonsense"},
        {"AWS_PROFILE": "no-such-profile"},
        {"AWS_REGION": "a b"},
    ],
    ids=lambda e: next(iter(e)),
)
def test_an_environment_that_names_no_s3_is_told(environment, monkeypatch, tmp_path):
    for name in ("FILINGFOREST_S3_ENDPOINT", "AWS_ENDPOINT_URL", "AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"AWS_CONFIG_FILE": str(tmp_path / "none"), **environment}.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ConfigError, match="FILINGFOREST_S3_ENDPOINT"):
        open_store("s3://bucket/prefix")


def test_reading_creates_nothing(tmp_path):
    store = open_store(str(tmp_path / "absent"))
    assert store.stat("a") is None
    assert list(store.list("")) == []
    assert not (tmp_path / "absent").exists()


def test_files_are_readable_by_others(store):
    store.put_new("a", b"1")
    umask = os.umask(0)
    os.umask(umask)
    assert store.local_path("a").stat().st_mode & 0o777 == 0o666 & ~umask


def test_leftovers_are_cleaned(store):
    store.put_new("a", b"1")
    (store.root / ".tmp" / "left").write_bytes(b"half")
    assert list(store.list("")) == ["a"]
    assert store.clean(older_than_s=3600) == 0
    assert store.clean(older_than_s=-1) == 1


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_typed_and_leaves_nothing(store, monkeypatch, number):
    def full(path, data):
        path.write_bytes(b"half")
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(store_folder, "_write_synced", full)
    with pytest.raises(StoreFull, match="stages/x") as caught:
        store.put_new("stages/x", b"1")
    assert "free space" in caught.value.remedy
    assert [p for p in store.root.rglob("*") if p.is_file()] == []


def test_a_real_full_disk(tmp_path):
    """The kernel refuses the write at a file size limit, as at a full disk; the object is not there afterwards."""
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "from filingforest.store import open_store; from filingforest.errors import StoreFull\n"
        "store = open_store(sys.argv[1])\n"
        "try: store.put_new('big', b'x' * 5000)\n"
        "except StoreFull as error: print(error.code, store.stat('big'), store.put_new('small', b'y'))"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True, env=_environment())
    assert done.stdout.split() == ["store_full", "None", "True"]


@pytest.mark.skipif(os.getuid() != 0, reason="gives up root's rights to meet a folder that it may not write")
def test_a_folder_without_permission(tmp_path):
    code = (
        "import os, sys; from filingforest.store import open_store; import filingforest.store_folder\n"
        "from filingforest.errors import PermissionDenied\n"
        "os.setuid(65534); store = open_store(sys.argv[1])\n"
        "for call in (lambda: store.get('a'), lambda: store.put_new('b', b''), lambda: store.swap('C', b'', None)):\n"
        "    try: call()\n"
        "    except PermissionDenied as error: print(error.code)"
    )
    FolderStore(tmp_path / "root").put_new("a", b"1")
    (tmp_path / "root").chmod(0o700)
    tmp_path.chmod(0o755)
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "root")], capture_output=True, text=True, check=True, env=_environment()
    )
    assert done.stdout.split() == ["store_permission"] * 3


def test_without_hard_links(store, monkeypatch):
    def no_links(*_):
        raise OSError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "link", no_links)
    assert store.put_new("a", b"1")
    monkeypatch.setattr(Path, "exists", lambda self: self.name != "a" and os.path.lexists(self))  # as if another wrote it just now
    assert store.get("a") == b"1"


def test_s3_codes():
    assert isinstance(s3_error("AccessDenied", 403, "no", "k"), PermissionDenied)
    assert isinstance(s3_error("Whatever", 503, "slow", "k"), StoreUnavailable)
    assert isinstance(s3_error("QuotaExceeded", 403, "full", "k"), StoreFull)


def test_steps_are_numbered_and_logged(store, tmp_path, monkeypatch):
    monkeypatch.setenv("FILINGFOREST_STEP_LOG", str(tmp_path / "log"))
    store_steps.reset()
    store.put_new("a", b"1")
    store.swap("C", b"1", None)
    store.delete("a")
    lines = (tmp_path / "log").read_text().splitlines()
    assert lines == ["1 write a", "2 link a", "3 sync a", "4 write C", "5 rename C", "6 sync C", "7 delete a"]


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(Path(store_folder.__file__).parents[1])}
