"""OpenSearch as a place that carries the same publication as CURRENT (see `publish/targets.py`).

Prepared before CURRENT is switched and seen by nobody: readers ask for one publication's sequence, and nothing says anything about a
sequence that no manifest names. What "switching" does is for people: the alias shows the current publication.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from filingforest.config import Settings
from filingforest.config.opensearch import OpenSearchSettings
from filingforest.current import open_manifest, read_current
from filingforest.errors import FilingForestError, PublicationError
from filingforest.manifest import Manifest
from filingforest.opensearch import erasing, indexes, snapshots
from filingforest.opensearch.client import connect
from filingforest.opensearch.layout import KINDS, Layout
from filingforest.opensearch.loader import NAME, PATIENCE_S, Loader, readable
from filingforest.opensearch.state import read_state
from filingforest.publish.listing import publication_ids
from filingforest.publish.targets import Change
from filingforest.store import Store

__all__ = ["NAME", "OpenSearchTarget", "open_target"]

log = logging.getLogger(__name__)


def open_target(store: Store, settings: Settings) -> OpenSearchTarget | None:
    """The target that settings name; None where they name none."""
    return OpenSearchTarget(store, settings.opensearch) if settings.opensearch.url else None


class OpenSearchTarget:
    """One corpus in one OpenSearch. Errors: PublicationError, LostRace, StoreUnavailable, PermissionDenied, StoreError."""

    def __init__(self, store: Store, settings: OpenSearchSettings, client: Any = None) -> None:
        self._store, self._settings = store, settings
        self._client = client or connect(settings)
        self._corpus = store.url.rpartition("/")[2]
        self.patience_s = PATIENCE_S

    @property
    def name(self) -> str:
        return NAME

    def prepare(self, manifest: Manifest, change: Change) -> Mapping[str, Any]:
        layout, loader = self._layout(manifest), self._loader()
        indexes.ensure(self._client, layout)
        state = loader.settled(layout)
        if manifest.sequence <= state.base:
            message = f"{layout.index()} has publication {state.loaded and state.loaded.id} already, which is later than {manifest.id}"
            remedy = "look whether two indexes share opensearch.prefix; if not, delete the index"
            raise PublicationError(message, document=manifest.id, stage="opensearch", remedy=remedy)
        report = loader.load(layout, manifest, state, change)
        units, nodes = (indexes.count(self._client, layout.index(kind), manifest.sequence) for kind in KINDS)
        return {"index": layout.index(), "generation": layout.generation, "sequence": manifest.sequence, "units": units, "nodes": nodes,
                "bulk": report.to_dict()}  # fmt: skip

    def carries(self, manifest: Manifest) -> bool:
        about = manifest.targets[NAME]
        wanted = int(about["units"]) + int(about["nodes"])
        return indexes.shows(self._client, about["index"], manifest.sequence) >= wanted

    def switch(self, publication: str) -> None:
        self._show(publication)

    def back(self, publication: str) -> None:
        self._show(publication)

    def secure(self, publication: str) -> list[str]:
        """Its snapshot is taken, where a repository is named and it has none."""
        if not self._settings.repository:
            return []
        try:
            manifest = open_manifest(self._store, publication)
            if about := manifest.targets.get(NAME):
                snapshots.take(self._client, self._layout(manifest), self._settings.repository, publication, about["generation"])
        except FilingForestError as error:
            log.warning("no snapshot of %s: %s", publication, error)
            return [f"no snapshot of it in {self._settings.repository}: {error}; the next run tries again"]
        return []

    def catch_up(self) -> None:
        """Load what is published and not there, into an empty cluster everything, and let the alias show CURRENT."""
        now = open_manifest(self._store)
        layout = self._layout(now)
        indexes.ensure(self._client, layout)
        self._loader().settled(layout)
        self._show(now.id)

    def drop(self, publication: str) -> None:
        """Units that only publications like it had are deleted; indexes of layouts that no publication has any more, too."""
        layout = self._layout(None)
        kept, unknown = self._kept(publication)
        for index in indexes.generations(self._client, layout):
            generation = index.rpartition("-")[2]
            state = read_state(self._client, layout, generation)
            # what is open is so until the next load, whatever became of the publication
            bases = {mark.sequence for mark in (state.loaded, state.pending) if mark and (mark is state.loaded or mark.id != publication)}
            if sequences := kept.get(index, set()) | unknown:
                for kind in KINDS:
                    if indexes.exists(self._client, f"{layout.alias(kind)}-{generation}"):
                        indexes.delete_hidden(self._client, f"{layout.alias(kind)}-{generation}", sequences | bases)
            elif kept:
                indexes.remove(self._client, layout, generation)
        self._forget(publication)

    def erase(self, doc_id: str) -> None:
        """From every index and every snapshot; a new snapshot of what is left is taken."""
        layout = self._layout(None)
        erasing.erase(self._client, layout, [doc_id])
        if self._settings.repository:
            snapshots.forget_all(self._client, layout, self._settings.repository)
            if now := read_current(self._store):
                self.secure(now.id)

    def _forget(self, publication: str) -> None:
        """Its snapshot goes, too; where that fails, the rest of pruning does not wait for it."""
        if self._settings.repository:
            try:
                snapshots.forget(self._client, self._layout(None), self._settings.repository, publication)
            except FilingForestError as error:
                log.warning("the snapshot of %s, which was pruned, is still there: %s", publication, error)

    def _show(self, publication: str) -> None:
        layout = self._layout(None)
        manifest = readable(self._store, publication)
        if manifest is None:
            log.warning("what %s is in OpenSearch cannot be told: the alias %s shows what it showed", publication, layout.alias())
        elif (about := manifest.targets.get(NAME)) and indexes.exists(self._client, about["index"]):
            self._loader().settled(self._layout(manifest), about["generation"])
            indexes.show(self._client, layout, about["generation"], manifest.sequence)
        else:
            log.warning("publication %s is not in OpenSearch: the alias %s shows nothing now", publication, layout.alias())
            indexes.hide(self._client, layout)

    def _layout(self, manifest: Manifest | None) -> Layout:
        return Layout.of(self._corpus, self._settings, manifest.model.info if manifest and manifest.model else None)

    def _loader(self) -> Loader:
        return Loader(self._store, self._settings, self._client, self.patience_s)

    def _kept(self, without: str) -> tuple[dict[str, set[int]], set[int]]:
        """Sequences of the publications that remain, by index; those whose manifest cannot be read may be in any."""
        kept: dict[str, set[int]] = {}
        unknown: set[int] = set()
        for name in set(publication_ids(self._store)) - {without}:
            manifest = readable(self._store, name)
            if manifest is None:
                unknown.add(int(name.partition("-")[0]))
            elif about := manifest.targets.get(NAME):
                kept.setdefault(about["index"], set()).add(manifest.sequence)
        return kept, unknown
