"""What a rollback withdrew stays away until it is released, whichever run brings it again.

A hold names a receipt and those of its documents that the publication rolled back to does not have. Documents are held by version,
since a later run with another interval may list them too. `holds/{receipt}.{entry}.json` is written once, `.released` beside it lifts it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from filingforest.errors import Corrupt, NotFound
from filingforest.publish.receipts import ReceiptEntry
from filingforest.store import Store

PREFIX = "holds/"
_RELEASED = ".released"


@dataclass(frozen=True)
class Withdrawn:
    """A document's version that is held; with `stages` only that outcome of it (another parse of the same bytes is live)."""

    doc_id: str
    doc_version: str
    stages: Mapping[str, str] | None = None

    def covers(self, entry: ReceiptEntry) -> bool:
        """Whether `entry` is what was withdrawn."""
        same = (entry.doc_id, entry.doc_version) == (self.doc_id, self.doc_version)
        return same and (self.stages is None or dict(self.stages) == dict(entry.stages))


@dataclass(frozen=True)
class Hold:
    """`entry` is the entry of CURRENT that the rollback met; `target` what it went back to."""

    receipt: str
    entry: int
    target: str
    withdrawn: tuple[Withdrawn, ...] = ()

    @property
    def name(self) -> str:
        return f"{self.receipt}.{self.entry:06d}"


def key(name: str) -> str:
    """Where a hold lies."""
    return f"{PREFIX}{name}.json"


def place(store: Store, hold: Hold) -> bool:
    """Write a hold; False when it is there already."""
    data = json.dumps(asdict(hold), ensure_ascii=False, sort_keys=True, indent=1) + "\n"
    return store.put_new(key(hold.name), data.encode())


def active(store: Store) -> list[Hold]:
    """Holds that are not released, sorted by name."""
    found = list(store.list(PREFIX))
    released = {name.removesuffix(_RELEASED) for name in found if name.endswith(_RELEASED)}
    return [
        load(store, name.removeprefix(PREFIX).removesuffix(".json")) for name in found if name.endswith(".json") and name not in released
    ]


def load(store: Store, name: str) -> Hold:
    """One hold, released or not. Errors: NotFound, Corrupt."""
    try:
        value: dict[str, Any] = json.loads(store.get(key(name)))
        withdrawn = tuple(Withdrawn(w["doc_id"], w["doc_version"], w["stages"]) for w in value["withdrawn"])
        return Hold(value["receipt"], int(value["entry"]), value["target"], withdrawn)
    except (ValueError, KeyError, TypeError) as error:
        raise Corrupt(f"not a hold: {error}", document=key(name), stage="publish", remedy="delete it and roll back again") from error


def release(store: Store, wanted: Iterable[str] | None = None) -> list[Hold]:
    """Lift the holds on these receipts (or with these names), or all; what was lifted. Errors: NotFound for a name that is not held."""
    holds = active(store)
    if wanted is not None:
        asked = set(wanted)
        unknown = sorted(asked - {hold.receipt for hold in holds} - {hold.name for hold in holds})
        if unknown:
            raise NotFound(f"not held: {', '.join(unknown)}", stage="publish", remedy="`filingforest publications list` names what is held")
        holds = [hold for hold in holds if asked & {hold.receipt, hold.name}]
    for hold in holds:
        store.put_new(key(hold.name) + _RELEASED, b"")
    return holds
