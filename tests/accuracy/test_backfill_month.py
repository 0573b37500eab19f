"""A month of real filings through `airflow standalone` and its REST API, three days at once: what is published, repeated, rolled back.

`make backfill-check` runs it and prints the counts.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from infra.airflow_local import Server, standalone
from tests.support.nights import current, edgar_settings, published_documents, snapshot
from tests.support.replay import Replay

pytestmark = [pytest.mark.shared, pytest.mark.slow, pytest.mark.service, pytest.mark.xdist_group("airflow")]
DAG = "filings_nightly"
SINCE, UNTIL = "2024-01-29", "2024-02-29"
LATER = "2024-03-13"  # another night, with a filing of its own
FORMS = {"forms": ["10-K"]}


class Month:
    """The running Airflow over one index, and what was seen of it."""

    def __init__(self, home: Path, airflow: Server) -> None:
        self.index, self.airflow, self.env = home / "filings", airflow, {**os.environ, **edgar_settings(home, "")}

    def backfill(self, since: str = SINCE, until: str = UNTIL) -> list[dict[str, Any]]:
        began, told = time.monotonic(), Counter[str]()

        def tell(runs: list[dict[str, Any]]) -> None:
            nonlocal told
            states = Counter(r["state"] for r in runs)
            if states != told:
                told = states
                print(f"  {time.monotonic() - began:5.0f} s  {dict(states)}", flush=True)

        print(f"\nbackfill {since}..{until}, three at once", flush=True)
        number = self.airflow.backfill(DAG, since, until, at_once=3, conf=FORMS)
        runs = self.airflow.wait(DAG, number, 2400, tell)
        print(f"  done in {time.monotonic() - began:.0f} s", flush=True)
        return [r for r in runs if r["run_type"] == "backfill" and since <= r["logical_date"][:10] <= until]

    def publications(self, *words: str) -> str:
        command = [sys.executable, "-m", "filingforest.cli", "publications", *words, "--index", str(self.index)]
        done = subprocess.run(command, env=self.env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def counts(self) -> dict[str, Any]:
        manifest = json.loads((self.index / "publications" / current(self.index) / "manifest.json").read_text())
        return dict(manifest["counts"])


@pytest.fixture(scope="module")
def month(tmp_path_factory: pytest.TempPathFactory, shared: Path) -> Iterator[Month]:
    home = tmp_path_factory.mktemp("month")
    with ExitStack() as stack:
        edgar = stack.enter_context(Replay(shared / "edgar"))
        airflow = stack.enter_context(standalone(home / "airflow", DAG, **edgar_settings(home, edgar.url)))
        yield Month(home, airflow)


def test_backfill_twice_roll_back_and_release(month: Month) -> None:
    runs = month.backfill()
    assert Counter(r["state"] for r in runs) == {"success": 32}
    documents = published_documents(month.index)
    print(f"  publication {current(month.index)}: {month.counts()}")
    assert Counter(documents.values()) == {"10-K": 16}
    assert not list((month.index / "failures").rglob("*.json"))

    published, files = current(month.index), snapshot(month.index)
    assert {r["state"] for r in month.backfill()} == {"success"}
    changed = {name for name, seen in snapshot(month.index).items() if files.get(name) != seen}
    print(f"  second backfill: {len(changed)} files written, CURRENT {current(month.index)}")
    assert changed == set()
    assert current(month.index) == published
    print(month.publications("verify"))

    before = Counter(published_documents(month.index))
    print(month.publications("rollback"))
    kept = set(published_documents(month.index))
    withdrawn = set(before) - kept
    assert withdrawn
    assert {r["state"] for r in month.backfill(LATER, LATER)} == {"success"}
    after = set(published_documents(month.index))
    print(f"  rolled back: {len(withdrawn)} withdrawn; after another night {len(after)} documents, {len(after - kept)} of them new")
    assert not after & withdrawn
    assert len(after - kept) == 1

    print(month.publications("release"))
    assert {r["state"] for r in month.backfill(LATER, LATER)} == {"success"}
    assert set(published_documents(month.index)) == set(before) | after
    print(f"  released: {len(published_documents(month.index))} documents")
    print(month.publications("verify"))
