"""Takes away what a disk has damaged, so that the stages write it again, byte for byte: they are functions of their inputs."""

from __future__ import annotations

from filingforest import raw
from filingforest.bundle import read_bundle
from filingforest.errors import Corrupt, NotFound
from filingforest.stages import STAGES, stage_prefix
from filingforest.store import Store


def repair(store: Store, doc_id: str) -> list[str]:
    """Deletes the document's kept bytes and stage outputs that cannot be read; their keys."""
    gone = [key for stage in STAGES for key in store.list(stage_prefix(stage, doc_id)) if not _bundle_is_whole(store, key)]
    gone += [
        key for version in raw.versions(store, doc_id) if not _raw_is_whole(store, doc_id, version) for key in raw.keys(doc_id, version)
    ]
    for key in gone:
        store.delete(key)
    return gone


def _bundle_is_whole(store: Store, key: str) -> bool:
    try:
        bundle = read_bundle(store.get(key), key)
        for name in bundle.tables():
            bundle.table(name)
    except Corrupt:
        return False
    return True


def _raw_is_whole(store: Store, doc_id: str, version: str) -> bool:
    try:
        raw.load(store, doc_id, version)
    except (Corrupt, NotFound):
        return False
    return True
