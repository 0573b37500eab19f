"""The DAG is what its diagram says: read quickly, one day wide, and nothing is published before everything was accounted for."""

from __future__ import annotations

import ast
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from infra.airflow_local import ROOT

LIGHT = {"__future__", "airflow", "datetime", "typing", "filingforest_airflow", "collections", "os", "sys", "pathlib"}
DAG_FILES = sorted((ROOT / "dags").glob("*.py")) + sorted((ROOT / "plugins").rglob("*.py"))


def test_dag_files_are_read_without_errors(bag: Any) -> None:
    assert bag.import_errors == {}
    assert set(bag.dags) == {"filings_nightly"}


def test_reading_the_dag_imports_nothing_heavy() -> None:
    code = (
        "import sys, airflow.sdk, time; t = time.process_time(); sys.path += ['dags', 'plugins']; import filings_nightly;"
        "heavy = {'numpy', 'pyarrow', 'lxml', 'onnxruntime', 'torch', 'boto3', 'requests'} & set(sys.modules);"
        "print(sorted(heavy), [m for m in sys.modules if m.startswith('filingforest.') and m != 'filingforest.errors']);"
        "print(time.process_time() - t)"
    )
    out = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    assert out[-2] == "[] []"
    assert float(out[-1]) < 3  # seconds of CPU


@pytest.mark.parametrize("path", DAG_FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_top_level_imports_are_light(path: Path) -> None:
    tree = ast.parse(path.read_text())
    names = {a.name for node in tree.body if isinstance(node, ast.Import) for a in node.names}
    names |= {node.module or "" for node in tree.body if isinstance(node, ast.ImportFrom)}
    assert {name.split(".")[0] for name in names} <= LIGHT


def test_one_interval_is_one_day(dag: Any) -> None:
    from airflow.serialization.encoders import coerce_to_core_timetable
    from airflow.timetables.base import TimeRestriction
    from pendulum import instance

    timetable = coerce_to_core_timetable(dag.timetable)
    assert type(timetable).__name__ == "CronDataIntervalTimetable"
    first = datetime(2024, 2, 28, tzinfo=UTC)
    restriction = TimeRestriction(earliest=instance(first), latest=None, catchup=True)
    starts, last = [], None
    for _ in range(3):
        info = timetable.next_dagrun_info(last_automated_data_interval=last, restriction=restriction)
        assert info is not None
        last = info.data_interval
        assert last.end - last.start == timedelta(days=1)
        starts.append(last.start.date().isoformat())
    assert starts == ["2024-02-28", "2024-02-29", "2024-03-01"]


def test_publication_is_downstream_of_every_other_task(dag: Any) -> None:
    commit = dag.get_task("publish.commit")
    upstream = {task.task_id for task in commit.get_flat_relatives(upstream=True)}
    assert upstream == set(dag.task_ids) - {"publish.commit", "publish.announce"}
    assert "weights.account" in upstream


def test_task_groups_read_like_the_diagram(dag: Any) -> None:
    groups = [g for g in dag.task_group.get_task_group_dict() if g]
    assert sorted(groups) == sorted(["crawl", "parse", "trees", "weights", "publish"])
    diagram = (dag.doc_md or "").splitlines()[2]
    assert [word.strip("─> ") for word in diagram.split("> ")] == ["crawl", "parse", "trees", "weights", "publish"]


def test_one_publisher_at_a_time(dag: Any) -> None:
    assert dag.get_task("publish.commit").max_active_tis_per_dag == 1


def test_mapped_tasks_show_accession_numbers(dag: Any) -> None:
    mapped = [t for t in dag.tasks if t.is_mapped]
    assert [t.task_id for t in mapped] == ["crawl.fetch", "parse.read", "trees.chunk_and_embed", "trees.grow"]
    assert all("label" in t.map_index_template for t in mapped)


def test_empty_days_go_on(dag: Any) -> None:
    for name in ("weights.account", "weights.receipt", "publish.commit"):
        assert dag.get_task(name).trigger_rule == "none_failed"


def test_every_param_explains_itself(dag: Any) -> None:
    assert set(dag.params) == {"date", "tickers", "forms", "look_back_days", "batch_size"}
    for name in dag.params:
        param = dag.params.get_param(name)
        assert len(param.description or "") > 20, name
        assert param.schema.get("title"), name


def test_assets_are_outputs(dag: Any) -> None:
    outlets = {asset.name: task.task_id for task in dag.tasks for asset in task.outlets}
    assert outlets == {"filings_receipt": "weights.receipt", "filings_publication": "publish.announce"}
