"""A real OpenSearch for tests and trials: one node on free ports, as another user than root (it refuses root), with little memory.

`python infra/servers/opensearch.py` starts one and prints how to reach it; Ctrl-C stops it.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))
from infra.servers.opensearch_home import home, java, read_parts
from infra.servers.seaweedfs import free_ports

USER = "nobody"
HEAP_MB = 768
LARGE_HEAP_MB = 2_048
_READY_S = 300.0  # a busy machine; a free one needs ten seconds
_LOG4J = """\
status = error
appender.console.type = Console
appender.console.name = console
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = [%d{ISO8601}][%-5p][%c{1.}] %m%n
rootLogger.level = warn
rootLogger.appenderRef.console.ref = console
"""


class OpenSearchServer:
    """One node; a context manager. `folder` (a temporary one by default) keeps data and logs and survives `stop` and `start`."""

    def __init__(self, folder: Path | None = None, settings: dict[str, Any] | None = None, heap_mb: int = HEAP_MB) -> None:
        self._own = folder is None
        self.folder = folder or Path(tempfile.mkdtemp(prefix="ff-opensearch-"))
        self.heap_mb, self.ports, self._settings = heap_mb, free_ports(2), settings or {}
        self._user = USER if os.geteuid() == 0 else None
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.ports[0]}"

    @property
    def pid(self) -> int:
        """Of the running node."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> OpenSearchServer:
        """Start and wait until it answers, on the same ports each time. Errors: RuntimeError with the log's end."""
        self._prepare()
        place = self._reachable(home())
        environment = {"PATH": os.defpath, "LANG": "C.UTF-8", "HOME": str(self.folder)}
        with (self.folder / "node.log").open("ab") as log:
            self._process = subprocess.Popen(
                self._command(place), stdout=log, stderr=log, user=self._user, cwd=self.folder, env=environment, start_new_session=True
            )
        try:
            self._wait()
        except BaseException:
            self.stop()
            raise
        return self

    def kill(self) -> None:
        """End it as a power cut would."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """End it in order; what it holds stays in `folder`."""
        self._end(signal.SIGTERM)

    def __enter__(self) -> OpenSearchServer:
        return self.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.kill() if self._own else self.stop()
        if self._own:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _end(self, sign: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is None or process.poll() is not None:
            return
        os.killpg(process.pid, sign)
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(10)

    def _prepare(self) -> None:
        for name in ("conf", "data", "logs", "tmp"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        http, transport = self.ports
        settings = {
            "cluster.name": "filingforest", "node.name": "node", "discovery.type": "single-node", "network.host": "127.0.0.1",
            "http.port": http, "transport.port": transport, "path.data": str(self.folder / "data"), "path.logs": str(self.folder / "logs"),
            "cluster.routing.allocation.disk.threshold_enabled": False, "knn.algo_param.index_thread_qty": 1, **self._settings,
        }  # fmt: skip
        lines = (f"{name}: {json.dumps(value)}\n" for name, value in settings.items())
        (self.folder / "conf" / "opensearch.yml").write_text("".join(lines), encoding="utf-8")
        (self.folder / "conf" / "log4j2.properties").write_text(_LOG4J, encoding="utf-8")
        if self._user:
            self.folder.chmod(0o755)
            for path in (self.folder, *self.folder.rglob("*")):
                shutil.chown(path, self._user)

    def _reachable(self, place: Path) -> Path:
        """The home itself, or a copy of it where the node's user may not go there."""
        if not self._user or subprocess.run(["test", "-r", str(place / "lib")], user=self._user, cwd="/").returncode == 0:
            return place
        copy = self.folder / "home"
        if not copy.exists():
            shutil.copytree(place, copy)
        return copy

    def _command(self, place: Path) -> list[str]:
        binary = java(int(read_parts()["java"]))
        modules = subprocess.run([str(binary), "--list-modules"], capture_output=True, text=True, check=True).stdout
        vector = ["--add-modules=jdk.incubator.vector"] if "jdk.incubator.vector" in modules else []
        return [
            str(binary), f"-Xms{self.heap_mb}m", f"-Xmx{self.heap_mb}m", *self._collector(), "-Xshare:auto", "-XX:TieredStopAtLevel=4",
            *vector, "--enable-native-access=ALL-UNNAMED", "-Dfile.encoding=UTF-8", "-Dio.netty.noUnsafe=true", "-Djna.nosys=true",
            "-Dlog4j2.disable.jmx=true", "-Dopensearch.allow_insecure_settings=true", f"-Djava.io.tmpdir={self.folder / 'tmp'}",
            f"-Djna.tmpdir={self.folder / 'tmp'}", f"-Dopensearch.path.home={place}", f"-Dopensearch.path.conf={self.folder / 'conf'}",
            "-Dopensearch.distribution.type=tar", "-cp", f"{place / 'lib'}/*", "org.opensearch.bootstrap.OpenSearch",
        ]  # fmt: skip

    def _collector(self) -> list[str]:
        """OpenSearch's own choice where there is heap for it: to the circuit breaker, garbage that the serial collector lets lie is use."""
        large = self.heap_mb >= LARGE_HEAP_MB
        return ["-XX:+UseG1GC", "-XX:G1ReservePercent=25", "-XX:InitiatingHeapOccupancyPercent=30"] if large else ["-XX:+UseSerialGC"]

    def _wait(self) -> None:
        until = time.monotonic() + _READY_S
        while True:
            try:
                with urllib.request.urlopen(f"{self.url}/_cluster/health?wait_for_status=yellow&timeout=5s", timeout=10):
                    return
            except (urllib.error.URLError, OSError) as error:
                died = self._process is None or self._process.poll() is not None
                if died or time.monotonic() > until:
                    raise RuntimeError(f"OpenSearch did not start: {error}\n{self.log_end()}") from error
            time.sleep(0.2)

    def log_end(self) -> str:
        """The last of what the node said."""
        return (self.folder / "node.log").read_text(encoding="utf-8", errors="replace")[-4000:]


def main(arguments: list[str]) -> None:
    """Run in the foreground until interrupted; with `--while PID --say FILE` until that process ends, the address in FILE."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # so that the node is ended too
    options = dict(zip(arguments[::2], arguments[1::2], strict=True))
    with OpenSearchServer() as server:
        if "--say" in options:
            said = Path(options["--say"])
            said.with_suffix(".part").write_text(server.url)
            said.with_suffix(".part").rename(said)
        print(f"export FILINGFOREST_OPENSEARCH_URL={server.url}", flush=True)
        if "--while" in options:
            while Path(f"/proc/{options['--while']}").exists():
                time.sleep(0.5)
        else:
            signal.sigwait({signal.SIGINT, signal.SIGTERM})


if __name__ == "__main__":
    main(sys.argv[1:])
