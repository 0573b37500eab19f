"""Goes back to an earlier publication, and sees to it that the next night does not bring back what was withdrawn.

Holds are written first, then CURRENT is switched: a crash between the two leaves holds that the next rollback finds again, never a
publication without its holds. Beaten by another publisher it starts again from the new CURRENT.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from filingforest.current import ROLLED_BACK, Current, damaged_current, open_manifest, read_current, switch
from filingforest.errors import Corrupt, LostRace, NoPublication, PublicationError, PublicationGone, SchemaTooNew
from filingforest.manifest import Manifest
from filingforest.publish import filesets, holds, receipts
from filingforest.publish.holds import Hold, Withdrawn
from filingforest.publish.intents import intent, settle
from filingforest.publish.listing import outcome
from filingforest.publish.members import live_in
from filingforest.publish.receipts import ReceiptEntry
from filingforest.publish.targets import Target, unreached
from filingforest.store import Store

_TRIES = 100


@dataclass(frozen=True)
class RollbackResult:
    """`held` are the receipts withdrawn now, `released` those that the target has and that were held before."""

    publication: str
    previous: str
    entry: int
    held: tuple[str, ...]
    released: tuple[str, ...]
    changed: bool


def rollback(store: Store, target: str | None = None, targets: Sequence[Target] = ()) -> RollbackResult:
    """Make `target` current (by default the parent of what is current) and hold the receipts that it lacks.

    `targets` are the other places that go back too.
    A damaged CURRENT or current manifest is no obstacle where `target` is given: all receipts that the target lacks are held then.
    Errors: NoPublication, PublicationGone, Corrupt, PublicationError when files of the target are missing.
    """
    settle(store, targets)
    for _ in range(_TRIES):
        now = _current(store, target)
        if now is None:
            raise NoPublication("nothing is published there", document=store.url, stage="rollback", remedy="check the address")
        try:
            return _rollback_from(store, now, target or _parent(store, now), targets)
        except LostRace:
            continue
    raise PublicationError("lost the race for CURRENT too often", stage="rollback", remedy="stop other publishers, then roll back again")


def release(store: Store, names: Iterable[str] | None = None) -> list[Hold]:
    """Lift holds, all or those on the receipts named; the next publication has their documents again. Errors: NotFound."""
    return holds.release(store, names)


def _current(store: Store, target: str | None) -> Current | None:
    try:
        return read_current(store)
    except Corrupt:
        if target is None:
            raise
        return damaged_current(store)


def _rollback_from(store: Store, now: Current, target: str, targets: Sequence[Target]) -> RollbackResult:
    goal = open_manifest(store, target)
    if not filesets.is_whole(store, tuple(goal.files())):
        remedy = f"`filingforest publications verify {target}` names them; choose another publication"
        raise PublicationError("files of it are missing", document=target, stage="rollback", remedy=remedy)
    wanted = _holds(store, now, goal)
    standing = holds.active(store)
    released = holds.release(store, {hold.name for hold in standing if hold.receipt in goal.receipts})
    placed = [holds.place(store, hold) for hold in wanted if not any(_same(hold, other) for other in standing)]
    following = now if now.id == goal.id else _switched(store, now, goal.id, targets)
    names = tuple(hold.receipt for hold in placed), tuple(hold.receipt for hold in released)
    return RollbackResult(goal.id, now.id, following.entry, *names, changed=following is not now)


def _switched(store: Store, now: Current, goal: str, targets: Sequence[Target]) -> Current:
    with intent(store, targets, now.entry + 1, goal, ROLLED_BACK, unreached(store, targets)):
        following = switch(store, now, goal, ROLLED_BACK)
        for target in targets:
            target.back(goal)
    return following


def _holds(store: Store, now: Current, goal: Manifest) -> list[Hold]:
    live = live_in(store, goal)
    here = _manifest(store, now)
    names = here.receipts if here else receipts.names(store)  # of a damaged publication it cannot be told which receipts it had
    found = receipts.load_many(store, sorted(set(names) - set(goal.receipts)))
    return [Hold(name, now.entry, goal.id, withdrawn(receipt.documents, live)) for name, receipt in found.items()]


def _manifest(store: Store, now: Current) -> Manifest | None:
    try:
        return open_manifest(store, now.id) if now.id else None
    except (Corrupt, NoPublication, PublicationGone, SchemaTooNew):
        return None


def withdrawn(entries: Iterable[ReceiptEntry], live: Mapping[str, ReceiptEntry]) -> tuple[Withdrawn, ...]:
    """Those of `entries` that the publication with the documents `live` does not have."""
    return tuple(item for entry in entries if (item := _withdrawn(entry, live.get(entry.doc_id))) is not None)


def _withdrawn(entry: ReceiptEntry, live: ReceiptEntry | None) -> Withdrawn | None:
    if live is None or live.doc_version != entry.doc_version:
        return Withdrawn(entry.doc_id, entry.doc_version)
    return None if outcome(live) == outcome(entry) else Withdrawn(entry.doc_id, entry.doc_version, dict(entry.stages))


def _same(one: Hold, other: Hold) -> bool:
    return (one.receipt, one.withdrawn) == (other.receipt, other.withdrawn)


def _parent(store: Store, now: Current) -> str:
    here = _manifest(store, now)
    parent = here.parent if here else now.previous
    if parent is None:
        raise NoPublication("it is the first", document=now.id, stage="rollback", remedy="there is nothing before it to go back to")
    return parent
