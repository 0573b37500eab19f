"""The right to load: claimed in the state, fenced by an alias, kept by signs of life, and lost to whoever takes it.

Signs come from a thread of their own, because a load is silent for minutes where the node is busy, merges graphs or is asked what it holds.
A sign is a compare-and-swap of the state, so the first one after somebody else's claim says that the lease is lost; whoever loads asks for
that (`check`) before each request. The last sign says that the load is through. It is the last thing before CURRENT may be switched:
whoever claims must have seen no sign for its whole patience, so a switch that follows sooner shows what was loaded. One that comes later
than that (the process stood still, S3 hung) is noticed by `target.switch`, which loads the publication again.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from filingforest.config.opensearch import OpenSearchSettings
from filingforest.errors import FilingForestError, LostRace, StoreUnavailable
from filingforest.opensearch.client import guarded
from filingforest.opensearch.layout import KINDS, Layout
from filingforest.opensearch.patience import Patience
from filingforest.opensearch.state import Mark, State, read_state, write_state

BEAT_S = 3.0


class Lease:
    """Of one load. `replaced` is the load that it took over from, if any."""

    def __init__(self, client: Any, layout: Layout, state: State, settings: OpenSearchSettings, replaced: Mark | None = None) -> None:
        assert state.pending
        self.client, self.layout, self.state, self.mark, self.replaced = client, layout, state, state.pending, replaced
        self.patience = Patience(settings.retries, settings.backoff_s, self._sleep, self.check)
        self._ended, self._lost = threading.Event(), threading.Event()
        self._failed: FilingForestError | None = None
        self._thread = threading.Thread(target=self._give_signs, name="signs of life", daemon=True)

    def alias(self, kind: str) -> str:
        """What to write through."""
        return f"{self.layout.alias(kind)}-load-{self.mark.fence}"

    def check(self) -> None:
        """Errors: LostRace when somebody took over, PermissionDenied and StoreError when no sign can be given any more."""
        if self._failed:
            raise self._failed

    def start(self) -> None:
        """Give signs of life from now on."""
        self._thread.start()

    def end(self) -> None:
        """Give no more of them."""
        self._ended.set()
        self._thread.join()

    def finish(self) -> None:
        """The last sign: the load is through. Errors: LostRace when somebody took over."""
        self.end()
        self.patience.ask(self.layout.state, lambda: self._sign(replace(self.mark, ready=True)))

    def _give_signs(self) -> None:
        while not self._ended.wait(BEAT_S):
            try:
                self._sign(self.mark)
            except StoreUnavailable:  # then nobody else sees signs, or their absence
                continue
            except FilingForestError as error:
                self._failed = error
                self._lost.set()
                return

    def _sign(self, mark: Mark) -> None:
        self.state = sign(self.client, self.layout, self.state, mark)

    def _sleep(self, seconds: float) -> None:
        """No longer than the lease lasts."""
        self._lost.wait(seconds)


@contextmanager
def claim(client: Any, layout: Layout, state: State, mark: Mark, settings: OpenSearchSettings, patience_s: float) -> Iterator[Lease]:
    """The load of a publication, after a load under way has ended or given no sign for `patience_s`. Errors: LostRace."""
    patience = Patience(settings.retries, settings.backoff_s)
    before = _wait(client, layout, state, patience_s, patience)
    mark = replace(mark, fence=uuid.uuid4().hex[:12])
    claimed = patience.ask(layout.state, lambda: sign(client, layout, before, mark))
    lease = Lease(client, layout, claimed, settings, before.pending)
    lease.start()
    try:
        for kind in KINDS:
            lease.patience.ask(layout.index(kind), partial(_fence, client, layout, kind, lease.alias(kind)))
        now = lease.patience.ask(layout.state, lambda: read_state(client, layout))
        if not _is_of(now, mark):
            raise _taken(layout)
        yield lease
    finally:
        lease.end()


def sign(client: Any, layout: Layout, state: State, mark: Mark) -> State:
    """Write a mark over what was read; also over what stands there since, where that is of the same load: the answer to an earlier
    sign was lost on its way. Errors: LostRace."""
    try:
        return write_state(client, layout, replace(state, pending=mark))
    except LostRace:
        now = read_state(client, layout)
        if not _is_of(now, mark):
            raise
        return write_state(client, layout, replace(now, pending=mark))


def _is_of(state: State, mark: Mark) -> bool:
    return state.pending is not None and state.pending.fence == mark.fence


def _taken(layout: Layout) -> LostRace:
    return LostRace("another publisher took over", document=layout.state, stage="opensearch", remedy="let it finish, then publish again")


def _fence(client: Any, layout: Layout, kind: str, mine: str) -> None:
    """Let one alias write to the index, and no other."""
    index = layout.index(kind)
    with guarded(index):
        others = client.indices.get_alias(index=index, name=f"{layout.alias(kind)}-load-*", ignore=404)
        taken = [name for about in others.values() if isinstance(about, dict) for name in about.get("aliases", {})]
        remove = [{"remove": {"index": index, "alias": name}} for name in taken if name != mine]
        client.indices.update_aliases(body={"actions": [*remove, {"add": {"index": index, "alias": mine}}]})


def _wait(client: Any, layout: Layout, state: State, patience_s: float, patience: Patience) -> State:
    """Waits while another loader gives signs of life: its state's version changes. No clocks of other machines are asked."""
    seen = time.monotonic()
    while state.pending and time.monotonic() - seen < patience_s:
        time.sleep(min(1.0, patience_s / 4))
        waited: list[float] = []
        now = patience.ask(layout.state, lambda: read_state(client, layout), waited)
        if now.loaded != state.loaded:
            raise LostRace("another publisher was faster", document=layout.state, stage="opensearch", remedy="publish again")
        if waited or now.version != state.version:  # a node that was away took no signs
            state, seen = now, time.monotonic()
    return state
