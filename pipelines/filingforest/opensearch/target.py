"""OpenSearch as a place that carries the same publication as CURRENT (see `publish/targets.py`).

Prepared before CURRENT is switched and seen by nobody: readers ask for one publication's sequence, and nothing says anything about a
sequence that no manifest names. What "switching" does is for people: the alias shows the current publication.
"""

from __future__ import annotations

import io
import logging
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from filingforest.config import Settings
from filingforest.config.opensearch import OpenSearchSettings
from filingforest.current import history_key, open_manifest, parse, read_current
from filingforest.errors import Corrupt, NoPublication, NotFound, PublicationError, PublicationGone
from filingforest.manifest import Manifest
from filingforest.opensearch import indexes, snapshots
from filingforest.opensearch.bulk import BulkLoader, BulkReport, Refused
from filingforest.opensearch.client import connect, guarded
from filingforest.opensearch.layout import KINDS, Layout
from filingforest.opensearch.load import Load, differing, unit_rows
from filingforest.opensearch.nodes import node_rows
from filingforest.opensearch.state import Mark, State, claim, read_state, write_state
from filingforest.publish.listing import outcome, publication_ids
from filingforest.publish.segments import live_in
from filingforest.publish.targets import Change
from filingforest.query.statistics import Statistics
from filingforest.store import Store

