"""Runs a function again and again in forked children that may be killed at a numbered step; imports are paid once.

A process of its own (`python -m tests.support.kill_driver MODULE:FUNCTION`): one JSON request a line on standard input, one answer a
line on standard output. Every child leads a process group of its own, so that a kill of the group takes nobody else along.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any

ROOT = Path(__file__).parents[2]


class KillDriver:
    """The parent's side; a context manager. `run` gives the child's exit code, -9 when it was killed."""

    def __init__(self, function: str) -> None:
        self.function = function
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> KillDriver:
        environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'pipelines'}"}
        command = [sys.executable, "-m", "tests.support.kill_driver", self.function]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(30)

    def run(self, *arguments: Any, kill_at: str | None = None, log: Path | None = None, env: dict[str, str] | None = None) -> int:
        """Call the function with `arguments` in a child."""
        assert self._process is not None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        variables = {**(env or {}), "FILINGFOREST_KILL_AT": kill_at or "", "FILINGFOREST_STEP_LOG": str(log or "")}
        self._process.stdin.write(json.dumps({"arguments": arguments, "env": variables}) + "\n")
        self._process.stdin.flush()
        return int(json.loads(self._process.stdout.readline())["code"])


def _serve(function: str) -> None:
    module, _, name = function.partition(":")
    target = importlib.import_module(module)
    call = getattr(target, name)
    if hasattr(target, "warm_up"):
        target.warm_up()
    for line in sys.stdin:
        request = json.loads(line)
        child = os.fork()
        if child == 0:
            _child(call, request)
        _, status = os.waitpid(child, 0)
        print(json.dumps({"code": os.waitstatus_to_exitcode(status)}), flush=True)


def _child(call: Any, request: dict[str, Any]) -> None:
    from filingforest import store_steps

    code = 1
    try:
        os.setsid()
        os.environ.update(request["env"])
        store_steps.reset()
        call(*request["arguments"])
        code = 0
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    _serve(sys.argv[1])
