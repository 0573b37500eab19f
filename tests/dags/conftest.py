"""An Airflow home of its own for these tests, set before airflow is imported anywhere."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import pytest

from infra import airflow_local

HOME = Path(tempfile.mkdtemp(prefix="filingforest-airflow-"))
os.environ.update({k: v for k, v in airflow_local.environment(HOME).items() if k.startswith("AIRFLOW")})


@pytest.fixture(scope="session")
def bag() -> Any:
    """The DAG files as Airflow reads them."""
    from airflow.dag_processing.dagbag import DagBag

    return DagBag(str(airflow_local.ROOT / "dags"))


@pytest.fixture(scope="session")
def dag(bag: Any) -> Any:
    return bag.dags["filings_nightly"]


@pytest.fixture(scope="session")
def database() -> Path:
    """A migrated SQLite database; the home that it lies in."""
    airflow_local.migrate({**os.environ})
    return HOME
