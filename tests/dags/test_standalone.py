"""The whole of Airflow, not a stand-in for it: `airflow standalone`, and backfills through its REST API over our sample filings."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from infra.airflow_local import ROOT, standalone
from tests.support.nights import bring_together, current, edgar_settings, published_documents, snapshot
from tests.support.replay import Replay

pytestmark = [pytest.mark.service, pytest.mark.xdist_group("airflow")]
DAG = "filings_nightly"
MIDDLE = "parse.read"
CONF = {"batch_size": 1}


def test_backfills_are_idempotent_and_cleared_tasks_end_in_the_same_publication(tmp_path: Path) -> None:
    index, samples = tmp_path / "filings", tmp_path / "edgar"
    days = [d.isoformat() for d in bring_together(ROOT / "samples", samples, datetime.date(2024, 3, 5))]
    with Replay(samples) as edgar, standalone(tmp_path / "airflow", DAG, **edgar_settings(tmp_path, edgar.url)) as airflow:
        runs = airflow.wait(DAG, airflow.backfill(DAG, days[0], days[-1], conf=CONF), 900)
        mine = [r for r in runs if r["run_type"] == "backfill"]
        assert [r["logical_date"][:10] for r in mine] == days
        assert {r["state"] for r in mine} == {"success"}
        publication, files, documents = current(index), snapshot(index), published_documents(index)
        assert len(documents) == 6

        runs = airflow.wait(DAG, airflow.backfill(DAG, days[0], days[-1], conf=CONF), 900)
        assert {r["state"] for r in runs if r["run_type"] == "backfill"} == {"success"}
        assert (current(index), snapshot(index)) == (publication, files)

        events = airflow.call("GET", "/api/v2/assets/events?limit=100&order_by=timestamp")["asset_events"]
        published = [e["extra"] for e in events if "publication" in e["extra"]]
        assert published[-1]["publication"] == publication
        assert published[-1]["counts"]["documents"] == len(documents)

        airflow.clear(DAG, mine[0]["dag_run_id"], MIDDLE)
        airflow.wait_for_runs(DAG, 300)
        assert (current(index), snapshot(index)) == (publication, files)
