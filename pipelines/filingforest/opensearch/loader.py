"""Brings publications into a corpus's index: the one in the making, and those that the index turns out to lack.

It lacks some when it was restored from an older snapshot, when a crash came between a load and its switch, or when another loader did.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from filingforest.config.opensearch import OpenSearchSettings
from filingforest.current import history_key, open_manifest, parse, read_current
from filingforest.errors import Corrupt, LostRace, NoPublication, NotFound, PublicationError, PublicationGone, SchemaTooNew
from filingforest.manifest import Manifest
from filingforest.opensearch import indexes
from filingforest.opensearch.acceptance import Sample, accept_count, accept_refusals, accept_samples, most_refused
from filingforest.opensearch.bulk import BulkLoader, BulkReport
from filingforest.opensearch.held import Held
from filingforest.opensearch.layout import Layout
from filingforest.opensearch.lease import Lease, claim
from filingforest.opensearch.load import Differs, Load, differing, has_units, unit_rows
from filingforest.opensearch.nodes import node_rows
from filingforest.opensearch.reading import SegmentReader
from filingforest.opensearch.state import Mark, State, read_state, write_state
from filingforest.publish.listing import outcome, publication_ids
from filingforest.publish.members import live_in
from filingforest.publish.receipts import ReceiptEntry
from filingforest.publish.targets import Change
from filingforest.store import Store

log = logging.getLogger(__name__)
NAME = "opensearch"  # the target's key in manifests
PATIENCE_S = 20.0  # without a sign from another loader, after which it counts as dead


def readable(store: Store, publication: str) -> Manifest | None:
    """A publication's manifest; None, and a warning, where it is damaged or gone: no other publication must wait for it."""
    try:
        return open_manifest(store, publication)
    except (Corrupt, NoPublication, PublicationGone, SchemaTooNew) as error:
        log.warning("%s", error)
        return None


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
        if state.loaded and not self._is_ours(state.loaded):
            message = f"{layout.alias()} holds publication {state.loaded.id}, which {self.store.url} never had"
            remedy = "give each index of the same name an opensearch.prefix of its own; where there is no other, delete the index"
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
        mark = Mark(manifest.id, manifest.sequence)
        with claim(self.client, layout, state, mark, self.settings, self.patience_s) as lease:
            if lease.replaced and lease.replaced.ready and self._was_current(lease.replaced):  # it died behind its switch
                raise LostRace("another publisher was faster", document=manifest.id, stage="opensearch", remedy="publish again")
            report, samples = self._write(lease, manifest, self._differs(lease.state, manifest, change))
            accept_refusals(self.store, manifest, report, self.settings.max_refused_share)
            self._accept(lease, manifest, report, samples)
            lease.finish()
        return report

    def _write(self, lease: Lease, manifest: Manifest, differs: Differs | None) -> tuple[BulkReport, list[Sample]]:
        """What it came to, and some of the new documents. Ends early where so many are refused that it cannot be accepted."""
        report, samples = BulkReport(), list[Sample]()
        most = most_refused(manifest, self.settings.max_refused_share)
        for kind, rows, has in (("units", unit_rows, has_units), ("trees", node_rows, _trees)):
            index = lease.layout.index(kind)
            load = Load(self.client, index, self.store, manifest, lease.state.base, rows, has, differs, lease.patience)
            done = BulkLoader(self.client, lease.alias(kind), self.settings, lease.patience).load(load.actions(), most - report.refused)
            report.add(done)
            if report.refused > most:
                break
            Held(self.client, index, lease.patience).refresh()
            refused = {letter.id for letter in done.letters}  # samples are the first of a kind, and so are letters
            samples += [(index, name, vector) for name, vector in load.samples if name not in refused]
        return report, samples

    def _accept(self, lease: Lease, manifest: Manifest, report: BulkReport, samples: Sequence[Sample]) -> None:
        def finds(sample: Sample) -> bool:
            index, name, vector = sample
            return lease.patience.ask(index, lambda: indexes.finds(self.client, index, manifest.sequence, name, vector))

        accept_samples(manifest, samples, finds)
        index = lease.layout.index()
        found = lease.patience.ask(index, lambda: indexes.count(self.client, index, manifest.sequence))
        accept_count(self.store, manifest, index, found, report.refused)

    def _counted(self, layout: Layout, state: State) -> State:
        """A load that was cut off counts not, though its publication was current: it was one that the index had lost."""
        if state.pending and state.pending.ready and self._was_current(state.pending):
            return write_state(self.client, layout, replace(state, loaded=state.pending, pending=None))
        return state

    def _missing(self, state: State) -> list[Manifest]:
        """Publications that are later than the last one loaded, in order."""
        later = sorted(name for name in publication_ids(self.store) if int(name.partition("-")[0]) > state.base)
        return [found for name in later if (found := readable(self.store, name))]

    def _was_current(self, mark: Mark) -> bool:
        """Whether CURRENT ever named it: the entry of a switch has the number of the publication that it switches to."""
        now = read_current(self.store)
        if now is None or now.entry < mark.sequence:
            return False
        if now.entry == mark.sequence:
            return now.id == mark.id
        try:
            return parse(self.store.get(history_key(mark.sequence))).id == mark.id
        except (NotFound, Corrupt):
            return False

    def _is_ours(self, mark: Mark) -> bool:
        """Whether this store ever had it: its manifest, damaged or not, a mark that it was pruned, or an entry of CURRENT."""
        try:
            open_manifest(self.store, mark.id)
        except NoPublication:
            return self._was_current(mark)
        except (Corrupt, PublicationGone, SchemaTooNew):
            return True
        return True

    def _differs(self, state: State, manifest: Manifest, change: Change) -> Differs | None:
        """What differs from the last one loaded; None where that cannot be told and everything is to be looked at."""
        if state.loaded is None:
            return None
        if change.parent == state.loaded.id:
            return Differs({d for documents in change.added.values() for d in documents} | set(change.removed), set(change.added))
        before = readable(self.store, state.loaded.id)
        if before is None:
            return None
        shared = {(s.id, s.dead) for s in before.segments} & {(s.id, s.dead) for s in manifest.segments}
        here, there = (replace(m, segments=tuple(s for s in m.segments if (s.id, s.dead) not in shared)) for m in (before, manifest))
        documents = differing(*(_outcomes(live_in(self.store, m)) for m in (here, there)))
        return Differs(documents, {segment.id for segment in there.segments})


def _outcomes(live: Mapping[str, ReceiptEntry]) -> dict[str, Any]:
    return {name: (entry.doc_version, outcome(entry)) for name, entry in live.items()}


def _trees(reader: SegmentReader) -> bool:
    return reader.has_trees
