"""The cache of S3 files stays within its bounds, takes what was used longest ago, and harms nobody who reads."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from filingforest.query import cache

NOW = 1_000_000.0


def _put(root: Path, name: str, size: int, age: float) -> Path:
    path = root / name[:2] / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x" * size)
    os.utime(path, (NOW - age, NOW - age))
    return path


def test_the_longest_unused_goes_first_and_no_more_than_needed(tmp_path: Path) -> None:
    old, older, new = _put(tmp_path, "aa1", 40, 5_000), _put(tmp_path, "ab2", 40, 9_000), _put(tmp_path, "ac3", 40, 100)
    (tmp_path / "models").mkdir()
    assert cache.evict(tmp_path, 100, NOW) == [older]
    assert (old.exists(), new.exists()) == (True, True)
    assert cache.evict(tmp_path, 100, NOW) == []


def test_what_was_just_put_in_place_stays(tmp_path: Path) -> None:
    _put(tmp_path, "aa1", 40, 10)
    assert cache.evict(tmp_path, 1, NOW) == []


def test_a_use_makes_it_young_again(tmp_path: Path) -> None:
    used, other = _put(tmp_path, "aa1", 40, 9_000), _put(tmp_path, "ab2", 40, 8_000)
    cache.used(used, NOW - 1_000)
    assert cache.evict(tmp_path, 50, NOW) == [other]


def test_a_mapped_file_is_read_to_its_end(tmp_path: Path) -> None:
    path = _put(tmp_path, "aa1", 40, 9_000)
    with path.open("rb") as reading:
        assert cache.evict(tmp_path, 1, NOW) == [path]
        assert reading.read() == b"x" * 40


def test_only_one_evicts_at_a_time_and_nobody_waits(tmp_path: Path) -> None:
    _put(tmp_path, "aa1", 40, 9_000)
    with (tmp_path / ".evicting").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert cache.evict(tmp_path, 1, NOW) == []


@pytest.mark.parametrize(("given", "limit"), [("2.5", 2_500_000_000), ("0", 0), ("much", 0), (None, 50_000_000_000)])
def test_the_bound_comes_from_the_environment(given: str | None, limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(cache.LIMIT_VARIABLE, raising=False)
    if given is not None:
        monkeypatch.setenv(cache.LIMIT_VARIABLE, given)
    assert cache.limit_bytes() == limit
