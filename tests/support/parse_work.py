"""Work for parse workers that behaves badly on demand; light to import, since every worker does."""

from __future__ import annotations

import os
import signal
import time
from typing import Any

from filingforest.config import ParseSettings
from filingforest.errors import EmptyDocument
from filingforest.parse.model import DocumentHint


def act(content: bytes, hint: DocumentHint, settings: ParseSettings, *arguments: Any) -> Any:
    """What the document says: `sleep`, `spin` (CPU without end), `hog`, `crash`, `raise`, `refuse`, `print`, or its own text."""
    what = content.decode()
    if what == "sleep":
        time.sleep(60)
    while what == "spin":
        pass
    if what == "hog":
        held = [bytearray(b"x" * 20_000_000) for _ in range(100)]
        time.sleep(30)
        return len(held)
    if what == "crash":
        os.kill(os.getpid(), signal.SIGKILL)
    if what == "raise":
        raise ValueError("unforeseen")
    if what == "refuse":
        raise EmptyDocument("nothing in it", remedy="fetch it again")
    if what == "print":
        print("noise on standard output")
        os.write(1, b"more noise")
    return (what, os.getpid(), *arguments)
