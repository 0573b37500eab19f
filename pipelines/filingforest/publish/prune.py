"""Gives space back: old publications go by rule, files that nobody names go after them, leftovers of crashes with `sweep`.

The manifest goes first, so that a reader gets PublicationGone rather than half a publication. A mark under `pruned/` stays for good.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from filingforest import manifest
from filingforest.current import open_manifest, pruned_key, read_current
from filingforest.errors import Corrupt, NoPublication
from filingforest.publish import receipts
from filingforest.publish.clock import PREFIX as PROBES
from filingforest.publish.clock import store_time
from filingforest.publish.filesets import CONTENTS
from filingforest.publish.flam import KIND as FLAM
from filingforest.publish.intents import settle
from filingforest.publish.ledger import SEGMENTS as KIND
from filingforest.publish.listing import CURRENT, DAMAGED, NEVER, Listed, list_publications, publication_ids
from filingforest.publish.publish import MODELS
from filingforest.publish.scratch import clean_scratch
from filingforest.publish.targets import Target
from filingforest.store import Store
from filingforest.store_folder import FolderStore

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Pruned:
    """Publications removed, objects removed with them, and their bytes. Nothing happened yet where `dry_run`."""

    publications: tuple[str, ...]
    objects: tuple[str, ...]
    bytes: int
    dry_run: bool


def prune(
    store: Store,
    keep_last: int,
    keep_days: float,
    *,
    dry_run: bool = False,
    now: float | None = None,
    targets: Sequence[Target] = (),
) -> Pruned:
    """Remove publications but the last `keep_last`, those younger than `keep_days`, the pinned and the current one.

    Then remove the segments and models that only these named, and stage outputs that no receipt names (superseded versions whose
    run was never completed) and that are older than `keep_days`. Run it while nobody publishes: a segment that a publisher is about
    to name again could go under its hands (it looks once more before it switches, and fails rather than publishing a hole).
    """
    before = (store_time(store) if now is None else now) - keep_days * 86400
    gone = _doomed(store, list_publications(store), keep_last, before)
    theirs = {folder for publication in gone for folder in _folders(store, publication)}
    if not dry_run:
        for publication in gone:
            remove_publication(store, publication, targets)
    free = theirs - _named(store, gone if dry_run else ())
    objects = [key for folder in sorted(free) for key in _contents_first(store.list(folder + "/"))]
    objects += _unnamed_outputs(store, before)
    return _delete_objects(store, gone, objects, dry_run)


def sweep(store: Store, grace_hours: float, *, dry_run: bool = False, now: float | None = None, targets: Sequence[Target] = ()) -> Pruned:
    """Remove what crashes and lost races left and nobody names: publications that were never current, segments, models, temporary files.

    A switch that was cut off is finished or undone first (see `intents.py`). What is younger than `grace_hours` stays, since a
    publisher may be writing it.
    """
    now = store_time(store) if now is None else now
    before = now - grace_hours * 3600
    if not dry_run:
        settle(store, targets, grace_hours, now)
    gone = [p.id for p in list_publications(store) if p.state == NEVER and not p.pinned and _is_older(store, p, before)]
    if not dry_run:
        for publication in gone:
            remove_publication(store, publication, targets)
        _clean_local(store, grace_hours * 3600, now)
    named = _named(store, gone)
    left = [key for kind in (KIND, MODELS, FLAM) for key in _contents_first(store.list(kind + "/")) if _folder(key) not in named]
    objects = [key for key in [*left, *_strays(store, gone)] if _older(store, key, before)]
    return _delete_objects(store, gone, objects, dry_run)


def _doomed(store: Store, listed: Sequence[Listed], keep_last: int, before: float) -> list[str]:
    whole = [p for p in listed if p.state not in (NEVER, DAMAGED)]
    last = {p.id for p in whole[len(whole) - keep_last :]} if keep_last else set()
    return [p.id for p in whole if p.state != CURRENT and not p.pinned and p.id not in last and _is_older(store, p, before)]


def _is_older(store: Store, listed: Listed, before: float) -> bool:
    """By when its manifest was written, not by what its publisher's clock said; one that is being pruned by somebody else stays."""
    return _older(store, manifest.key(listed.id), before)


def _named(store: Store, without: Iterable[str]) -> set[str]:
    """Directories that the remaining publications name. Errors: Corrupt, since nothing is safe to delete beside a damaged manifest."""
    return {folder for publication in set(publication_ids(store)) - set(without) for folder in _folders(store, publication)}


def _folders(store: Store, publication: str) -> set[str]:
    try:
        return {_folder(entry.path) for entry in open_manifest(store, publication).files() if not entry.path.startswith("publications/")}
    except NoPublication:
        return set()
    except Corrupt as error:
        remedy = f"restore {manifest.key(publication)}, or delete it when nobody reads that publication"
        raise Corrupt("what it names cannot be told, so nothing is deleted", document=publication, stage="prune", remedy=remedy) from error


def _folder(key: str) -> str:
    return "/".join(key.split("/")[:2])


def _contents_first(keys: Iterable[str]) -> list[str]:
    """The list of contents before the rest of its directory, which then never counts as a whole one."""
    return sorted(keys, key=lambda key: (_folder(key), not key.endswith("/" + CONTENTS), key))


def _strays(store: Store, gone: Iterable[str]) -> list[str]:
    """Files of publications without a manifest, and what was left of asking what time it is."""
    known = set(publication_ids(store)) | set(gone)
    return [*(key for key in store.list("publications/") if key.split("/")[1] not in known), *store.list(PROBES)]


def _older(store: Store, key: str, before: float) -> bool:
    stat = store.stat(key)
    return stat is not None and stat.modified < before


def remove_publication(store: Store, publication: str, targets: Sequence[Target] = (), why: Mapping[str, str] | None = None) -> None:
    """Its mark (with `why`, for readers that ask), its manifest, its own files, its share of the targets. The current one stays."""
    now = read_current(store)
    if now is not None and now.id == publication:  # rolled back to in this very moment
        log.warning("%s became current meanwhile and stays", publication)
        return
    mark = {"publication": publication, "pruned_at": datetime.now(UTC).isoformat(timespec="seconds"), **(why or {})}
    store.put_new(pruned_key(publication), json.dumps(mark, ensure_ascii=False).encode())
    store.delete(manifest.key(publication))
    _delete(store, list(store.list(manifest.folder(publication) + "/")))
    for target in targets:
        target.drop(publication)


def _unnamed_outputs(store: Store, before: float) -> list[str]:
    """Stage outputs that no receipt names and that are older than `before`: a run that is at work may be about to name the others."""
    named = {key for r in receipts.load_many(store, receipts.names(store)).values() for e in r.documents for key in e.stages.values()}
    return [key for key in store.list("stages/") if key not in named and _older(store, key, before)]


def _delete(store: Store, keys: Sequence[str]) -> None:
    for key in keys:
        store.delete(key)


def _delete_objects(store: Store, gone: Sequence[str], objects: Sequence[str], dry_run: bool) -> Pruned:
    size = sum(stat.size for key in objects if (stat := store.stat(key)))
    if not dry_run:
        _delete(store, objects)
    return Pruned(tuple(gone), tuple(objects), size, dry_run)


def _clean_local(store: Store, age_s: float, now: float) -> None:
    """Temporary files and scratch folders of publishers that died on this machine."""
    if isinstance(store, FolderStore):
        store.clean(older_than_s=age_s, now=now)
    clean_scratch(age_s)
