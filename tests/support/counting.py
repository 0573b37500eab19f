"""What a publisher asks of S3 and of OpenSearch, counted on the way: requests and bytes. All calls pass through unchanged."""

from __future__ import annotations

import threading
from collections import Counter
from pathlib import Path
from typing import Any


class CountedClient:
    """A boto3 S3 client that counts. `requests` and `bytes` by "PUT" and "GET"; the other calls as "HEAD", "LIST" and "DELETE"."""

    _VERBS = {"put_object": "PUT", "get_object": "GET", "head_object": "HEAD", "delete_object": "DELETE"}  # noqa: RUF012

    def __init__(self, client: Any) -> None:
        self._client, self._lock = client, threading.Lock()
        self.requests: Counter[str] = Counter()
        self.bytes: Counter[str] = Counter()
        self.keys: list[tuple[str, str]] = []

    def reset(self) -> None:
        self.requests.clear()
        self.bytes.clear()
        self.keys.clear()

    def get_paginator(self, name: str) -> Any:
        with self._lock:
            self.requests["LIST"] += 1
        return self._client.get_paginator(name)

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._client, name)
        if name not in self._VERBS:
            return call

        def counted(**arguments: Any) -> Any:
            answer = call(**arguments)
            verb = self._VERBS[name]
            with self._lock:
                self.requests[verb] += 1
                self.keys.append((verb, arguments["Key"]))
                self.bytes[verb] += answer["ContentLength"] if verb == "GET" else _size(arguments.get("Body", b""))
            return answer

        return counted


class CountedOpenSearch:
    """Counts what an opensearch-py client (of one node) sends, by the last word of the path ("_bulk", "_search", ...): requests, bytes of
    bodies and of answers, and the items of bulk requests."""

    def __init__(self, client: Any) -> None:
        self._lock = threading.Lock()
        self.requests: Counter[str] = Counter()
        self.bytes: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self.items = 0
        connection = client.transport.get_connection()
        send = connection.perform_request

        def counted(method: str, url: str, params: Any = None, body: bytes | None = None, **more: Any) -> Any:
            found = send(method, url, params, body, **more)
            self._count(url.rpartition("/")[2], body or b"", found[2])
            return found

        connection.perform_request = counted

    def _count(self, word: str, body: bytes, answer: str) -> None:
        with self._lock:
            self.requests[word] += 1
            self.bytes[word] += len(body)
            self.answered[word] += len(answer)
            self.items += body.count(b"\n") // 2 if word == "_bulk" else 0

    def reset(self) -> None:
        for counter in (self.requests, self.bytes, self.answered):
            counter.clear()
        self.items = 0


def _size(body: Any) -> int:
    return len(body) if isinstance(body, bytes) else Path(body.name).stat().st_size
