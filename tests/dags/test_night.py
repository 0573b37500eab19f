"""A night through Airflow's own machinery, over our sample filings: what it publishes, that it is idempotent, that empty days end well."""

from __future__ import annotations

import datetime
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from filingforest.publish import checks
from infra.airflow_local import ROOT
from tests.support.nights import current, edgar_settings, filing_dates, published_documents, snapshot
from tests.support.replay import Replay

pytestmark = [pytest.mark.service, pytest.mark.xdist_group("airflow")]
SAMPLES = ROOT / "samples"
CONF = {"look_back_days": 0}


@pytest.fixture(scope="module")
def edgar() -> Iterator[Replay]:
    with Replay(SAMPLES) as server:
        yield server


@pytest.fixture
def index(edgar: Replay, database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty index that the DAG is pointed at."""
    for name, value in edgar_settings(tmp_path, edgar.url).items():
        monkeypatch.setenv(name, value)
    return tmp_path / "filings"


def night(dag: Any, day: datetime.date, **conf: Any) -> tuple[str, dict[str, list[str]]]:
    """Runs the DAG over one filing date; the run's state, and each task's states (one a mapped task)."""
    from airflow.sdk import timezone

    end = timezone.coerce_datetime(datetime.datetime.combine(day + datetime.timedelta(days=1), datetime.time(), datetime.UTC))
    run = dag.test(logical_date=end, run_conf={**CONF, **conf})
    states: dict[str, list[str]] = {}
    for ti in run.get_task_instances():
        states.setdefault(ti.task_id, []).append(str(getattr(ti.state, "value", ti.state)))
    return str(getattr(run.state, "value", run.state)), states


def test_a_night_publishes_its_filings_and_a_second_one_writes_nothing(dag: Any, index: Path) -> None:
    day = filing_dates(SAMPLES)[0]
    state, states = night(dag, day)
    assert state == "success"
    assert states["publish.announce"] == ["success"]
    first, files = current(index), snapshot(index)
    assert published_documents(index)

    state, states = night(dag, day)
    assert state == "success"
    assert states["publish.announce"] == ["skipped"]
    assert snapshot(index) == files
    assert current(index) == first


def test_an_empty_day_ends_well(dag: Any, index: Path) -> None:
    state, states = night(dag, datetime.date(2023, 12, 24))
    assert state == "success"
    assert states["crawl.fetch"] == ["skipped"]
    assert states["weights.account"] == ["success"]
    assert states["weights.receipt"] == ["success"]  # that nothing was filed is an answer too
    assert states["publish.announce"] == ["skipped"]
    assert not (index / "CURRENT").exists()


def test_a_missing_user_agent_fails_at_once(dag: Any, index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FILINGFOREST_EDGAR_USER_AGENT")
    state, states = night(dag, filing_dates(SAMPLES)[0])
    assert state == "failed"
    assert states["crawl.list_filings"] == ["failed"]  # not up_for_retry: another try changes nothing


def test_a_failing_check_fails_the_run_names_its_rows_and_keeps_yesterday_s_publication(
    dag: Any, index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    first, second = filing_dates(SAMPLES)[:2]
    night(dag, first)
    before = current(index)
    folder = shutil.copytree(checks.FOLDER, tmp_path / "checks")
    (folder / "nobody_files.sql").write_text(
        "-- name: nobody_files\n-- level: fail\n-- what: somebody filed\nSELECT doc_id FROM documents\n"
    )
    monkeypatch.setattr(checks.load_checks, "__defaults__", (folder,))
    capfd.readouterr()
    state, states = night(dag, second)
    assert state == "failed"
    assert states["publish.commit"] == ["failed"]  # not up_for_retry: the same input gives the same error
    assert states["publish.announce"] == ["upstream_failed"]
    assert current(index) == before
    said = "".join(capfd.readouterr())
    assert "nobody_files" in said and "somebody filed" in said


def test_the_tickers_param_narrows_the_night(dag: Any, index: Path) -> None:
    state, states = night(dag, filing_dates(SAMPLES)[0], tickers=["NO-SUCH-TICKER"])
    assert state == "failed"
    assert states["crawl.list_filings"] == ["failed"]
