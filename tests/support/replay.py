"""A stand-in for EDGAR that can be told to fail, so that crawling is tested against a server and not against mocks.

    python -m tests.support.replay --root samples --port 8899        then: --base-url http://127.0.0.1:8899

It serves a folder in EDGAR's layout (see replay_archive.py) with EDGAR's manners: 403 without a contact in the User-Agent, and above
the rate where `--enforce-rate` says so. Faults come from Python (`Replay.fail`) or over HTTP, for tests of other processes:

    POST   /_replay/faults  {"pattern": "/Archives/.*htm", "kind": "status", "status": 503, "times": 2, "retry_after": 1}
    DELETE /_replay/faults          GET /_replay/stats          DELETE /_replay/stats
"""

from __future__ import annotations

import argparse
import json
import re
import socket
import threading
import time
from collections import Counter
from dataclasses import asdict, dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.support.replay_archive import Archive

CONTACT = re.compile(r"\S+@\S+\.\S+")
UNNAMED = b"<html><body>Your Request Originates from an Undeclared Automated Tool</body></html>"
TOO_FAST = b"<html><body>Request Rate Threshold Exceeded</body></html>"


@dataclass
class Fault:
    """What happens to the next `times` requests (-1: all) whose path matches.

    kind: status (answer `status`, with `body` if given), cut (half the body, then the connection closes), cut_quietly (half the body, and the length says
    so), slow (`seconds` before the answer), drip (the body over `seconds`), redirect (302 to `location`), body (200 with `body`).
    """

    pattern: str
    kind: str = "status"
    status: int = 503
    times: int = 1
    retry_after: str | None = None
    seconds: float = 0.0
    location: str = ""
    body: str = ""


@dataclass(frozen=True)
class Seen:
    """One request as it came."""

    at: float
    path: str
    user_agent: str
    status: int


class Replay:
    """The server, in a thread of its own: `with Replay(root) as edgar: edgar.url`."""

    def __init__(self, root: Path, port: int = 0, enforce_rate: float | None = None) -> None:
        self.archive, self.enforce_rate = Archive(root), enforce_rate
        self.faults: list[Fault] = []
        self.seen: list[Seen] = []
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", port), type("Handler", (_Handler,), {"replay": self}))
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Replay:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()

    def serve(self) -> None:
        """Until interrupted."""
        self._server.serve_forever()

    def fail(self, pattern: str, **how: Any) -> Fault:
        """Adds a rule; the oldest that matches and is not used up applies."""
        fault = Fault(pattern, **how)
        self.faults.append(fault)
        return fault

    def paths(self, pattern: str = "") -> list[str]:
        """Paths asked for so far that match."""
        return [seen.path for seen in self.seen if re.search(pattern, seen.path)]

    def most_in(self, seconds: float = 1.0) -> int:
        """The most requests that came within any span of `seconds`."""
        times = sorted(seen.at for seen in self.seen)
        first = most = 0
        for last, at in enumerate(times):
            while at - times[first] >= seconds:
                first += 1
            most = max(most, last - first + 1)
        return most

    def stats(self) -> dict[str, Any]:
        return {
            "requests": len(self.seen),
            "most_in_a_second": self.most_in(),
            "statuses": Counter(seen.status for seen in self.seen),
            "user_agents": Counter(seen.user_agent for seen in self.seen),
            "paths": Counter(seen.path for seen in self.seen),
        }

    def take(self, path: str) -> Fault | None:
        """The fault that applies to this request, used up by one."""
        with self._lock:
            for fault in self.faults:
                if fault.times and re.search(fault.pattern, path):
                    fault.times -= 1
                    return Fault(**asdict(fault))
        return None

    def note(self, path: str, agent: str, status: int) -> None:
        with self._lock:
            self.seen.append(Seen(time.time(), path, agent, status))

    def refused(self, agent: str) -> bytes | None:
        """EDGAR's two reasons for a 403."""
        if not CONTACT.search(agent):
            return UNNAMED
        recent = sum(1 for seen in self.seen[-200:] if seen.at > time.time() - 1)
        return TOO_FAST if self.enforce_rate and recent >= self.enforce_rate else None


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    replay: Replay

    def do_GET(self) -> None:
        path, agent = self.path.partition("?")[0], self.headers.get("User-Agent", "")
        if path.startswith("/_replay/"):
            self._send(200, json.dumps(self.replay.stats()).encode(), "application/json")
            return
        fault, refused = self.replay.take(path), self.replay.refused(agent)
        status, body, kind = (403, refused, "text/html") if refused else self.replay.archive.get(path)
        headers: dict[str, str] = {}
        if fault:
            status, body, headers = self._fail(fault, status, body)
        self.replay.note(path, agent, status)
        self._send(status, body, kind, headers, fault)

    do_HEAD = do_GET

    def do_POST(self) -> None:
        told = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
        self.replay.fail(**told)
        self._send(200, b"{}", "application/json")

    def do_DELETE(self) -> None:
        (self.replay.faults if self.path.endswith("faults") else self.replay.seen).clear()
        self._send(200, b"{}", "application/json")

    def _fail(self, fault: Fault, status: int, body: bytes) -> tuple[int, bytes, dict[str, str]]:
        if fault.kind == "slow":
            time.sleep(fault.seconds)
        if fault.kind == "redirect":
            return 302, b"", {"Location": fault.location}
        if fault.kind == "body":
            return 200, fault.body.encode(), {}
        if fault.kind == "cut_quietly":
            return status, body[: len(body) // 2], {}
        if fault.kind == "status":
            again = {"Retry-After": fault.retry_after} if fault.retry_after else {}
            return fault.status, fault.body.encode() or (TOO_FAST if fault.status == 403 else b"told to fail"), again
        return status, body, {}

    def _send(self, status: int, body: bytes, kind: str, headers: dict[str, str] | None = None, fault: Fault | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "HEAD":
            return
        if fault and fault.kind == "cut":
            self.wfile.write(body[: len(body) // 2])
            self.wfile.flush()
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        for n in range(0, len(body), len(body) // 20 + 1 if fault and fault.kind == "drip" else len(body) or 1):
            time.sleep(fault.seconds / 20 if fault and fault.kind == "drip" else 0)
            self.wfile.write(body[n : n + (len(body) // 20 + 1 if fault and fault.kind == "drip" else len(body))])

    def log_message(self, format: str, *args: Any) -> None:
        """Silent: the requests are kept."""


def main() -> None:
    parser = argparse.ArgumentParser(description="Serves a folder in EDGAR's layout as EDGAR would.")
    parser.add_argument("--root", type=Path, required=True, help="folder with Archives/, submissions/ and files/")
    parser.add_argument("--port", type=int, default=0, help="0: any free one, printed")
    parser.add_argument("--enforce-rate", type=float, help="answer 403 above this many requests a second")
    given = parser.parse_args()
    server = Replay(given.root, given.port, given.enforce_rate)
    print(server.url, flush=True)
    server.serve()


if __name__ == "__main__":
    main()
