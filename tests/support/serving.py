"""`filingforest serve` as a process, and a client of it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

TOKEN = "a-token-of-this-test"


class Client:
    """Asks one server; answers are (status, media type, JSON)."""

    def __init__(self, port: int, token: str | None = TOKEN) -> None:
        self.base, self.token = f"http://127.0.0.1:{port}", token

    def get(self, path: str, **parameters: Any) -> tuple[int, str, Any]:
        return self._ask(urllib.request.Request(f"{self.base}{path}?{urllib.parse.urlencode(parameters, doseq=True)}"))

    def post(self, path: str, body: Any) -> tuple[int, str, Any]:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self._ask(urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}))

    def _ask(self, request: urllib.request.Request) -> tuple[int, str, Any]:
        if self.token:
            request.add_header("Authorization", f"Bearer {self.token}")
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, answer.headers.get_content_type(), json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, error.headers.get_content_type(), json.load(error)


@contextmanager
def server(index: Path | str, *words: str, **settings: Any) -> Iterator[tuple[Client, subprocess.Popen[str]]]:
    """`filingforest serve WORDS` in a process of its own, ready; `settings` are those of `[serve]`."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    flags = [part for name, value in settings.items() for part in ("--set", f"serve.{name}={value}")]
    command = [sys.executable, "-m", "filingforest.cli", "serve", "--index", str(index), "--port", str(port), *words, *flags]
    process = subprocess.Popen(command, env={**os.environ, "FILINGFOREST_TOKEN": TOKEN}, stderr=subprocess.PIPE, text=True)
    client, end = Client(port), time.monotonic() + 60
    try:
        while not _ready(client):
            if process.poll() is not None or time.monotonic() > end:
                process.kill()
                raise AssertionError(process.communicate()[1])
            time.sleep(0.1)
        yield client, process
    finally:
        process.kill()
        process.wait()


def _ready(client: Client) -> bool:
    try:
        return client.get("/ready")[0] == 200
    except OSError:
        return False
