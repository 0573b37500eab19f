"""A real PostgreSQL for tests: a cluster of its own from the binaries that the machine has (Debian's `postgresql`), on a free port.

PostgreSQL refuses to run as root: then it runs as `nobody`, in a folder that is given to it.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType

_READY_S = 30.0


def binaries() -> Path | None:
    """The folder of `initdb` and `postgres`; None where there is none."""
    found = shutil.which("initdb")
    folders = [Path(found).parent] if found else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((f for f in folders if (f / "initdb").exists() and (f / "postgres").exists()), None)


class Postgres:
    """One server, started in `with`; `address` is what libpq understands."""

    def __init__(self, folder: Path) -> None:
        self._bin, self._data = folder, Path(tempfile.mkdtemp(prefix="ff-postgres-"))
        self._user = "nobody" if os.geteuid() == 0 else None
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._port = int(probe.getsockname()[1])
        self.address = f"postgresql://postgres@127.0.0.1:{self._port}/postgres"
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Postgres:
        if self._user:
            shutil.chown(self._data, self._user)
        self._run("initdb", "-D", str(self._data / "db"), "-U", "postgres", "-A", "trust", "--no-sync")
        options = ["-D", str(self._data / "db"), "-p", str(self._port), "-h", "127.0.0.1", "-k", str(self._data), "-F"]
        with (self._data / "log").open("wb") as log:
            command = [str(self._bin / "postgres"), *options]
            self._process = subprocess.Popen(command, stdout=log, stderr=log, user=self._user, cwd=self._data, start_new_session=True)
        self._wait()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)  # fast shutdown
            self._process.wait(20)
        shutil.rmtree(self._data, ignore_errors=True)

    def _run(self, *command: str) -> None:
        subprocess.run([str(self._bin / command[0]), *command[1:]], check=True, user=self._user, cwd=self._data, stdout=subprocess.DEVNULL)

    def _wait(self) -> None:
        until = time.monotonic() + _READY_S
        while time.monotonic() < until:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self._port)) == 0:
                    return
            time.sleep(0.1)
        raise RuntimeError(f"PostgreSQL did not start: {(self._data / 'log').read_text()[-2000:]}")
