"""What is published and what stands between two publications, for people and for downstream jobs that react to changes."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from filingforest import current, manifest
from filingforest.current import open_manifest, read_current
from filingforest.errors import Corrupt, FilingForestError, NotFound
from filingforest.manifest import Manifest
from filingforest.publish import holds
from filingforest.publish.members import live_in
from filingforest.publish.receipts import ReceiptEntry
from filingforest.store import Store

log = logging.getLogger(__name__)
PINS = "pins/"
CURRENT, PAST, NEVER, DAMAGED, PROBABLE = "current", "past", "never current", "damaged", "probably current"


@dataclass(frozen=True)
class Listed:
    """One publication. `state`: current, past, never current (its publisher lost a race or died), damaged (`problem` says how); probably
    current where CURRENT cannot be read and this is what the last switch should have made."""

    id: str
    state: str
    pinned: bool = False
    parent: str | None = None
    published_at: str | None = None
    counts: Mapping[str, int] | None = None
    problem: str | None = None


@dataclass(frozen=True)
class Shown:
    """Everything about one publication, and the holds that are active now."""

    listed: Listed
    manifest: Manifest
    holds: tuple[holds.Hold, ...]
    bytes: int


@dataclass(frozen=True)
class Diff:
    """Documents by id: only in the second, in both but other bytes or another parse, only in the first."""

    first: str
    second: str
    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]


def list_publications(store: Store) -> list[Listed]:
    """All publications whose manifest is there, oldest first; none is `current` where CURRENT cannot be read."""
    known = _Known.of(store)
    return [_listed(store, name, known) for name in publication_ids(store)]


def show(store: Store, publication: str | None = None) -> Shown:
    """One publication, the current one by default. Errors: NoPublication, PublicationGone, Corrupt, SchemaTooNew."""
    made = open_manifest(store, publication)
    return Shown(_listed(store, made.id, _Known.of(store)), made, tuple(holds.active(store)), sum(entry.bytes for entry in made.files()))


def diff(store: Store, first: str, second: str | None = None) -> Diff:
    """What changed from `first` to `second` (the current one by default). Errors as `show`."""
    before, after = open_manifest(store, first), open_manifest(store, second)
    old, new = live_in(store, before), live_in(store, after)
    changed = tuple(doc_id for doc_id in sorted(old.keys() & new.keys()) if outcome(old[doc_id]) != outcome(new[doc_id]))
    return Diff(before.id, after.id, tuple(sorted(new.keys() - old.keys())), changed, tuple(sorted(old.keys() - new.keys())))


def outcome(entry: ReceiptEntry) -> tuple[str, tuple[tuple[str, str], ...]]:
    """What makes two entries of one document the same: its bytes and what the stages made of them."""
    return entry.doc_version, tuple(sorted(entry.stages.items()))


def publication_ids(store: Store) -> list[str]:
    """Publications whose manifest is there, sorted."""
    return [key.split("/")[1] for key in store.list("publications/") if key.endswith("/" + manifest.MANIFEST)]


def once_current(store: Store) -> set[str]:
    """Publications that readers followed at some time before now."""
    now = _current(store)
    return _history(store) | ({now.previous} if now and now.previous else set())


def _history(store: Store) -> set[str]:
    return {current.parse(store.get(key)).id for key in store.list("history/")}


def pinned(store: Store) -> set[str]:
    """Publications that `prune` leaves alone."""
    return {key.removeprefix(PINS) for key in store.list(PINS)}


def pin(store: Store, publication: str) -> bool:
    """Keep a publication whatever its age; False when it is pinned already. Errors: NoPublication, PublicationGone."""
    return store.put_new(PINS + open_manifest(store, publication).id, b"")


def unpin(store: Store, publication: str) -> None:
    """Let `prune` take it again. Errors: NotFound when it is not pinned."""
    if store.stat(PINS + publication) is None:
        raise NotFound("it is not pinned", document=publication, stage="publication", remedy="`filingforest publications list` shows pins")
    store.delete(PINS + publication)


def _current(store: Store) -> current.Current | None:
    try:
        return read_current(store)
    except Corrupt as error:
        log.warning("%s", error)
        return None


def probably_current(store: Store) -> str | None:
    """Where CURRENT cannot be read: the publication of the switch after the last that is known; None where that was a rollback."""
    entry = current.damaged_current(store).entry
    found = [name for name in publication_ids(store) if int(name.partition("-")[0]) == entry]
    return found[0] if len(found) == 1 else None


@dataclass(frozen=True)
class _Known:
    """What states are told from; CURRENT is read once."""

    now: str | None
    past: frozenset[str]
    pins: frozenset[str]
    probable: str | None = None

    @classmethod
    def of(cls, store: Store) -> _Known:
        pins = frozenset(pinned(store))
        try:
            now = read_current(store)
        except Corrupt as error:
            log.warning("%s", error)
            return cls(None, frozenset(_history(store)), pins, probably_current(store))
        previous = {now.previous} if now and now.previous else set()
        return cls(now.id if now else None, frozenset(_history(store) | previous), pins)

    def state(self, name: str) -> str:
        if name == self.now:
            return CURRENT
        return PROBABLE if name == self.probable else PAST if name in self.past else NEVER


def _listed(store: Store, name: str, known: _Known) -> Listed:
    pinned = name in known.pins
    found = _tried(lambda: open_manifest(store, name))
    if isinstance(found, FilingForestError):
        return Listed(name, DAMAGED, pinned, problem=str(found))
    return Listed(name, known.state(name), pinned, found.parent, found.run.get("published_at"), found.counts)


def _tried(call: Callable[[], Manifest]) -> Any:
    try:
        return call()
    except FilingForestError as error:
        return error
