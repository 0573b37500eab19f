"""Takes a document out of everything, old publications too, leaving only the record that it was there and why it is not.

The record comes first: from then on no run takes the document in and no publication has it, whatever happens next. Then a publication of
what readers had, less this, whose segments were written again: it waits for no receipt, no check of what is new, no model. Then every
publication that holds the document goes (its readers are told why), then segments, stage outputs, kept bytes, failures and this machine's
cached files. Every step may be cut off: the same call again finishes what is left.
Receipts and ledgers keep the document's id and hash, nothing of its content: they are what `verify` compares with.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from filingforest import takedowns
from filingforest.config import Settings
from filingforest.current import open_manifest, read_current
from filingforest.errors import ConfigError, Corrupt, FilingForestError, NotFound, PublicationError
from filingforest.publish import filesets
from filingforest.publish.ledger import SEGMENTS
from filingforest.publish.listing import publication_ids
from filingforest.publish.members import documents_of
from filingforest.publish.prune import remove_publication
from filingforest.publish.publish import publish_without_taken
from filingforest.publish.targets import Target, unreached
from filingforest.query.cache import forget
from filingforest.query.files import default_cache
from filingforest.store import Store
from filingforest.takedowns import Takedown

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class TakenDown:
    """The record, the publication that readers follow now, those that are gone, and how many objects went with them."""

    record: Takedown
    publication: str | None
    gone: tuple[str, ...]
    objects: int


def take_down(
    store: Store,
    doc_id: str,
    reason: str,
    by: str,
    settings: Settings,
    targets: Sequence[Target] = (),
    here_only: bool = False,
) -> TakenDown:
    """Readers follow a publication without the document when this returns, whatever waits to be published.

    Errors: ConfigError where another place has publications of this index and is not configured here (unless `here_only`);
    PublicationError where readers would still follow one that has it; as `publish_without_taken`.
    """
    if not here_only and (absent := unreached(store, targets)):
        remedy = "set its address here (opensearch.url), so that the document goes there too; --here-only leaves that to you"
        raise ConfigError(f"{', '.join(absent)} has publications of this index and is not configured here", document=doc_id, remedy=remedy)
    taken = takedowns.record(store, doc_id, reason, by)
    result = publish_without_taken(store, settings, targets)
    segments = _segments_with(store, doc_id)
    now = read_current(store)
    holders = [name for name in publication_ids(store) if _holds(store, name, segments)]
    if now is not None and now.id in holders:
        remedy = "see why publishing does not leave it out, then run the same command again"
        raise PublicationError("the current publication still has it", document=doc_id, stage="takedown", remedy=remedy)
    for name in holders:
        remove_publication(store, name, targets, {"takedown": doc_id, "reason": taken.reason})
    for target in targets:
        target.erase(doc_id)
    _uncache(store, segments)
    # the lists of contents go last: they are how this act, cut off and repeated, knows what is left
    keys = sorted((key for name in segments for key in store.list(f"{SEGMENTS}/{name}/")), key=lambda key: key.endswith(filesets.CONTENTS))
    keys = [*_own_keys(store, doc_id), *keys]
    for key in keys:
        store.delete(key)
    return TakenDown(taken, result.publication, tuple(holders), len(keys))


def _segments_with(store: Store, doc_id: str) -> list[str]:
    """Segments that hold the document, masked or not."""
    found = []
    for name in dict.fromkeys(key.split("/")[1] for key in store.list(f"{SEGMENTS}/")):
        try:
            if any(entry.doc_id == doc_id for entry in documents_of(filesets.load(store, SEGMENTS, name))):
                found.append(name)
        except NotFound:
            continue  # half a segment: a publisher is writing it, or died, and `sweep` removes it
        except Corrupt as error:
            log.warning("%s: whether it holds %s cannot be told", error, doc_id)
    return found


def _holds(store: Store, publication: str, segments: Sequence[str]) -> bool:
    try:
        return any(segment.id in segments for segment in open_manifest(store, publication).segments)
    except FilingForestError as error:
        log.warning("%s", error)
        return False


def _own_keys(store: Store, doc_id: str) -> list[str]:
    stages = dict.fromkeys(key.split("/")[1] for key in store.list("stages/"))
    prefixes = [*(f"stages/{stage}/{doc_id}/" for stage in stages), f"raw/{doc_id}/", f"failures/{doc_id}/"]
    return [key for prefix in prefixes for key in store.list(prefix)]


def _uncache(store: Store, segments: Sequence[str]) -> None:
    """Files of those segments that readers on this machine keep."""
    for name in segments:
        try:
            found = filesets.load(store, SEGMENTS, name)
        except FilingForestError:
            continue
        for entry in (*found.files, found.contents):
            forget(default_cache(), entry.sha256)
