"""One worker: a Python process that parses what it is handed, watched from outside for memory and time.

It is a plain subprocess that speaks over its pipes, not a `multiprocessing` one: it then runs under any parent (Airflow's daemonic
tasks too), never imports the parent's main module, and ends by itself when its parent is gone.
"""

from __future__ import annotations

import gc
import os
import pickle
import select
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import psutil

from filingforest.config import ParseSettings
from filingforest.errors import ConfigError

RECYCLE_AFTER = 200  # documents
KEEP_BELOW = 0.5  # of the memory limit: a worker that holds more after a document is recycled
WATCH_EVERY = 0.05  # seconds
START_LIMIT = 120.0  # seconds for start and imports
PATIENCE = 10  # times the limit of CPU seconds that may pass on the clock: a busy machine is no fault of a document's
HEADER = struct.Struct(">Q")


class WorkerOver(Exception):
    """A limit was reached; `setting` names the one to raise."""

    def __init__(self, text: str, setting: str) -> None:
        super().__init__(text)
        self.setting = setting


class WorkerDied(Exception):
    """The process ended by itself: a crash in native code, or killed by the system."""


class WorkerProcess:
    """Starts when it is first needed, and again after it was ended."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self.done = 0
        self.closed = False

    def run(self, work: Callable[..., Any], content: bytes | Path, hint: Any, settings: ParseSettings, arguments: tuple[Any, ...]) -> Any:
        """The result of `work` in the process; raises what it raised, WorkerOver, WorkerDied, or ConfigError where none can start."""
        process = self._started()
        try:
            _send(process.stdin, (work, content, hint, settings, arguments))
            fine, result = self._answer(process, settings)
        except (BrokenPipeError, EOFError, pickle.UnpicklingError) as error:
            raise WorkerDied(self._end_of(process)) from error
        self.done += 1
        if self.done >= RECYCLE_AFTER or _memory(process.pid) > KEEP_BELOW * settings.memory_mb * 1e6:
            self.end()
        if not fine:
            raise result
        return result

    def _started(self) -> subprocess.Popen[bytes]:
        if self.process is not None and self.process.poll() is None:
            return self.process
        if self.closed:
            raise WorkerDied("was closed")
        self.done = 0
        path = os.pathsep.join(p for p in sys.path if p)
        command = [sys.executable, "-c", f"from {__name__} import serve; serve()"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": path})
        try:
            if not _ready(self.process, START_LIMIT):
                raise EOFError
            _receive(self.process.stdout)
        except EOFError:
            how, remedy = self._end_of(self.process), "`filingforest doctor` says which packages are missing; its own trace stands above"
            raise ConfigError(f"a parse worker {how} before it began", stage="parse", remedy=remedy) from None
        return self.process

    def _answer(self, process: subprocess.Popen[bytes], settings: ParseSettings) -> tuple[bool, Any]:
        """Waits, and ends the process where it goes beyond a limit."""
        until, spent = time.monotonic() + PATIENCE * settings.time_limit_s, _cpu(process.pid)
        while not _ready(process, WATCH_EVERY):
            if process.poll() is not None:
                raise EOFError
            if _memory(process.pid) > settings.memory_mb * 1e6:
                self.kill()
                raise WorkerOver(f"{settings.memory_mb:,} MB of memory", "memory_mb")
            if _cpu(process.pid) - spent > settings.time_limit_s:
                self.kill()
                raise WorkerOver(f"{settings.time_limit_s:g} s of CPU", "time_limit_s")
            if time.monotonic() > until:
                self.kill()
                raise WorkerOver(f"{PATIENCE * settings.time_limit_s:g} s", "time_limit_s")
        answer: tuple[bool, Any] = _receive(process.stdout)
        return answer

    def _end_of(self, process: subprocess.Popen[bytes]) -> str:
        """How it ended, in words."""
        self.kill()
        code = process.returncode
        return f"was ended by signal {-code}" if code is not None and code < 0 else f"ended with status {code}"

    def kill(self) -> None:
        """At once."""
        if self.process is not None:
            self.process.kill()
            self._wait()

    def end(self) -> None:
        """It ends by itself when its input does; killed where it is busy."""
        if self.process is not None and self.process.stdin is not None:
            self.process.stdin.close()
            try:
                self.process.wait(0.5)
            except subprocess.TimeoutExpired:
                self.process.kill()
            self._wait()

    def _wait(self) -> None:
        if self.process is not None:
            self.process.wait()
            for pipe in (self.process.stdin, self.process.stdout):
                if pipe is not None:
                    pipe.close()
            self.process = None


def _memory(pid: int) -> float:
    """Bytes resident, 0 where the process is gone."""
    try:
        return float(psutil.Process(pid).memory_info().rss)
    except psutil.Error:
        return 0.0


def _cpu(pid: int) -> float:
    """CPU seconds so far, 0 where the process is gone."""
    try:
        times = psutil.Process(pid).cpu_times()
    except psutil.Error:
        return 0.0
    return float(times.user + times.system)


def _ready(process: subprocess.Popen[bytes], seconds: float) -> bool:
    return process.stdout is not None and bool(select.select([process.stdout], [], [], seconds)[0])


def _send(pipe: BinaryIO | Any, message: Any) -> None:
    data = pickle.dumps(message, protocol=5)
    pipe.write(HEADER.pack(len(data)))
    pipe.write(data)
    pipe.flush()


def _receive(pipe: BinaryIO | Any) -> Any:
    head = pipe.read(HEADER.size)
    if len(head) < HEADER.size:
        raise EOFError
    size = HEADER.unpack(head)[0]
    data = pipe.read(size)
    if len(data) < size:
        raise EOFError
    return pickle.loads(data)


def serve() -> None:
    """The process's own loop: ready, then one answer a question until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer: it ends its workers
    source, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints goes to standard error, not among the answers
    _imports()
    gc.freeze()  # what was imported stays as long as the process: no collection needs to go over it
    _send(answers, "ready")
    while True:
        try:
            work, content, hint, settings, arguments = _receive(source)
        except EOFError:
            return
        try:
            if isinstance(content, Path):
                from filingforest.sources.folder import read_file

                content = read_file(content, hint.doc_id, settings.max_bytes)
            answer = (True, work(content, hint, settings, *arguments))
        except Exception as error:
            answer = (False, _portable(error))
        del content
        try:
            _send(answers, answer)
        except BrokenPipeError:
            return


def _imports() -> None:
    """What every document needs, before the first one's clock starts."""
    import filingforest.bundle
    import filingforest.parse.html
    import filingforest.parse.to_tables
    import filingforest.schema  # noqa: F401


def _portable(error: Exception) -> Exception:
    """The error as it is where it can travel, else its words."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
