"""What of a corpus is loaded, kept in OpenSearch itself beside what it describes, so that a snapshot has both.

One document a generation: `loaded` is the last publication whose load counted, `pending` one whose load began and whose switch is
not known of yet. It changes by compare-and-swap. Whoever holds `pending` (`lease.py`) writes through an alias of its own (the fence): the
next loader takes that alias away first, so a loader that was thought dead cannot write any more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from filingforest.errors import LostRace
from filingforest.opensearch.client import guarded
from filingforest.opensearch.layout import Layout


@dataclass(frozen=True, slots=True)
class Mark:
    """A publication by id and sequence; `fence` names the load, which is `ready` once it came through."""

    id: str
    sequence: int
    fence: str = ""
    ready: bool = False


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


def _mark(value: Mapping[str, Any] | None) -> Mark | None:
    return Mark(value["id"], int(value["sequence"]), value["fence"], bool(value.get("ready"))) if value else None
