"""What a rollback withdrew stays away until it is released, whichever run brings it again.

A hold names a receipt and those of its documents that the publication rolled back to does not have. Documents are held by version,
since a later run with another interval may list them too. `holds/{receipt}.{entry}.json` is written once, `.released` beside it lifts it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
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
    """`entry` is the entry of CURRENT that the rollback met, `target` what it went back to; `number` tells holds of one entry apart."""

    receipt: str
    entry: int
    target: str
    withdrawn: tuple[Withdrawn, ...] = ()
    number: int = 0

    @property
    def name(self) -> str:
        return f"{self.receipt}.{self.entry:06d}" + (f".{self.number}" if self.number else "")


def key(name: str) -> str:
    """Where a hold lies."""
    return f"{PREFIX}{name}.json"


def place(store: Store, hold: Hold) -> Hold:
    """Write a hold, under the next number where its name is taken by another one or was released."""
    while True:
        data = (json.dumps(asdict(hold), ensure_ascii=False, sort_keys=True, indent=1) + "\n").encode()
        if store.put_new(key(hold.name), data):
            return hold
        if store.get(key(hold.name)) == data and store.stat(key(hold.name) + _RELEASED) is None:
            return hold
        hold = replace(hold, number=hold.number + 1)


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
        return Hold(value["receipt"], int(value["entry"]), value["target"], withdrawn, int(value["number"]))
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
