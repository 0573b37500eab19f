"""Asks OpenSearch again what it may answer later: a node that is busy, restarted or cut off must not end a load of hours.

Waits double up to half a minute, and differ a little, so that several who ask do not come back together. What no waiting mends is raised
at once.
"""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from filingforest.errors import StoreUnavailable
from filingforest.opensearch.client import guarded

log = logging.getLogger(__name__)
LONGEST_WAIT_S = 30.0
T = TypeVar("T")


def _nothing() -> None:
    return None


@dataclass(frozen=True, slots=True)
class Patience:
    """How often to ask again, and how long to wait at first. `check` raises where going on has become pointless."""

    retries: int
    backoff_s: float
    sleep: Callable[[float], None] = time.sleep
    check: Callable[[], None] = _nothing

    def ask(self, what: str, call: Callable[[], T], waited: list[float] | None = None) -> T:
        """What `call` answers, which must be safe to repeat; the seconds of each wait are added to `waited`. `what` is for errors.

        Errors: StoreUnavailable where no try was answered; at once what `call` and `check` raise else.
        """
        for wait in self._waits():
            self.check()
            try:
                with guarded(what):
                    return call()
            except StoreUnavailable as error:
                if wait is None:
                    raise
                log.warning("opensearch is busy or away, again in %.1f s: %s", wait, error.message)
                if waited is not None:
                    waited.append(wait)
                self.sleep(wait)
        raise AssertionError("the last try answers or raises")

    def _waits(self) -> Iterator[float | None]:
        """What to wait after each try; None: it was the last."""
        for attempt in range(self.retries):
            yield min(self.backoff_s * 2**attempt, LONGEST_WAIT_S) * random.uniform(0.8, 1.2)
        yield None


ONCE = Patience(0, 0.0)
