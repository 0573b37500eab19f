"""What goes wrong while publishing: a disk that is really full, files damaged under a running index. Yesterday's publication stays."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from filingforest.current import open_manifest, read_current
from filingforest.errors import Corrupt, StoreFull
from filingforest.publish import commands, receipts
from filingforest.publish.members import live_in
from filingforest.store_folder import FolderStore
from tests.support.tiny_index import TinyIndex


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of one megabyte."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = (
        os.getuid() == 0 and subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], capture_output=True).returncode == 0
    )
    if not mounted:
        pytest.skip("may not mount a small file system here")
    yield folder
    subprocess.run(["umount", folder], check=True)


def fill(disk: Path) -> None:
    with contextlib.suppress(OSError), (disk / "ballast").open("wb", buffering=0) as ballast:
        while True:
            ballast.write(b"\0" * 4096)


def test_a_full_disk_keeps_yesterday_and_the_next_run_goes_on(small_disk):
    index = TinyIndex(FolderStore(small_disk / "filings"))
    index.add("2024-02-01", "a")
    first = index.publish().publication
    index.add("2024-02-02", "b")
    fill(small_disk)
    with pytest.raises(StoreFull, match="free space"):
        index.publish()
    assert read_current(index.store).id == first
    assert commands.verify(index.store).ok
    (small_disk / "ballast").unlink()
    assert index.publish().changed
    assert set(live_in(index.store, open_manifest(index.store))) == {"a", "b"}
    assert commands.verify(index.store).ok


@pytest.mark.parametrize("name", ["documents.parquet", "units.parquet", "vectors.f16.npy", "contents.json"])
def test_a_damaged_file_is_named_and_can_be_written_again(tmp_path, name):
    index = TinyIndex(FolderStore(tmp_path / "filings"))
    index.add("2024-02-01", "a")
    index.publish()
    before = {key: index.store.get(key) for key in index.store.list("segments/")}
    [key] = [key for key in before if key.endswith("/" + name)]
    path = index.store.local_path(key)
    path.write_bytes(before[key][:-3] + b"???")
    problems = commands.verify(index.store).problems
    assert key in {problem.path for problem in problems}
    assert all("delete it" in problem.remedy for problem in problems if problem.path == key)
    index.store.delete(key)
    index.publish()
    assert {key: index.store.get(key) for key in index.store.list("segments/")} == before
    assert commands.verify(index.store).ok


@pytest.mark.parametrize("name", ["postings.body.npy", "lines.word.npy", "vectors.f16.npy", "facts.parquet"])
def test_a_changed_bit_is_never_merged_into_something_new(tmp_path, name):
    """Of a file that keeps its size: the night names it and stops; deleted, it is written again and the night goes on."""
    index = TinyIndex(FolderStore(tmp_path / "filings"))
    index.add("2024-02-01", "a")
    first = index.publish().publication
    [key] = [key for key in index.store.list("segments/") if key.endswith("/" + name)]
    path = index.store.local_path(key)
    data = bytearray(path.read_bytes())
    data[-2] ^= 1
    path.write_bytes(data)
    index.add("2024-02-02", "b")
    with pytest.raises(Corrupt, match=f"{key}: its sha256 is not what the manifest says -> delete it and publish again"):
        index.publish()
    assert read_current(index.store).id == first
    index.store.delete(key)
    index.publish()
    assert set(live_in(index.store, open_manifest(index.store))) == {"a", "b"}
    assert commands.verify(index.store).ok


def test_a_damaged_segment_that_a_dead_publisher_left_is_not_published(tmp_path):
    """It is whole by its sizes and of the right inputs, and nobody has looked into it yet."""
    twin, index = (TinyIndex(FolderStore(tmp_path / name / "filings")) for name in ("twin", "index"))
    for each in (twin, index):
        each.add("2024-02-01", "a")
    twin.publish()
    for key in twin.store.list("segments/"):
        data = twin.store.get(key)
        index.store.put_new(key, data[:-2] + bytes([data[-2] ^ 1]) + data[-1:] if key.endswith("units.parquet") else data)
    with pytest.raises(Corrupt, match=r"units\.parquet"):
        index.publish()
    assert read_current(index.store) is None


def test_a_damaged_file_of_half_a_segment_is_replaced(tmp_path):
    """Of the right length, in a directory that has no list of contents yet: the next run writes the rest, and this file again."""
    twin, index = (TinyIndex(FolderStore(tmp_path / name / "filings")) for name in ("twin", "index"))
    for each in (twin, index):
        each.add("2024-02-01", "a")
    twin.publish()
    [key] = [key for key in twin.store.list("segments/") if key.endswith("units.parquet")]
    data = twin.store.get(key)
    index.store.put_new(key, data[:-2] + bytes([data[-2] ^ 1]) + data[-1:])
    index.publish()
    assert index.store.get(key) == data
    assert commands.verify(index.store).ok


def test_a_damaged_receipt_stops_publishing_with_its_name(tmp_path):
    index = TinyIndex(FolderStore(tmp_path / "filings"))
    index.add("2024-02-01", "a")
    first = index.publish().publication
    name = index.add("2024-02-02", "b")
    index.store.local_path(receipts.key(name)).write_bytes(b"{}")
    with pytest.raises(Corrupt, match=name):
        index.publish()
    assert read_current(index.store).id == first


def test_a_receipt_damaged_after_it_was_published_is_named_by_verify_and_stops_nothing(tmp_path):
    """What it said stands in the ledger; it is not read again."""
    index = TinyIndex(FolderStore(tmp_path / "filings"))
    name = index.add("2024-02-01", "a")
    index.publish()
    index.store.local_path(receipts.key(name)).write_bytes(b"{}")
    assert [problem.path for problem in commands.verify(index.store).problems] == [receipts.key(name)]
    index.add("2024-02-02", "b")
    index.publish()
    assert set(live_in(index.store, open_manifest(index.store))) == {"a", "b"}


def test_a_damaged_manifest_is_published_again(tmp_path):
    index = TinyIndex(FolderStore(tmp_path / "filings"))
    index.add("2024-02-01", "a")
    first = index.publish().publication
    index.store.local_path(f"publications/{first}/manifest.json").write_bytes(b"{")
    assert [p.path for p in commands.verify(index.store).problems] == [f"publications/{first}/manifest.json"]
    again = index.publish()
    assert again.changed
    assert again.publication == first.replace("000001", "000002")
    assert any("manifest.json" in warning and "published anew" in warning for warning in again.warnings)
    assert commands.verify(index.store).ok
    index.store.delete(f"publications/{again.publication}/manifest.json")
    assert index.publish().publication == first.replace("000001", "000003")


def test_a_damaged_current_is_replaced_by_a_rollback(tmp_path):
    index = TinyIndex(FolderStore(tmp_path / "filings"))
    index.add("2024-02-01", "a")
    first = index.publish().publication
    index.add("2024-02-02", "b")
    index.publish()
    index.store.local_path("CURRENT").write_bytes(b"")
    for act in (index.publish, lambda: commands.rollback(index.store)):
        with pytest.raises(Corrupt, match=r"CURRENT.*rollback"):
            act()
    assert commands.rollback(index.store, first).entry == 3
    assert not index.publish().changed
    assert len(commands.release(index.store)) == 1
    assert index.publish().publication.startswith("000004-")
