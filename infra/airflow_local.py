"""An Airflow of its own in one folder (SQLite, no examples), so that demo and tests touch no other Airflow on the machine."""

from __future__ import annotations

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

ROOT = Path(__file__).resolve().parent.parent
Tell = Callable[[list[dict[str, Any]]], None]
COMMAND = [sys.executable, "-m", "airflow"]


def environment(home: Path, **more: str) -> dict[str, str]:
    """The variables of an Airflow whose files all lie in `home`; other AIRFLOW variables of the caller are left out."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("AIRFLOW", "FILINGFOREST_"))}
    settings = {
        "CORE__DAGS_FOLDER": ROOT / "dags",
        "CORE__PLUGINS_FOLDER": ROOT / "plugins",
        "CORE__LOAD_EXAMPLES": False,
        "CORE__SIMPLE_AUTH_MANAGER_ALL_ADMINS": True,
        "CORE__FERNET_KEY": "",
        "CORE__PARALLELISM": 4,
        "DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{home / 'airflow.db'}?timeout=60",
        "LOGGING__BASE_LOG_FOLDER": home / "logs",
        # a backfill is made in one transaction, which SQLite refuses where another process wrote meanwhile: heartbeats are kept rare
        "SCHEDULER__JOB_HEARTBEAT_SEC": 120,
        "SCHEDULER__SCHEDULER_HEALTH_CHECK_THRESHOLD": 600,
        "TRIGGERER__JOB_HEARTBEAT_SEC": 120,
        "TRIGGERER__TRIGGERER_HEALTH_CHECK_THRESHOLD": 600,
        "DAG_PROCESSOR__MIN_FILE_PROCESS_INTERVAL": 120,
        "USAGE_DATA_COLLECTION__ENABLED": False,
    }
    names = {f"AIRFLOW__{key}": str(value) for key, value in settings.items()}
    kept["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), kept.get("PATH", "")])  # standalone starts `airflow` by name
    return {**kept, "AIRFLOW_HOME": str(home), "PYTHONPATH": str(ROOT / "pipelines"), "HF_HUB_OFFLINE": "1", **names, **more}


def migrate(env: Mapping[str, str]) -> None:
    """Makes the database or brings it up to date; what it prints goes to `migrate.log` in its home."""
    home = Path(env["AIRFLOW_HOME"])
    home.mkdir(parents=True, exist_ok=True)
    with (home / "migrate.log").open("w") as log:
        subprocess.run([*COMMAND, "db", "migrate"], env=dict(env), check=True, stdout=log, stderr=subprocess.STDOUT)


class Server:
    """A running `airflow standalone` and the few calls of its REST API that a backfill takes."""

    def __init__(self, url: str, home: Path) -> None:
        self.url, self.home = url, home
        self.token = ""

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """JSON in, JSON out. Raises urllib.error.HTTPError with Airflow's own message in it."""
        data = json.dumps(body).encode() if body is not None else None
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self.token}"}
        request = urllib.request.Request(self.url + path, data=data, method=method, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.loads(answer.read() or b"null")
        except urllib.error.HTTPError as error:
            error.msg = f"{error.msg}: {error.read().decode(errors='replace')[:2000]}"
            raise

    def ready(self, dag_id: str) -> bool:
        """Whether the API answers and the DAG has been read."""
        try:
            self.token = self.token or self.call("GET", "/auth/token")["access_token"]
            return bool(self.call("GET", f"/api/v2/dags/{dag_id}"))
        except (OSError, KeyError, ValueError):
            return False

    def backfill(self, dag_id: str, since: str, until: str, *, at_once: int = 3, reprocess: str = "completed", conf: Any = None) -> int:
        """Starts a backfill of [since, until] (dates, both included); its id.

        The DAG is paused meanwhile. On SQLite, Airflow's API server gives up where its scheduler writes at the same moment, and takes back
        the runs that it made; a scheduler that had begun with one of them would end. It can be asked again.
        """
        body = {
            "dag_id": dag_id,
            "from_date": f"{since}T00:00:00Z",
            "to_date": f"{until}T00:00:00Z",
            "max_active_runs": at_once,
            "reprocess_behavior": reprocess,
            "dag_run_conf": conf or {},
        }
        self.pause(dag_id, True)
        number = self._insist("POST", "/api/v2/backfills", body)["id"]
        self.pause(dag_id, False)
        return int(number)

    def trigger(self, dag_id: str, run_id: str, conf: Any, seconds: float = 300) -> None:
        """A run by hand, asked for until a busy server takes it; one that it made without saying so is not made twice."""
        body = {"dag_run_id": run_id, "logical_date": None, "conf": conf}
        self._until(lambda: self._made(dag_id, body), dag_id, seconds, None)

    def _made(self, dag_id: str, body: Any) -> bool:
        try:
            self.call("POST", f"/api/v2/dags/{dag_id}/dagRuns", body)
        except urllib.error.HTTPError as error:
            if error.code != 409:
                raise
        return True

    def pause(self, dag_id: str, paused: bool) -> None:
        self._insist("PATCH", f"/api/v2/dags/{dag_id}", {"is_paused": paused})

    def clear(self, dag_id: str, run_id: str, task_id: str) -> None:
        """Clears a task of a run and all that follow it, as an operator does who wants them done again."""
        body = {"dag_run_id": run_id, "task_ids": [task_id], "include_downstream": True, "only_failed": False, "dry_run": False}
        self._insist("POST", f"/api/v2/dags/{dag_id}/clearTaskInstances", body)

    def _insist(self, method: str, path: str, body: Any, tries: int = 20) -> Any:
        """`call`, again where the server says that it could not for now: too busy, or an ended backfill is not yet marked as ended."""
        for _ in range(tries - 1):
            try:
                return self.call(method, path, body)
            except urllib.error.HTTPError as error:
                if error.code < 500 and "already a running backfill" not in error.msg:
                    raise
                time.sleep(2 if error.code >= 500 else 5)
        return self.call(method, path, body)

    def runs(self, dag_id: str) -> list[dict[str, Any]]:
        """All runs of the DAG, oldest interval first."""
        answer = self.call("GET", f"/api/v2/dags/{dag_id}/dagRuns?limit=1000&order_by=logical_date")
        return list(answer["dag_runs"])

    def wait(self, dag_id: str, backfill: int, seconds: float, tell: Tell | None = None) -> list[dict[str, Any]]:
        """The DAG's runs once the backfill is over. Raises TimeoutError."""
        self._until(lambda: bool(self.call("GET", f"/api/v2/backfills/{backfill}")["completed_at"]), dag_id, seconds, tell)
        return self.runs(dag_id)

    def wait_for_runs(self, dag_id: str, seconds: float, tell: Tell | None = None) -> list[dict[str, Any]]:
        """The DAG's runs once none is queued or running. Raises TimeoutError."""
        self._until(lambda: not {r["state"] for r in self.runs(dag_id)} & {"queued", "running"}, dag_id, seconds, tell)
        return self.runs(dag_id)

    def _until(self, over: Callable[[], bool], dag_id: str, seconds: float, tell: Tell | None) -> None:
        until = time.monotonic() + seconds
        while not _patiently(over):
            if time.monotonic() > until:
                raise TimeoutError(f"{dag_id} is not done after {seconds:.0f} s; see {self.home / 'standalone.log'}")
            if tell:
                _patiently(lambda: tell(self.runs(dag_id)) is None)
            time.sleep(2)


def _patiently(over: Callable[[], bool]) -> bool:
    """`over`, taking a busy server's silence for a no."""
    try:
        return over()
    except urllib.error.HTTPError as error:
        if error.code < 500:
            raise
    except OSError:
        pass
    return False


@contextmanager
def standalone(home: Path, dag_id: str, seconds: float = 600, **more: str) -> Iterator[Server]:
    """`airflow standalone` on free ports with the DAG read (`backfill` switches it on); stopped with all its processes at the end."""
    port, log_port, trigger_port = (free_port() for _ in range(3))
    env = environment(home, **more)
    env |= {
        "AIRFLOW__API__PORT": str(port),
        "AIRFLOW__API__BASE_URL": f"http://127.0.0.1:{port}",
        "AIRFLOW__API__HOST": "127.0.0.1",
        "AIRFLOW__API__WORKERS": "1",
        "AIRFLOW__API_AUTH__JWT_SECRET": secrets.token_hex(32),
        "AIRFLOW__CORE__EXECUTION_API_SERVER_URL": f"http://127.0.0.1:{port}/execution/",
        "AIRFLOW__LOGGING__WORKER_LOG_SERVER_PORT": str(log_port),
        "AIRFLOW__LOGGING__TRIGGER_LOG_SERVER_PORT": str(trigger_port),
        "AIRFLOW__DAG_PROCESSOR__REFRESH_INTERVAL": "10",
    }
    home.mkdir(parents=True, exist_ok=True)
    with (home / "standalone.log").open("wb") as log:
        process = subprocess.Popen([*COMMAND, "standalone"], env=env, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
    server = Server(f"http://127.0.0.1:{port}", home)
    try:
        until = time.monotonic() + seconds
        while not server.ready(dag_id):
            if process.poll() is not None or time.monotonic() > until:
                raise TimeoutError(f"airflow standalone did not become ready; see {home / 'standalone.log'}")
            time.sleep(1)
        yield server
    finally:
        stop(process)


def stop(process: subprocess.Popen[bytes], patience: float = 20) -> None:
    """Ends the server politely, then whatever is left in its session: tasks have process groups of their own."""
    process.terminate()
    try:
        process.wait(patience)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(patience)
    for other in psutil.pids():
        try:
            if os.getsid(other) == process.pid:
                os.kill(other, signal.SIGKILL)
        except ProcessLookupError:
            continue


def free_port() -> int:
    """A TCP port of the loopback that is free now."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


def main() -> None:
    """`make airflow`: this project's DAG in `airflow standalone`, all files in var/airflow; settings are taken from the environment."""
    home = ROOT / "var" / "airflow"
    given = {name: value for name, value in os.environ.items() if name.startswith("FILINGFOREST_")}
    env = environment(home, **{"FILINGFOREST_INDEX": str(ROOT / "var" / "filings"), **given})
    home.mkdir(parents=True, exist_ok=True)
    print(f"Airflow at http://localhost:8080 (files in {home}); publishes to {env['FILINGFOREST_INDEX']}", flush=True)
    os.execvpe(COMMAND[0], [*COMMAND, "standalone"], env)


if __name__ == "__main__":
    main()
