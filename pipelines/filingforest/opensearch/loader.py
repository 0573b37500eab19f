"""Brings publications into a corpus's index: the one in the making, and those that the index turns out to lack.

It lacks some when it was restored from an older snapshot, when a crash came between a load and its switch, or when another loader did.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import Any

from filingforest.config.opensearch import OpenSearchSettings
from filingforest.current import history_key, open_manifest, parse, read_current
from filingforest.errors import Corrupt, NoPublication, NotFound, PublicationError, PublicationGone
from filingforest.manifest import Manifest
from filingforest.opensearch.acceptance import accept_count, accept_refusals, accept_samples
from filingforest.opensearch.bulk import BulkLoader, BulkReport
from filingforest.opensearch.client import guarded
from filingforest.opensearch.layout import Layout
from filingforest.opensearch.load import Load, differing, unit_rows
from filingforest.opensearch.nodes import node_rows
from filingforest.opensearch.state import Mark, State, claim, read_state, write_state
from filingforest.publish.listing import outcome, publication_ids
from filingforest.publish.members import live_in
from filingforest.publish.targets import Change
from filingforest.store import Store

log = logging.getLogger(__name__)
NAME = "opensearch"  # the target's key in manifests
PATIENCE_S = 20.0  # without a sign from another loader, after which it counts as dead


@dataclass(frozen=True)
class Loader:
    """One corpus in one OpenSearch. Errors: PublicationError, LostRace, StoreUnavailable, PermissionDenied, StoreError."""

    store: Store
    settings: OpenSearchSettings
    client: Any
    patience_s: float = PATIENCE_S

    def settled(self, layout: Layout, generation: str | None = None) -> State:
        """The state after everything that was published has been counted: a load whose switch was cut off, and publications that the
        index lacks.

        Errors: PublicationError where the index is another's.
        """
        state = self._counted(layout, read_state(self.client, layout, generation))
        if state.loaded and not self._is_ours(state.loaded.id):
            message = f"{layout.alias()} holds publication {state.loaded.id}, which {self.store.url} never had"
            remedy = "give each index of the same name an opensearch.prefix of its own"
            raise PublicationError(message, document=layout.corpus, stage="opensearch", remedy=remedy)
        if state.generation != layout.generation:  # made with other settings: it can be shown, not loaded
            return state
        for manifest in self._missing(state):
            if manifest.targets.get(NAME, {}).get("index") == layout.index() and self._was_current(Mark(manifest.id, manifest.sequence)):
                log.warning("opensearch: publication %s was lost there and is loaded again", manifest.id)
                self.load(layout, manifest, state, Change())
                state = self._counted(layout, read_state(self.client, layout, generation))
        return state

    def load(self, layout: Layout, manifest: Manifest, state: State, change: Change) -> BulkReport:
        """Write what one publication has and the last one loaded has not, and look whether it came through."""
        lease = claim(self.client, layout, state, Mark(manifest.id, manifest.sequence), self.patience_s)
        changed = self._changed(lease.state, manifest, change)
        report, samples = BulkReport(), []
        for kind, rows in (("units", unit_rows), ("trees", node_rows)):
            load = Load(self.client, layout.index(kind), self.store, manifest, lease.state.base, rows, changed)
            report.add(BulkLoader(self.client, lease.alias(kind), self.settings, beat=lease.beat).load(load.actions()))
            with guarded(layout.index(kind)):
                self.client.indices.refresh(index=layout.index(kind))
            samples += [(layout.index(kind), *sample) for sample in load.samples]
        accept_refusals(self.store, manifest, report, self.settings.max_refused_share)
        refused = {item.id for item in report.refused}
        accept_samples(self.client, manifest, [sample for sample in samples if sample[1] not in refused])
        accept_count(self.client, self.store, layout.index(), manifest, len(report.refused))
        return report

    def _counted(self, layout: Layout, state: State) -> State:
        if state.pending and self._was_current(state.pending):
            return write_state(self.client, layout, replace(state, loaded=state.pending, pending=None))
        return state

    def _missing(self, state: State) -> list[Manifest]:
        """Publications that are later than the last one loaded, in order."""
        later = sorted(name for name in publication_ids(self.store) if int(name.partition("-")[0]) > state.base)
        return [open_manifest(self.store, name) for name in later]

    def _was_current(self, mark: Mark) -> bool:
        """Whether CURRENT ever named it: the entry of a switch has the number of the publication that it switches to."""
        now = read_current(self.store)
        if now is None or now.entry < mark.sequence:
            return False
        if now.entry == mark.sequence:
            return now.id == mark.id
        try:
            return parse(self.store.get(history_key(mark.sequence))).id == mark.id
        except NotFound:
            return False

    def _is_ours(self, publication: str) -> bool:
        try:
            open_manifest(self.store, publication)
        except PublicationGone:
            return True
        except NoPublication:
            return False
        return True

    def _changed(self, state: State, manifest: Manifest, change: Change) -> set[str] | None:
        """Documents that differ from the last one loaded; None where that cannot be told and all are to be looked at."""
        if state.loaded is None:
            return None
        if change.parent == state.loaded.id:
            return {d for documents in change.added.values() for d in documents} | set(change.removed)
        try:
            before = open_manifest(self.store, state.loaded.id)
        except (Corrupt, NoPublication, PublicationGone):
            return None
        shared = {(s.id, s.dead) for s in before.segments} & {(s.id, s.dead) for s in manifest.segments}
        here, there = (
            live_in(self.store, replace(m, segments=tuple(s for s in m.segments if (s.id, s.dead) not in shared)))
            for m in (before, manifest)
        )
        return differing(
            {name: (entry.doc_version, outcome(entry)) for name, entry in here.items()},
            {name: (entry.doc_version, outcome(entry)) for name, entry in there.items()},
        )
