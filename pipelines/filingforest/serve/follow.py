"""Keeps a server's reader on CURRENT: looks every few seconds, and at once where a publication turns out to be gone."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import TypeVar

from filingforest.errors import FilingForestError, PermissionDenied, PublicationGone
from filingforest.query.reader import Reader

log = logging.getLogger(__name__)
Result = TypeVar("Result")


class Follower:
    """Refreshes a reader in a thread of its own. What cannot be opened leaves the reader where it is, and `problem` says why."""

    def __init__(self, reader: Reader, every_s: float) -> None:
        self.reader, self._every = reader, every_s
        self.problem: str | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="follow-current", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(timeout=5)

    def refresh(self) -> None:
        """Looks once."""
        try:
            if self.reader.refresh():
                log.info("now serving %s", ", ".join(self.reader.publications))
            self.problem = None
        except FilingForestError as error:
            self.problem = error.code
            log.warning("CURRENT could not be followed: %s", error)

    def ask(self, call: Callable[[Reader], Result]) -> Result:
        """`call` with a reader that stays where it is meanwhile; once more where its publication was pruned under it."""
        pinned = self.reader.pinned()
        try:
            return call(pinned)
        except (PublicationGone, PermissionDenied):  # S3 says "denied" of what is gone to those who may not list
            self.refresh()
            if self.reader.publications == pinned.publications:
                raise
            return call(self.reader.pinned())

    def _run(self) -> None:
        while not self._stop.wait(self._every):
            self.refresh()
