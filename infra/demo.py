"""Shows the whole way in minutes: sample filings on a stand-in EDGAR, the nightly DAG in Airflow, a publication, an answered question.

Run by `make demo`. Everything it writes lies in var/demo. With --night it is the child that runs one night's DAG.
"""

from __future__ import annotations

import datetime
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from infra import airflow_local  # noqa: E402

SAMPLES = ROOT / "samples"
HOME = ROOT / "var" / "demo"
INDEX = HOME / "filings"
QUESTIONS = ("What were total net sales in fiscal 2023?",)
MARKS = {"success": "done", "skipped": "skipped", "failed": "FAILED", "upstream_failed": "not reached"}
FINISHED = "SELECT task_id, map_index, state, rendered_map_index FROM task_instance WHERE run_id LIKE ? AND state IN ({}) ORDER BY end_date"


def main() -> int:
    began = time.monotonic()
    shutil.rmtree(HOME, ignore_errors=True)
    HOME.mkdir(parents=True)
    from tests.support.nights import filing_dates
    from tests.support.replay import Replay

    with Replay(SAMPLES) as edgar:
        env = airflow_local.environment(
            HOME / "airflow",
            FILINGFOREST_INDEX=str(INDEX),
            FILINGFOREST_EDGAR_BASE_URL=edgar.url,
            FILINGFOREST_EDGAR_USER_AGENT="filingforest demo demo@example.org",
            FILINGFOREST_EDGAR_LIMITER_DIR=str(HOME / "limiter"),
            FILINGFOREST_CACHE=str(ROOT / "var" / "cache"),
        )
        say("A stand-in EDGAR serves samples/", edgar.url)
        say("Airflow makes its database", f"SQLite in {HOME.relative_to(ROOT)}/airflow")
        airflow_local.migrate(env)
        for day in filing_dates(SAMPLES):
            say(f"Night of {day}", "DAG filings_nightly")
            if run_night(env, day) != 0:
                print(f"The night failed; its log: {HOME / f'night-{day}.log'}", file=sys.stderr)
                return 1
    show(env)
    say(f"Done in {time.monotonic() - began:.0f} s", "")
    print(f"  Ask more:  .venv/bin/filingforest query 'YOUR QUESTION' --index {INDEX.relative_to(ROOT)}")
    print(f"  Look:      .venv/bin/filingforest publications show --index {INDEX.relative_to(ROOT)}")
    return 0


def say(what: str, detail: str) -> None:
    print(f"\n== {what}" + (f"  ({detail})" if detail else ""), flush=True)


def run_night(env: Mapping[str, str], day: datetime.date) -> int:
    """One run of the DAG in a process of its own; a line for each task that ends. The child's exit code."""
    log = HOME / f"night-{day}.log"
    with log.open("wb") as out:
        command = [sys.executable, str(Path(__file__).resolve()), "--night", day.isoformat()]
        child = subprocess.Popen(command, env=dict(env), stdout=out, stderr=subprocess.STDOUT)
    told: set[tuple[str, int]] = set()
    while True:
        ended = child.poll() is not None
        for task, place, state, label in finished(day):
            if (task, place) not in told:
                told.add((task, place))
                print(f"  {task:<24} {MARKS[state]:<12} {label or ''}", flush=True)
        if ended:
            return int(child.returncode)
        time.sleep(0.3)


def finished(day: datetime.date) -> Iterator[tuple[str, int, str, str | None]]:
    """(task, map index, state, label) of the night's tasks that have ended, read from Airflow's database."""
    run = f"%{(day + datetime.timedelta(days=1)).isoformat()}%"
    query = FINISHED.format(",".join(f"'{state}'" for state in MARKS))
    try:
        database = sqlite3.connect(f"file:{HOME / 'airflow' / 'airflow.db'}?mode=ro", uri=True, timeout=0.2)
        rows = database.execute(query, (run,)).fetchall()
        database.close()
    except sqlite3.OperationalError:  # Airflow is writing; the next look will do
        return
    yield from rows


def night(day: datetime.date) -> int:
    """Runs the DAG over the interval of `day`, as a scheduler would, in this process."""
    from airflow.dag_processing.dagbag import DagBag

    bag = DagBag(os.environ["AIRFLOW__CORE__DAGS_FOLDER"])
    if bag.import_errors:
        print(bag.import_errors)
        return 1
    end = datetime.datetime.combine(day + datetime.timedelta(days=1), datetime.time(), datetime.UTC)
    run = bag.dags["filings_nightly"].test(logical_date=end)
    return 0 if run.state == "success" else 1


def show(env: Mapping[str, str]) -> None:
    """What was published, and the evidence for a question."""
    command = [sys.executable, "-m", "filingforest.cli"]
    say("Published", str(INDEX.relative_to(ROOT)))
    subprocess.run([*command, "publications", "list", "--index", str(INDEX)], env=dict(env), check=True)
    for question in QUESTIONS:
        say("A question", question)
        subprocess.run([*command, "query", question, "--index", str(INDEX), "-k", "3"], env=dict(env), check=True)


if __name__ == "__main__":
    sys.exit(night(datetime.date.fromisoformat(sys.argv[2])) if sys.argv[1:2] == ["--night"] else main())
