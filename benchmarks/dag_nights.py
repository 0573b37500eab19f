"""What a filing costs Airflow: the nightly DAG over every filing date of a replayed EDGAR, and each task's time, CPU and peak memory.

    python benchmarks/dag_nights.py --edgar ../shared/edgar --home FOLDER [--forms 10-K] [--at-once 2]

Each date that has such a filing is triggered by hand, as an operator would who fills gaps; then all of them once more, which must
write nothing. CPU and memory are read from /proc while tasks run (Linux), so they hold all of a task: Airflow's imports, the encoder.
"""

from __future__ import annotations

import argparse
import contextlib
import statistics
import sys
import threading
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import psutil

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from infra.airflow_local import Server, standalone
from tests.support.nights import current, edgar_settings, published_documents, snapshot
from tests.support.replay import Replay

DAG = "filings_nightly"
WORK = ("crawl.fetch", "parse.read", "trees.chunk_and_embed", "trees.grow", "publish.commit")


class Watch(threading.Thread):
    """Peak memory (MiB) and CPU seconds of every process below this one, by its number; sampled four times a second."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.seen: dict[int, tuple[float, float]] = {}
        self.parents: dict[int, int] = {}
        self.over = threading.Event()

    def run(self) -> None:
        while not self.over.wait(0.25):
            for process in psutil.Process().children(recursive=True):
                with contextlib.suppress(psutil.Error, OSError, StopIteration):  # it ended meanwhile
                    text = Path(f"/proc/{process.pid}/status").read_text()
                    peak = next(int(line.split()[1]) / 1024 for line in text.splitlines() if line.startswith("VmHWM"))
                    times = process.cpu_times()
                    self.seen[process.pid] = (peak, times.user + times.system)
                    self.parents[process.pid] = process.ppid()

    def of(self, task: int) -> tuple[float, float]:
        """Peak memory of the task's largest process, and the CPU seconds of all of them."""
        mine = [seen for pid, seen in self.seen.items() if pid == task or self.parents[pid] == task]
        return max((peak for peak, _ in mine), default=0.0), sum(cpu for _, cpu in mine)


def dates_of(edgar: Path, forms: set[str]) -> list[str]:
    """The dates (ISO) whose daily index lists one of the forms, oldest first."""
    found = set()
    for path in (edgar / "Archives/edgar/daily-index").rglob("master.*.idx"):
        for line in path.read_text("latin-1").splitlines():
            cells = line.split("|")
            if len(cells) == 5 and cells[2] in forms:
                found.add(f"{cells[3][:4]}-{cells[3][4:6]}-{cells[3][6:]}")
    return sorted(found)


def run_all(airflow: Server, dates: list[str], forms: list[str], label: str) -> dict[str, str]:
    """A run a date, by hand; their names with the states they end in, told as they end. Raises TimeoutError."""
    began, stamp, told = time.monotonic(), time.strftime("%H%M%S"), Counter[str]()
    names = [f"{label}_{stamp}_{date}" for date in dates]
    for name, date in zip(names, dates, strict=True):
        airflow.trigger(DAG, name, {"date": date, "forms": forms, "look_back_days": 0})

    def tell(runs: list[dict[str, Any]]) -> None:
        nonlocal told
        states = Counter(run["state"] for run in runs if run["dag_run_id"] in set(names))
        if states != told:
            told = states
            print(f"  {time.monotonic() - began:6.0f} s  {dict(states)}", flush=True)

    ended = airflow.wait_for_runs(DAG, 4 * 3600, tell)
    return {run["dag_run_id"]: run["state"] for run in ended if run["dag_run_id"] in set(names)}


def tasks(airflow: Server, names: list[str]) -> list[dict[str, Any]]:
    """The work of the runs, a row a mapped task."""
    rows: list[dict[str, Any]] = []
    for name in names:
        answer = airflow.call("GET", f"/api/v2/dags/{DAG}/dagRuns/{name}/taskInstances?limit=200")
        rows += [row for row in answer["task_instances"] if row["task_id"] in WORK and row["state"] == "success"]
    return rows


def report(rows: list[dict[str, Any]], watch: Watch) -> None:
    """A line a kind of task: seconds on the clock, CPU seconds, peak memory."""
    by_task: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
    for row in rows:
        peak, cpu = watch.of(row["pid"])
        by_task[row["task_id"]].append((row["duration"] or 0.0, cpu, peak))
    print(f"  {'':24s} {'tasks':>5s}  {'clock s':>15s}  {'CPU s':>15s}  {'peak MiB':>15s}   (median, largest)")
    for name in WORK:
        columns = list(zip(*by_task[name], strict=True)) or [(0.0,)] * 3
        cells = "  ".join(f"{statistics.median(column):7.1f} {max(column):7.1f}" for column in columns)
        print(f"  {name:24s} {len(by_task[name]):5d}  {cells}", flush=True)


def nights(airflow: Server, index: Path, dates: list[str], forms: list[str], watch: Watch) -> bool:
    """All dates, then all of them again, each round with its table; whether every run succeeded and the second wrote nothing."""
    before = snapshot(index) if index.exists() else {}
    for label in ("first", "again"):
        began = time.monotonic()
        print(f"{label}: {len(dates)} filing dates", flush=True)
        ended = run_all(airflow, dates, forms, label)
        states = Counter(ended.values())
        report(tasks(airflow, sorted(ended)), watch)
        after = snapshot(index)
        written = sum(before.get(name) != seen for name, seen in after.items())
        print(f"{label}: {dict(states)}, {time.monotonic() - began:.0f} s, {written} files written, CURRENT {current(index)}", flush=True)
        before = after
    return set(states) == {"success"} and not written


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--edgar", type=Path, required=True, help="a folder in EDGAR's layout")
    parser.add_argument("--home", type=Path, required=True, help="where Airflow and the index are kept")
    parser.add_argument("--forms", nargs="+", default=["10-K"])
    parser.add_argument("--at-once", type=int, default=2, metavar="N", help="tasks at once")
    parser.add_argument("--limit", type=int, default=None, metavar="N", help="the first N dates")
    arguments = parser.parse_args()
    home, dates = arguments.home.resolve(), dates_of(arguments.edgar, set(arguments.forms))[: arguments.limit]
    index, watch = home / "filings", Watch()
    with Replay(arguments.edgar) as edgar:
        settings = {**edgar_settings(home, edgar.url), "AIRFLOW__CORE__PARALLELISM": str(arguments.at_once), "OMP_NUM_THREADS": "1"}
        settings |= {"FILINGFOREST_EMBED_THREADS": "1", "FILINGFOREST_PARSE_WORKERS": "1"}
        with standalone(home / "airflow", DAG, **settings) as airflow:
            airflow.pause(DAG, False)
            watch.start()
            good = nights(airflow, index, dates, arguments.forms, watch)
            watch.over.set()
    forms = Counter(published_documents(index).values())
    print(f"published {dict(forms)}; set aside {len(list((index / 'failures').rglob('*.json')))}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
