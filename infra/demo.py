"""Shows the whole way in minutes: sample filings on a stand-in EDGAR, the nightly DAG in Airflow, a publication, an answered question.

Run by `make demo`. Everything it writes lies in var/demo. With --nights it is the child in which Airflow runs the DAG.
"""

from __future__ import annotations

import datetime
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from infra import airflow_local  # noqa: E402
from tests.support.nights import edgar_settings, filing_dates  # noqa: E402
from tests.support.replay import Replay  # noqa: E402

SAMPLES = ROOT / "samples"
HOME = ROOT / "var" / "demo"
INDEX, LOG = HOME / "filings", HOME / "nights.log"
QUESTIONS = (
    "What were Larkfield's total net sales in fiscal 2024, and why did they change?",
    "What did Globex Corporation say about its backlog?",  # not among the samples: a note, no hits
)
MARKS = {"success": "done", "skipped": "nothing to do", "failed": "FAILED", "upstream_failed": "not reached"}
ENDED = """
    SELECT logical_date, task_id, map_index, t.state, rendered_map_index
    FROM task_instance t JOIN dag_run USING (dag_id, run_id) WHERE t.state IN ({}) ORDER BY logical_date, t.end_date
""".format(",".join(f"'{state}'" for state in MARKS))


def main() -> int:
    began = time.monotonic()
    shutil.rmtree(HOME, ignore_errors=True)
    with Replay(SAMPLES) as edgar:
        env = airflow_local.environment(HOME / "airflow", **edgar_settings(HOME, edgar.url))
        say("A stand-in for EDGAR serves samples/", edgar.url)
        say("Airflow makes its database", f"SQLite in {short(HOME / 'airflow')}")
        airflow_local.migrate(env)
        say("Airflow runs filings_nightly", f"log: {short(LOG)}")
        if run_nights(env, filing_dates(SAMPLES)) != 0:
            print(f"A night failed; the reason stands in {LOG}", file=sys.stderr)
            return 1
    show(env)
    say(f"Done in {time.monotonic() - began:.0f} s")
    print(f"  Ask more:  {short(Path(sys.executable).parent)}/filingforest query 'YOUR QUESTION' --index {short(INDEX)}")
    return 0


def say(what: str, detail: str = "") -> None:
    print(f"\n== {what}" + (f"  ({detail})" if detail else ""), flush=True)


def short(path: Path) -> Path:
    return path.relative_to(ROOT) if path.is_relative_to(ROOT) else path


def run_nights(env: Mapping[str, str], days: list[datetime.date]) -> int:
    """A run of the DAG for each day, in a process of its own; a line for each task that ends. The child's exit code."""
    with LOG.open("wb") as log:
        command = [sys.executable, str(Path(__file__).resolve()), "--nights", *(day.isoformat() for day in days)]
        child = subprocess.Popen(command, env=dict(env), stdout=log, stderr=subprocess.STDOUT)
    told: set[tuple[object, ...]] = set()
    night = ""
    while True:
        over = child.poll() is not None
        for row in ended():
            if row[:3] in told:
                continue
            told.add(row[:3])
            date, task, _, state, label = row
            if str(date) != night:
                night = str(date)
                print(f"  Night of {datetime.date.fromisoformat(night[:10]) - datetime.timedelta(days=1)}")
            print(f"    {task:<24} {MARKS[state]:<14} {label or ''}".rstrip(), flush=True)
        if over:
            return int(child.returncode)
        time.sleep(0.3)


def ended() -> list[tuple[str, str, int, str, str | None]]:
    """(end of the night, task, map index, state, label) of the tasks that have ended, read from Airflow's database."""
    try:
        database = sqlite3.connect(f"file:{HOME / 'airflow' / 'airflow.db'}?mode=ro", uri=True, timeout=0.2)
        rows = database.execute(ENDED).fetchall()
        database.close()
    except sqlite3.OperationalError:  # Airflow is writing; the next look will do
        return []
    return rows


def nights(days: list[str]) -> int:
    """Runs the DAG over the interval of each day, as a scheduler would, in this process."""
    from airflow.dag_processing.dagbag import DagBag

    bag = DagBag(os.environ["AIRFLOW__CORE__DAGS_FOLDER"])
    if bag.import_errors:
        print(bag.import_errors)
        return 1
    for day in days:
        end = datetime.datetime.fromisoformat(day).replace(tzinfo=datetime.UTC) + datetime.timedelta(days=1)
        if bag.dags["filings_nightly"].test(logical_date=end, run_conf={"look_back_days": 0}).state != "success":
            return 1
    return 0


def show(env: Mapping[str, str]) -> None:
    """What was published, and the evidence for a question."""
    command = [sys.executable, "-m", "filingforest.cli"]
    say("Published", str(short(INDEX)))
    subprocess.run([*command, "publications", "list", "--index", str(INDEX)], env=dict(env), check=True)
    subprocess.run([*command, "failures", "list", "--index", str(INDEX)], env=dict(env), check=True)
    for question in QUESTIONS:
        say(question)
        subprocess.run([*command, "query", question, "--index", str(INDEX), "-k", "3"], env=dict(env), check=True)


if __name__ == "__main__":
    sys.exit(nights(sys.argv[2:]) if sys.argv[1:2] == ["--nights"] else main())