log = logging.getLogger(__name__)
NAME = "opensearch"
REFUSED = "refused/opensearch"
PATIENCE_S = 20.0  # without a sign from another loader, after which it counts as dead
RECALL = 0.9  # share of sampled new units that a search with their own vector must find


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
        layout = self._layout(manifest)
        indexes.ensure(self._client, layout)
        state = self._settled(layout)
        if manifest.sequence <= state.base:
            message = f"{layout.index()} has publication {state.loaded and state.loaded.id} already, which is later than {manifest.id}"
            remedy = "look whether two indexes share opensearch.prefix; if not, delete the index"
            raise PublicationError(message, document=manifest.id, stage="opensearch", remedy=remedy)
        report = self._load(layout, manifest, state, change)
        units, nodes = (indexes.count(self._client, layout.index(kind), manifest.sequence) for kind in KINDS)
        return {"index": layout.index(), "generation": layout.generation, "sequence": manifest.sequence, "units": units, "nodes": nodes,
                "bulk": report.to_dict()}  # fmt: skip

    def switch(self, publication: str) -> None:
        manifest = self._show(publication)
        about = manifest.targets.get(NAME)
        if self._settings.repository and about:
            snapshots.take(self._client, self._layout(manifest), self._settings.repository, publication, about["generation"])

    def back(self, publication: str) -> None:
        self._show(publication)

    def _show(self, publication: str) -> Manifest:
        manifest = open_manifest(self._store, publication)
        layout, about = self._layout(manifest), manifest.targets.get(NAME)
        if about and indexes.exists(self._client, about["index"]):
            self._settled(layout, about["generation"])
            indexes.show(self._client, layout, about["generation"], manifest.sequence)
        else:
            log.warning("publication %s is not in OpenSearch: the alias %s shows nothing now", publication, layout.alias())
            indexes.hide(self._client, layout)
        return manifest

    def drop(self, publication: str) -> None:
        """Units that only publications like it had are deleted; indexes of layouts that no publication has any more, too."""
        layout = self._layout(None)
        kept = self._kept(publication)
        for index in indexes.generations(self._client, layout):
            generation = index.rpartition("-")[2]
            state = read_state(self._client, layout, generation)
            # what is open is so until the next load, whatever became of the publication
            bases = {mark.sequence for mark in (state.loaded, state.pending) if mark and (mark is state.loaded or mark.id != publication)}
            if sequences := kept.get(index):
                for kind in KINDS:
                    if indexes.exists(self._client, f"{layout.alias(kind)}-{generation}"):
                        indexes.delete_hidden(self._client, f"{layout.alias(kind)}-{generation}", sequences | bases)
            elif kept:
                indexes.remove(self._client, layout, generation)
        if self._settings.repository:
            snapshots.forget(self._client, layout, self._settings.repository, publication)

    def erase(self, doc_id: str) -> None:
        """From every index and every snapshot; a new snapshot of what is left is taken."""
        layout = self._layout(None)
        for index in [name for kind in KINDS for name in indexes.generations(self._client, layout, kind)]:
            indexes.delete_document(self._client, index, doc_id)
        if self._settings.repository:
            now = read_current(self._store)
            snapshots.forget_all(self._client, layout, self._settings.repository)
            if now:
                manifest = open_manifest(self._store, now.id)
                if NAME in manifest.targets:
                    snapshots.take(self._client, layout, self._settings.repository, now.id, manifest.targets[NAME]["generation"])

    def _layout(self, manifest: Manifest | None) -> Layout:
        return Layout.of(self._corpus, self._settings, manifest.model.info if manifest and manifest.model else None)

    def _settled(self, layout: Layout, generation: str | None = None) -> State:
        """The state after everything that was published has been counted: a load whose switch was cut off, and publications that the
        index lacks (it was restored from an older snapshot, or another loader came between a load and its switch).

        Errors: PublicationError where the index is another's.
        """
        state = self._counted(layout, read_state(self._client, layout, generation))
        if state.loaded and not self._is_ours(state.loaded.id):
            message = f"{layout.alias()} holds publication {state.loaded.id}, which {self._store.url} never had"
            remedy = "give each index of the same name an opensearch.prefix of its own"
            raise PublicationError(message, document=layout.corpus, stage="opensearch", remedy=remedy)
        if state.generation != layout.generation:  # made with other settings: it can be shown, not loaded
            return state
        for manifest in self._missing(state):
            if manifest.targets.get(NAME, {}).get("index") == layout.index() and self._was_current(Mark(manifest.id, manifest.sequence)):
                log.warning("opensearch: publication %s was lost there and is loaded again", manifest.id)
                self._load(layout, manifest, state, Change())
                state = self._counted(layout, read_state(self._client, layout, generation))
        return state

    def _counted(self, layout: Layout, state: State) -> State:
        if state.pending and self._was_current(state.pending):
            return write_state(self._client, layout, replace(state, loaded=state.pending, pending=None))
        return state

    def _missing(self, state: State) -> list[Manifest]:
        """Publications that are later than the last one loaded, in order."""
        later = sorted(name for name in publication_ids(self._store) if int(name.partition("-")[0]) > state.base)
        return [open_manifest(self._store, name) for name in later]

    def _load(self, layout: Layout, manifest: Manifest, state: State, change: Change) -> BulkReport:
        lease = claim(self._client, layout, state, Mark(manifest.id, manifest.sequence), self.patience_s)
        changed = self._changed(lease.state, manifest, change)
        report, samples = BulkReport(), []
        for kind, rows in (("units", unit_rows), ("trees", node_rows)):
            load = Load(self._client, layout.index(kind), self._store, manifest, lease.state.base, rows, changed)
            report.add(BulkLoader(self._client, lease.alias(kind), self._settings, beat=lease.beat).load(load.actions()))
            with guarded(layout.index(kind)):
                self._client.indices.refresh(index=layout.index(kind))
            samples += [(layout.index(kind), *sample) for sample in load.samples]
        self._gate(manifest, report)
        refused = {item.id for item in report.refused}
        self._find(manifest, [sample for sample in samples if sample[1] not in refused])
        self._count(layout, manifest, report)
        return report

    def _was_current(self, mark: Mark) -> bool:
        """Whether CURRENT ever named it: the entry of a switch has the number of the publication that it switches to."""
        now = read_current(self._store)
        if now is None or now.entry < mark.sequence:
            return False
        if now.entry == mark.sequence:
            return now.id == mark.id
        try:
            return parse(self._store.get(history_key(mark.sequence))).id == mark.id
        except NotFound:
            return False

    def _is_ours(self, publication: str) -> bool:
        try:
            open_manifest(self._store, publication)
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
            before = open_manifest(self._store, state.loaded.id)
        except (Corrupt, NoPublication, PublicationGone):
            return None
        shared = {(s.id, s.dead) for s in before.segments} & {(s.id, s.dead) for s in manifest.segments}
        here, there = (
            live_in(self._store, replace(m, segments=tuple(s for s in m.segments if (s.id, s.dead) not in shared)))
            for m in (before, manifest)
        )
        return differing(
            {name: (entry.doc_version, outcome(entry)) for name, entry in here.items()},
            {name: (entry.doc_version, outcome(entry)) for name, entry in there.items()},
        )

    def _gate(self, manifest: Manifest, report: BulkReport) -> None:
        if not report.refused:
            return
        key = f"{REFUSED}/{manifest.id}.parquet"
        self._store.delete(key)
        self._store.put_new(key, refused_parquet(report.refused))
        share = len(report.refused) / max(1, report.items + len(report.refused))
        first = report.refused[0]
        message = f"{len(report.refused)} documents refused ({share:.1%}), the first: {first.id}: {first.reason[:200]}"
        if share > self._settings.max_refused_share:
            raise PublicationError(message, document=manifest.id, stage="opensearch", remedy=f"see {key}, which has every reason")
        log.warning("%s; see %s", message, key)

    def _count(self, layout: Layout, manifest: Manifest, report: BulkReport) -> None:
        """As many units as the publication's statistics count. Errors: PublicationError."""
        found = indexes.count(self._client, layout.index(), manifest.sequence)
        wanted = Statistics.read(self._store.get(manifest.stats.path)).units if manifest.stats else 0
        if not wanted - len(report.refused) <= found <= wanted:
            remedy = "publish again; if it says so again, delete the index, and publish again"
            message = f"{layout.index()} has {found} units of it, {wanted} are published"
            raise PublicationError(message, document=manifest.id, stage="opensearch", remedy=remedy)

    def _find(self, manifest: Manifest, samples: list[tuple[str, str, list[float]]]) -> None:
        """Some of the new documents (index, id, vector) are found by their own vectors. Errors: PublicationError."""
        hits = sum(indexes.finds(self._client, index, manifest.sequence, name, vector) for index, name, vector in samples)
        if hits < RECALL * len(samples):
            message = f"of {len(samples)} new documents {hits} are found by their own vectors"
            raise PublicationError(message, document=manifest.id, stage="opensearch", remedy="raise opensearch.ef_construction or m")

    def _kept(self, without: str) -> dict[str, set[int]]:
        """Sequences of the publications that remain, by index."""
        kept: dict[str, set[int]] = {}
        for name in set(publication_ids(self._store)) - {without}:
            try:
                manifest = open_manifest(self._store, name)
            except (NoPublication, PublicationGone):
                continue
            if about := manifest.targets.get(NAME):
                kept.setdefault(about["index"], set()).add(manifest.sequence)
        return kept


def refused_parquet(refused: Iterable[Refused]) -> bytes:
    """The dead letters: one row a refused document, with status, kind and reason."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = ("id", "document", "op", "status", "kind", "reason")
    rows = [{name: getattr(item, name) for name in names} for item in refused]
    schema = pa.schema([(name, pa.int32() if name == "status" else pa.string()) for name in names])
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), sink, compression="zstd")
    return sink.getvalue()
