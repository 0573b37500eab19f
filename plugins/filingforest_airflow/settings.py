"""Where a task finds its index, its secrets and its settings, so that operators set them in Airflow and nowhere else.

| what | first | then |
|---|---|---|
| index (`ROOT/CORPUS`, a folder or s3://) | Variable `filingforest_index` | `FILINGFOREST_INDEX`, else `$AIRFLOW_HOME/index/filings` |
| EDGAR: host, `user_agent`, `rate` in extra | Connection `filingforest_edgar` | `FILINGFOREST_EDGAR_*`, `filingforest.toml` |
| OpenSearch: host, login, password, other keys in extra | Connection `filingforest_opensearch` | `FILINGFOREST_OPENSEARCH_URL`, ... |
| S3: login, password, `endpoint_url` and `region_name` in extra | Connection `filingforest_s3` | `AWS_*`, `FILINGFOREST_S3_ENDPOINT` |
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from filingforest.config import Settings
    from filingforest.pipeline import Night

INDEX_VARIABLE = "filingforest_index"
EDGAR_CONNECTION = "filingforest_edgar"
S3_CONNECTION = "filingforest_s3"
OPENSEARCH_CONNECTION = "filingforest_opensearch"
EDGAR_KEYS = ("base_url", "data_url", "user_agent", "rate")


def open_night() -> Night:
    """The night over the index that this Airflow is set to; close it. Raises ConfigError.

    Each document's outcome goes to the task's log, and a transient error is raised once the rest of the batch is done.
    """
    from filingforest.pipeline import Night
    from filingforest.progress import Lines
    from filingforest.store import open_store

    use_s3_connection()
    return Night(open_store(index_url()), settings(), progress=Lines(sys.stdout), raise_late=True)


def index_url() -> str:
    """Variable, environment, or a folder in Airflow's home."""
    from airflow.sdk import Variable

    home = Path(os.environ.get("AIRFLOW_HOME", "~/airflow")).expanduser()
    return str(Variable.get(INDEX_VARIABLE, default=None) or os.environ.get("FILINGFOREST_INDEX") or home / "index" / "filings")


def settings() -> Settings:
    """The library's settings with what the connections to EDGAR and OpenSearch say over them."""
    from filingforest.config import Settings

    opensearch = opensearch_overrides(_connection(OPENSEARCH_CONNECTION))
    return Settings.load(overrides={**edgar_overrides(_connection(EDGAR_CONNECTION)), **opensearch})


def edgar_overrides(connection: Any | None) -> dict[str, Any]:
    """`edgar.*` settings out of a connection: its host is the base URL, the rest stands in its extra."""
    if connection is None:
        return {}
    given = {key: connection.extra_dejson.get(key) for key in EDGAR_KEYS}
    if connection.host:
        given["base_url"] = _address(connection)
    return {f"edgar.{key}": value for key, value in given.items() if value is not None}


def opensearch_overrides(connection: Any | None) -> dict[str, Any]:
    """`opensearch.*` settings out of a connection: its host is the address, the rest stands in its extra.

    Login and password go to this task's environment, where the client reads them: settings end up in logs and manifests.
    """
    if connection is None or not connection.host:
        return {}
    names = {"OPENSEARCH_USER": connection.login, "OPENSEARCH_PASSWORD": connection.password}
    os.environ.update({name: value for name, value in names.items() if value})
    return {"opensearch.url": _address(connection), **{f"opensearch.{key}": value for key, value in connection.extra_dejson.items()}}


def _address(connection: Any) -> str:
    scheme = "" if "://" in connection.host else f"{connection.schema or 'https'}://"
    port = f":{connection.port}" if connection.port else ""
    return f"{scheme}{connection.host}{port}"


def use_s3_connection() -> None:
    """Hands the S3 connection to boto3 by the names it reads in the environment of this task's process."""
    connection = _connection(S3_CONNECTION)
    if connection is None:
        return
    extra = connection.extra_dejson
    names = {
        "AWS_ACCESS_KEY_ID": connection.login,
        "AWS_SECRET_ACCESS_KEY": connection.password,
        "AWS_DEFAULT_REGION": extra.get("region_name"),
        "FILINGFOREST_S3_ENDPOINT": extra.get("endpoint_url"),
    }
    os.environ.update({name: value for name, value in names.items() if value})


def _connection(name: str) -> Any | None:
    from airflow.sdk import Connection
    from airflow.sdk.exceptions import AirflowNotFoundException

    try:
        return Connection.get(name)
    except AirflowNotFoundException:
        return None
