"""An S3 server behind a bad line: an HTTP proxy that answers 500 or 503, waits, cuts bodies, or loses the answer to what it passed on."""

from __future__ import annotations

import http.client
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType

Fault = Callable[[str, str, int], str]  # (verb, path, number of the request) -> "" or one of the faults below
ERROR, BUSY, SLOW, CUT, LOST = "500", "503", "slow", "cut", "lost"


class BadProxy:
    """A context manager; `url` is the endpoint. `seen` counts the faults given."""

    def __init__(self, endpoint: str, fault: Fault) -> None:
        self.target, self.fault, self.seen = endpoint.removeprefix("http://"), fault, dict[str, int]()
        self.number, self.lock = 0, threading.Lock()
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_one_request(self) -> None:
                self.raw_requestline = self.rfile.readline(65_537)
                if not self.raw_requestline or not self.parse_request():
                    self.close_connection = True
                    return
                proxy.pass_on(self)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def pass_on(self, request: BaseHTTPRequestHandler) -> None:
        if request.headers.get("Expect"):
            request.send_response_only(100)
            request.end_headers()
        body = request.rfile.read(int(request.headers.get("Content-Length") or 0))
        with self.lock:
            self.number += 1
            fault = self.fault(request.command, request.path.partition("?")[0], self.number)
            self.seen[fault] = self.seen.get(fault, 0) + 1
        if fault in (ERROR, BUSY):
            return self._answer(request, int(fault), {}, b"")
        if fault == SLOW:
            time.sleep(0.5)
        status, headers, data = self._ask(request, body)
        if fault == LOST:
            request.close_connection = True
            return None
        return self._answer(request, status, headers, data[: len(data) // 2] if fault == CUT and data else data, len(data))

    def _ask(self, request: BaseHTTPRequestHandler, body: bytes) -> tuple[int, dict[str, str], bytes]:
        connection = http.client.HTTPConnection(self.target, timeout=30)
        headers = {name: value for name, value in request.headers.items() if name.lower() not in ("expect", "connection")}
        connection.request(request.command, request.path, body, headers)
        answer = connection.getresponse()
        data = answer.read()
        kept = {n: v for n, v in answer.getheaders() if n.lower() not in ("transfer-encoding", "connection")}
        connection.close()
        return answer.status, kept, data

    def _answer(
        self, request: BaseHTTPRequestHandler, status: int, headers: dict[str, str], data: bytes, length: int | None = None
    ) -> None:
        request.send_response_only(status)
        for name, value in headers.items():
            if name.lower() != "content-length" or request.command == "HEAD":
                request.send_header(name, value)
        if request.command != "HEAD" and status != 204:
            request.send_header("Content-Length", str(len(data) if length is None else length))
        request.end_headers()
        if request.command != "HEAD":
            request.wfile.write(data)
        if length is not None and len(data) != length:
            request.close_connection = True

    def __enter__(self) -> BadProxy:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()
