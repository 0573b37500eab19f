"""Which publication readers follow: one small file, switched by compare-and-swap, read here by publishers and readers alike.

`CURRENT` holds the publication's id on its first line and JSON on its second: `entry` grows with every switch (also with a
rollback), so that the same content never stands there twice; `reason` says why, `previous` what stood there before. Past entries
stay under `history/`. No times. Standard library only.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from filingforest import manifest
from filingforest.errors import Corrupt, NoPublication, NotFound, PermissionDenied, PublicationGone
from filingforest.manifest import Manifest
from filingforest.store import Store

CURRENT = "CURRENT"
PUBLISHED, ROLLED_BACK = "published", "rolled back"


@dataclass(frozen=True, slots=True)
class Current:
    """One entry. `etag` is what the next switch compares with."""

    id: str
    entry: int
    reason: str = PUBLISHED
    previous: str | None = None
    etag: str | None = None

    def to_bytes(self) -> bytes:
        """As it is stored."""
        line = json.dumps({"entry": self.entry, "previous": self.previous, "reason": self.reason}, sort_keys=True)
        return f"{self.id}\n{line}\n".encode()


def read_current(store: Store) -> Current | None:
    """The entry that stands there now; None before the first publication. Errors: Corrupt, StoreError."""
    try:
        data, stat = store.read(CURRENT)
    except NotFound:
        return None
    return parse(data, stat.etag)


def parse(data: bytes, etag: str | None = None) -> Current:
    """An entry from its bytes. Errors: Corrupt."""
    try:
        name, line = data.decode().splitlines()[:2]
        about: dict[str, Any] = json.loads(line)
        return Current(name, int(about["entry"]), str(about["reason"]), about["previous"], etag)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        remedy = "`filingforest publications list` says which one it was, and `publications rollback ID` makes it current again"
        raise Corrupt(f"not an entry: {error}", document=CURRENT, stage="publication", remedy=remedy) from error


def history_key(entry: int) -> str:
    """Where a past entry is kept."""
    return f"history/{entry:06d}"


def switch(store: Store, now: Current | None, publication: str, reason: str) -> Current:
    """Make `publication` current, if `now` still is. The past entry is kept first. Errors: LostRace."""
    if now is not None and now.id:
        store.put_new(history_key(now.entry), now.to_bytes())
    following = Current(publication, now.entry + 1 if now else 1, reason, (now.id or None) if now else None)
    stat = store.swap(CURRENT, following.to_bytes(), now.etag if now else None)
    return Current(following.id, following.entry, following.reason, following.previous, stat.etag)


def damaged_current(store: Store) -> Current:
    """Stands for a CURRENT that cannot be read, so that it can be replaced: without an id, its number told from the past ones."""
    etag = store.read(CURRENT)[1].etag
    past = [int(key.rpartition("/")[2]) for key in store.list("history/")]
    return Current("", max(past, default=0) + 1, "damaged", None, etag)


def open_manifest(store: Store, publication: str | None = None) -> Manifest:
    """The manifest of `publication`, or of the current one.

    Errors: NoPublication (none yet, or never heard of), PublicationGone (pruned), SchemaTooNew, Corrupt.
    """
    if publication is None:
        now = read_current(store)
        if now is None:
            raise NoPublication(
                "nothing is published there", document=store.url, stage="publication", remedy="check the address, or run the pipeline"
            )
        publication = now.id
    try:
        return manifest.load(store.get(manifest.key(publication)), manifest.key(publication))
    except (NotFound, PermissionDenied) as error:
        if is_absent(store, error):
            raise _absent(store, publication) from error
        raise


def is_absent(store: Store, error: NotFound | PermissionDenied) -> bool:
    """Whether an object is not there, from what reading it gave.

    S3 answers 403 for what is not there to those who may get but not list: they can still read CURRENT, which is always there.
    """
    if isinstance(error, NotFound):
        return True
    try:
        return bool(store.get(CURRENT))
    except (NotFound, PermissionDenied):
        return False


def pruned_key(publication: str) -> str:
    """The mark that a publication was pruned."""
    return f"pruned/{publication}.json"


def _absent(store: Store, publication: str) -> NoPublication | PublicationGone:
    where = {"document": publication, "stage": "publication"}
    try:
        mark = store.get(pruned_key(publication))
    except (NotFound, PermissionDenied):
        mark = None
    if mark is not None:
        why = _why_gone(mark)
        return PublicationGone(why, **where, remedy="open the current publication (`refresh()`), or pin what must stay")
    return NoPublication("no such publication", **where, remedy="`filingforest publications list` names those that are there")


def _why_gone(mark: bytes) -> str:
    try:
        said = json.loads(mark)
        return f"it held {said['takedown']}, which was taken down: {said['reason']}"
    except (ValueError, TypeError, KeyError):  # pruned in the course of things; what the mark says is for people
        return "it was pruned"
