"""Every write, rename and pointer change has a number, so that tests can kill the process before and after each of them.

FILINGFOREST_KILL_AT='before:7' or 'after:7' ends the whole process group with SIGKILL there; FILINGFOREST_STEP_LOG names a
file that gets one line "NUMBER NAME" a step. Without these variables a step costs a comparison.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_lock = threading.Lock()
_count = 0


@contextmanager
def step(name: str) -> Iterator[None]:
    """Wrap one change to the outside world; `name` says what and to which key."""
    number = _next(name)
    _kill_at(f"before:{number}")
    yield
    _kill_at(f"after:{number}")


def reset() -> None:
    """Start counting at 1 again (a forked test process)."""
    global _count
    _count = 0


def _next(name: str) -> int:
    global _count
    with _lock:
        _count += 1
        number = _count
        log = os.environ.get("FILINGFOREST_STEP_LOG")
        if log:
            with Path(log).open("a", encoding="utf-8") as out:
                out.write(f"{number} {name}\n")
    return number


def _kill_at(place: str) -> None:
    if os.environ.get("FILINGFOREST_KILL_AT") == place:
        os.killpg(os.getpgid(0), signal.SIGKILL)
