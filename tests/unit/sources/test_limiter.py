"""Never above the rate over any second, whoever asks; and a 403 stops them all."""

from __future__ import annotations

import itertools
import multiprocessing
import threading
import time
from pathlib import Path

import pytest

from filingforest.errors import ConfigError, SourceForbidden
from filingforest.sources.limiter import FileLimiter, Mark, gap_for, open_limiter, wait_for


def most_in_a_second(times: list[float]) -> int:
    return max(sum(1 for t in times if start <= t < start + 1) for start in times)


def grants(path: Path, rate: float, count: int) -> list[float]:
    """When the limiter itself says that it granted: the last time that it read its clock, under the lock."""
    read: list[float] = []

    def clock() -> float:
        read.append(time.time())
        return read[-1]

    limiter = FileLimiter(path, rate, clock=clock)
    out = []
    for _ in range(count):
        limiter.acquire()
        out.append(read[-1])
    return out


def work(path: Path, rate: float, count: int, answers: multiprocessing.Queue[list[float]]) -> None:
    """A process with two threads."""
    found: list[float] = []
    threads = [threading.Thread(target=lambda: found.extend(grants(path, rate, count))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    answers.put(found)


def test_threads_and_processes_together_stay_below_the_rate(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    answers: multiprocessing.Queue[list[float]] = context.Queue()
    processes = [context.Process(target=work, args=(tmp_path / "x.limiter", 8.0, 5, answers)) for _ in range(3)]
    for process in processes:
        process.start()
    times = sorted(t for _ in processes for t in answers.get(timeout=60))
    for process in processes:
        process.join()
    assert len(times) == 30
    assert times[-1] - times[0] >= 29 / 8  # 30 grants are 29 gaps of at least an eighth of a second
    assert most_in_a_second(times) <= 8


def test_recorded_grants_are_spaced_exactly(tmp_path: Path) -> None:
    now = [1_000.0]
    limiter = FileLimiter(tmp_path / "x.limiter", 8, clock=lambda: now[0], sleep=lambda s: now.__setitem__(0, now[0] + s))
    times = []
    for _ in range(20):
        limiter.acquire()
        times.append(now[0])
    assert all(b - a >= 0.125 for a, b in itertools.pairwise(times))
    assert most_in_a_second(times) == 8


def test_a_late_sleeper_squeezes_nobody(tmp_path: Path) -> None:
    """Waking half a second late must not let the next ones catch up."""
    now, late = [1_000.0], iter([0, 0, 0.5, 0, 0, 0])
    limiter = FileLimiter(tmp_path / "x.limiter", 8, clock=lambda: now[0], sleep=lambda s: now.__setitem__(0, now[0] + s + next(late)))
    times = []
    for _ in range(6):
        limiter.acquire()
        times.append(now[0])
    assert min(b - a for a, b in itertools.pairwise(times)) >= 0.125


@pytest.mark.parametrize("rate", [0, -1, 10.5])
def test_a_rate_that_sec_does_not_allow(rate: float, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="at most 10"):
        FileLimiter(tmp_path / "x.limiter", rate)


def test_wait_never_exceeds_one_gap() -> None:
    gap = gap_for(10)
    assert wait_for(100.0, 100.0, gap) == pytest.approx(0.102)
    assert wait_for(100.0, 101.0, gap) == 0
    assert wait_for(5_000.0, 100.0, gap) == gap  # the clock was set back


def test_cool_down_stops_every_user(tmp_path: Path) -> None:
    one, other = open_limiter("www.sec.gov", 10, tmp_path), open_limiter("www.sec.gov", 10, tmp_path)
    one.acquire()
    one.cool_down(60, "403 from somewhere")
    with pytest.raises(SourceForbidden, match="403 from somewhere") as caught:
        other.acquire()
    assert caught.value.transient
    assert "wait 60 s" in str(caught.value)
    assert other.cooling() is not None
    open_limiter("127.0.0.1:8899", 10, tmp_path).acquire()  # another host is another limiter


def test_cool_down_ends_and_is_never_shortened(tmp_path: Path) -> None:
    now = [1_000.0]
    limiter = FileLimiter(tmp_path / "x.limiter", 10, clock=lambda: now[0], sleep=lambda s: None)
    limiter.cool_down(60, "first")
    limiter.cool_down(10, "second")
    assert limiter.cooling() == Mark(1_060.0, "first")
    now[0] = 1_060.5
    assert limiter.cooling() is None
    limiter.acquire()


def test_those_who_wait_already_stop_too(tmp_path: Path) -> None:
    limiter = FileLimiter(tmp_path / "x.limiter", 1)
    limiter.acquire()
    stopped = []

    def ask() -> None:
        try:
            limiter.acquire()
        except SourceForbidden:
            stopped.append(True)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    time.sleep(0.2)
    limiter.cool_down(60, "403")
    for thread in threads:
        thread.join(5)
    assert len(stopped) == 4


def test_torn_files_cost_one_gap(tmp_path: Path) -> None:
    (tmp_path / "x.limiter").write_bytes(b"\0\0garbage")
    (tmp_path / "x.cooldown").write_text('{"until": 99')
    FileLimiter(tmp_path / "x.limiter", 10).acquire()


def test_a_folder_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match=r"edgar\.limiter_dir"):
        FileLimiter(tmp_path / "file" / "x.limiter", 8)
