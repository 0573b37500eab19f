"""What of a corpus is loaded, kept in OpenSearch itself beside what it describes, so that a snapshot has both.

One document a generation: `loaded` is the last publication whose load counted, `pending` one whose load began and whose switch is
not known of yet. It changes by compare-and-swap. Whoever holds `pending` writes through an alias of its own (the fence): the next
loader takes that alias away first, so a loader that was thought dead cannot write any more.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from filingforest.errors import LostRace
from filingforest.opensearch.client import guarded
from filingforest.opensearch.layout import KINDS, Layout

BEAT_S = 3.0


@dataclass(frozen=True, slots=True)
class Mark:
    """A publication by id and sequence; `fence` names the load."""

    id: str
    sequence: int
    fence: str = ""


@dataclass(frozen=True, slots=True)
class State:
    """`version` is OpenSearch's (sequence number, term) of what was read; None where nothing stood there."""

    generation: str
    loaded: Mark | None = None
    pending: Mark | None = None
    version: tuple[int, int] | None = None

    @property
    def base(self) -> int:
        """Sequence of the last publication that counted; 0 before the first."""
        return self.loaded.sequence if self.loaded else 0


def read_state(client: Any, layout: Layout, generation: str | None = None) -> State:
    """What stands there. Errors: StoreUnavailable, PermissionDenied."""
    name = generation or layout.generation
    with guarded(layout.state):
        answer = client.get(index=layout.state, id=name, ignore=404)
    if not answer.get("found"):
        return State(name)
    source: Mapping[str, Any] = answer["_source"]
    return State(name, _mark(source.get("loaded")), _mark(source.get("pending")), (answer["_seq_no"], answer["_primary_term"]))


def write_state(client: Any, layout: Layout, state: State) -> State:
    """Replace what was read. Errors: LostRace when it changed meanwhile."""
    from opensearchpy.exceptions import ConflictError

    body = {name: asdict(mark) if mark else None for name, mark in (("loaded", state.loaded), ("pending", state.pending))}
    params: dict[str, Any] = {"refresh": "true"}
    if state.version is None:
        params["op_type"] = "create"
    else:
        params |= {"if_seq_no": state.version[0], "if_primary_term": state.version[1]}
    try:
        with guarded(layout.state):
            answer = client.index(index=layout.state, id=state.generation, body=body, params=params)
    except Exception as error:
        if isinstance(error.__cause__, ConflictError):
            remedy = "let it finish, then publish again"
            raise LostRace("another publisher is loading", document=layout.state, stage="opensearch", remedy=remedy) from error
        raise
    return replace(state, version=(answer["_seq_no"], answer["_primary_term"]))


@dataclass(slots=True)
class Lease:
    """The right to load."""

    client: Any
    layout: Layout
    state: State
    _beat_at: float = field(default_factory=time.monotonic)

    def alias(self, kind: str) -> str:
        """What to write through."""
        assert self.state.pending
        return f"{self.layout.alias(kind)}-load-{self.state.pending.fence}"

    def beat(self) -> None:
        """A sign of life now and then. Errors: LostRace when somebody took over."""
        if time.monotonic() - self._beat_at >= BEAT_S:
            self.state = write_state(self.client, self.layout, self.state)
            self._beat_at = time.monotonic()


def claim(client: Any, layout: Layout, state: State, mark: Mark, patience_s: float) -> Lease:
    """Claim the load of a publication, after a load under way has ended or given no sign for `patience_s`. Errors: LostRace."""
    state = _wait(client, layout, state, patience_s)
    mark = replace(mark, fence=uuid.uuid4().hex[:12])
    claimed = write_state(client, layout, replace(state, pending=mark))
    for kind in KINDS:
        _fence(client, layout, kind, mark)
    if read_state(client, layout).pending != mark:
        raise LostRace("another publisher took over", document=layout.state, stage="opensearch", remedy="let it finish, then publish again")
    return Lease(client, layout, claimed)


def _fence(client: Any, layout: Layout, kind: str, mark: Mark) -> None:
    """Let one alias write to the index, and no other."""
    index, alias = layout.index(kind), layout.alias(kind)
    with guarded(index):
        others = client.indices.get_alias(index=index, name=f"{alias}-load-*", ignore=404)
        taken = [name for about in others.values() if isinstance(about, dict) for name in about.get("aliases", {})]
        remove = [{"remove": {"index": index, "alias": name}} for name in taken]
        client.indices.update_aliases(body={"actions": [*remove, {"add": {"index": index, "alias": f"{alias}-load-{mark.fence}"}}]})


def _wait(client: Any, layout: Layout, state: State, patience_s: float) -> State:
    """Waits while another loader gives signs of life: its state's version changes. No clocks of other machines are asked."""
    seen = time.monotonic()
    while state.pending and time.monotonic() - seen < patience_s:
        time.sleep(min(1.0, patience_s / 4))
        now = read_state(client, layout)
        if now.loaded != state.loaded:
            raise LostRace("another publisher was faster", document=layout.state, stage="opensearch", remedy="publish again")
        if now.version != state.version:
            state, seen = now, time.monotonic()
    return state


def _mark(value: Mapping[str, Any] | None) -> Mark | None:
    return Mark(value["id"], int(value["sequence"]), value["fence"]) if value else None
