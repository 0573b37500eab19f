"""A stand-in for vLLM's OpenAI server that keeps to JSON schemas, answers the same to the same, and fails as it is told.

    python -m tests.support.fake_llm --port 8001 [--die-after 500]        then: llm.url = "http://127.0.0.1:8001/v1"

It serves /v1/chat/completions, /v1/models, /tokenize, /health and /metrics. Answers follow from the prompt's hash and the schema alone; a summary is
made of the passages' own words. Faults come from Python (`FakeLlm.fail`) or over HTTP: POST /_fake/faults {"kind": "status", "status": 429, "times": 3}.
What a prompt shares with earlier ones is counted as the prefix cache counts it, in blocks of 16 tokens.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import socket
import threading
import time
from collections import Counter
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

MODEL = "fake-1"
BLOCK = 16
WORDS = ("revenue", "costs", "liquidity", "risk", "segments", "capital", "margins", "demand")


@dataclass
class Fault:
    """What happens to the next `times` chat requests (-1: all) whose prompt matches `pattern`.

    kind: status (answer `status`), truncated (half of the JSON, finish_reason stop), length (cut off unless more than `tokens` are allowed), free (free
    text: the schema is ignored), slow (`seconds` before the answer), lost (the connection closes without an answer), die (the process ends),
    say (`body` as the answer's text).
    """

    kind: str
    times: int = 1
    pattern: str = ""
    status: int = 500
    retry_after: str = ""
    seconds: float = 0.0
    tokens: int = 0
    body: str = ""


class FakeLlm:
    """The server, in threads of its own: `with FakeLlm() as llm: llm.url`. `seen` counts chat requests by prompt hash, `most` those at once."""

    def __init__(self, port: int = 0, *, context: int = 8192, die_after: int = 0, delay: float = 0.0, ignores_schema: bool = False) -> None:
        self.context, self.die_after, self.delay, self.ignores_schema = context, die_after, delay, ignores_schema
        self.faults: list[Fault] = []
        self.seen: Counter[str] = Counter()
        self.bodies: list[dict[str, Any]] = []
        self.keep_bodies = True
        self.now = self.most = self.queries = self.hits = 0
        self._blocks: set[bytes] = set()
        self.lock = threading.Lock()
        self.server = _Server(("127.0.0.1", port), _Handler)
        self.server.fake = self
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"

    def __enter__(self) -> FakeLlm:
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.server.shutdown()
        self.server.server_close()

    def fail(self, kind: str, **more: Any) -> None:
        """See Fault."""
        self.faults.append(Fault(kind, **more))

    @property
    def requests(self) -> int:
        """Chat requests that came."""
        return self.seen.total()

    def fault(self, prompt: str) -> Fault | None:
        """The first fault that is left for this prompt, with one turn of it used."""
        with self.lock:
            for fault in self.faults:
                if fault.times and re.search(fault.pattern, prompt, re.S):
                    fault.times -= 1
                    return fault
        return None

    def enter(self, body: dict[str, Any], prompt: str) -> int:
        """Counts a request in; the prompt's tokens that earlier prompts had at the same place."""
        with self.lock:
            self.seen[hashlib.sha256(prompt.encode()).hexdigest()] += 1
            if self.keep_bodies:
                self.bodies.append(body)
            self.now += 1
            self.most = max(self.most, self.now)
            return self._prefix(prompt)

    def leave(self) -> None:
        with self.lock:
            self.now -= 1
        if self.die_after and self.requests >= self.die_after:
            os._exit(137)

    def _prefix(self, prompt: str) -> int:
        words, digest, found = prompt.split(), hashlib.sha256(), 0
        hit = True
        for start in range(0, len(words) - BLOCK + 1, BLOCK):
            digest.update(" ".join(words[start : start + BLOCK]).encode())
            key = digest.digest()[:8]
            hit = hit and key in self._blocks
            found += BLOCK * hit
            self._blocks.add(key)
        self.queries += len(words)
        self.hits += found
        return found


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512
    fake: FakeLlm

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that was killed is no error."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 65_536
    disable_nagle_algorithm = True
    server: _Server

    def do_GET(self) -> None:
        fake = self.server.fake
        if self.path == "/v1/models":
            card = {"id": MODEL, "object": "model", "max_model_len": fake.context}
            self._send(200, {"object": "list", "data": [card]})
        elif self.path == "/metrics":
            lines = [
                f'vllm:prefix_cache_{name}_total{{engine="0"}} {value}.0'
                for name, value in (("queries", fake.queries), ("hits", fake.hits))
            ]
            self._send(200, "\n".join(lines) + "\n")
        else:
            self._send(200 if self.path == "/health" else 404, "")

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        fake = self.server.fake
        if self.path == "/_fake/faults":
            fake.fail(**body)
            self._send(200, {})
        elif self.path == "/tokenize":
            self._send(200, {"count": count(body["prompt"]), "max_model_len": fake.context})
        elif self.path == "/v1/chat/completions":
            self._chat(body, fake)
        else:
            self._send(404, {"error": {"message": f"no {self.path}"}})

    def _chat(self, body: dict[str, Any], fake: FakeLlm) -> None:
        prompt = "\n".join(message["content"] for message in body["messages"])
        cached = fake.enter(body, prompt)
        try:
            time.sleep(fake.delay)
            fault = fake.fault(prompt)
            if body["model"] != MODEL:
                self._send(404, {"error": {"message": f"The model `{body['model']}` does not exist.", "type": "NotFoundError"}})
            elif count(prompt) + body["max_tokens"] > fake.context:
                self._send(
                    400, {"error": {"message": f"This model's maximum context length is {fake.context} tokens.", "type": "BadRequestError"}}
                )
            elif fault and fault.kind in ("status", "lost", "die", "slow"):
                self._fail(fault, body, prompt, cached)
            else:
                self._answer(body, prompt, cached, fault)
        finally:
            fake.leave()

    def _fail(self, fault: Fault, body: dict[str, Any], prompt: str, cached: int) -> None:
        if fault.kind == "die":
            os._exit(137)
        if fault.kind == "lost":
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
        elif fault.kind == "slow":
            time.sleep(fault.seconds)
            self._answer(body, prompt, cached, None)
        else:
            extra = {"Retry-After": fault.retry_after} if fault.retry_after else {}
            self._send(fault.status, {"error": {"message": f"told to answer {fault.status}"}}, extra)

    def _answer(self, body: dict[str, Any], prompt: str, cached: int, fault: Fault | None) -> None:
        form = body.get("response_format", {}).get("json_schema", {}).get("schema")
        free = form is None or self.server.fake.ignores_schema or (fault is not None and fault.kind == "free")
        text = "The sky is blue and grey." if free else json.dumps(obey(form, prompt), ensure_ascii=False)
        finish = "stop"
        if fault and fault.kind == "say":
            text = fault.body
        elif fault and fault.kind == "truncated":
            text = text[: len(text) // 2]
        elif fault and fault.kind == "length" and body["max_tokens"] <= fault.tokens:
            text, finish = text[: len(text) // 2], "length"
        usage = {"prompt_tokens": count(prompt), "completion_tokens": count(text), "prompt_tokens_details": {"cached_tokens": cached}}
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
        self._send(200, {"id": "chatcmpl-fake", "object": "chat.completion", "model": MODEL, "choices": [choice], "usage": usage})

    def _send(self, status: int, content: Any, extra: dict[str, str] | None = None) -> None:
        raw = content.encode() if isinstance(content, str) else json.dumps(content).encode()
        self.send_response_only(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(raw)), **(extra or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(raw)
        self.wfile.flush()

    def log_message(self, format: str, *args: Any) -> None:
        pass


def count(text: str) -> int:
    """The fake's tokens: words."""
    return len(text.split())


def obey(schema: dict[str, Any], prompt: str) -> Any:
    """A value that keeps to the schema, the same for the same prompt; texts are words of the prompt's passages where it has any."""
    seed = int.from_bytes(hashlib.sha256(prompt.encode()).digest()[:4], "big")
    return _value(schema, seed, prompt)


def _value(schema: dict[str, Any], seed: int, prompt: str) -> Any:
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][seed % len(schema["enum"])]
    if schema["type"] == "object":
        return {name: _value(part, seed + place, prompt) for place, (name, part) in enumerate(sorted(schema["properties"].items()))}
    if schema["type"] == "array":
        least, most = schema.get("minItems", 0), schema.get("maxItems", 4)
        return [_value(schema["items"], seed + place, prompt) for place in range(least + seed % (most - least + 1))]
    return _text(schema, seed, prompt)


def _text(schema: dict[str, Any], seed: int, prompt: str) -> str:
    passages = prompt.partition("Passages:")[2].partition("\nTask:")[0] or prompt
    lines = [line for line in passages.splitlines() if line.endswith(".") and len(line) > 30]
    text = lines[seed % len(lines)] if lines else f"{WORDS[seed % 8]} and {WORDS[seed // 8 % 8]}"
    return text[: schema.get("maxLength", 200)].strip() or "text"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=8001)
    parser.add_argument("--die-after", type=int, default=0)
    parser.add_argument("--delay", type=float, default=0.0)
    arguments = parser.parse_args()
    fake = FakeLlm(arguments.port, die_after=arguments.die_after, delay=arguments.delay)
    fake.keep_bodies = False
    print(fake.url, flush=True)
    fake.server.serve_forever(poll_interval=0.1)


if __name__ == "__main__":
    main()
