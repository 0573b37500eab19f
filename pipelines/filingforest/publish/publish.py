"""Makes one publication of all completed receipts that are not held, and switches readers to it.

Order: segments, model, checks, statistics, ledger, other targets, manifest, read back, intent, switch of CURRENT, switch of the targets.
Every step may be cut off and repeated: files are named by their content and written once, and only the switch of CURRENT, a
compare-and-swap, is seen by readers. The loser of a race starts again from the new CURRENT; where that says the same, nothing is written.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from filingforest import __version__, manifest
from filingforest.config import Settings
from filingforest.current import PUBLISHED, Current, open_manifest, read_current, switch
from filingforest.errors import Corrupt, FilingForestError, LostRace, NoPublication, PublicationError, PublicationGone
from filingforest.manifest import FileEntry, Manifest
from filingforest.models.base import Embedder
from filingforest.publish import filesets, ledger
from filingforest.publish.checks import refuse_failures, report_of
from filingforest.publish.companions import MODELS, Configured
from filingforest.publish.draft import Draft, Past, make_draft
from filingforest.publish.intents import intent, settle
from filingforest.publish.plans import Planner, of_receipts, without_taken
from filingforest.publish.result import PublishResult, left_behind
from filingforest.publish.scratch import scratch_folder
from filingforest.publish.targets import Target, open_targets
from filingforest.store import Store

__all__ = ["MODELS", "PublishResult", "publish", "publish_without_taken"]

log = logging.getLogger(__name__)
_TRIES = 100


def publish(
    store: Store,
    settings: Settings,
    embedder: Embedder | None,
    run: Mapping[str, Any] | None = None,
    prefer: Mapping[str, str] | None = None,
    targets: Sequence[Target] | None = None,
) -> PublishResult:
    """Publish what the receipts say. `run` (who and when) stands in the manifest outside its hash; `prefer` as in `live_documents`.

    `targets` are the other places to switch (None: those that are configured).
    Errors: ChecksFailed (yesterday's publication stays), Corrupt, PublicationError, SchemaTooNew, StoreError.
    """
    companions = Configured(settings, embedder)
    return _Publisher(store, settings, lambda past: of_receipts(store, past, companions, prefer), run or {}, targets).publish()


def publish_without_taken(store: Store, settings: Settings, targets: Sequence[Target] | None = None) -> PublishResult:
    """Publish what readers have now, less what was taken down (see `plans.py`); nothing where they have none of it.

    A publication that cannot be read is left as it is: no reader can open it.
    Errors: as `publish`; ChecksFailed only where the documents that stay are not those that were written.
    """
    return _Publisher(store, settings, lambda past: without_taken(store, past, settings), {}, targets, is_takedown=True).publish()


class _Publisher:
    """One call of `publish`, with all that its attempts share."""

    def __init__(
        self,
        store: Store,
        settings: Settings,
        planner: Planner,
        run: Mapping[str, Any],
        targets: Sequence[Target] | None,
        is_takedown: bool = False,
    ) -> None:
        self.store, self.settings, self.planner, self.run, self.is_takedown = store, settings, planner, run, is_takedown
        self.targets = open_targets(store, settings) if targets is None else targets

    def publish(self) -> PublishResult:
        """As often as another publisher is faster."""
        settle(self.store, self.targets, self.settings.publish.grace_hours)
        for attempt in range(_TRIES):
            try:
                return self.publish_after(read_current(self.store))
            except LostRace:
                log.info("another publisher was faster; starting again from its publication")
                time.sleep(min(0.01 * attempt, 0.5))
        remedy = "publish from one place at a time, then run again"
        raise PublicationError("lost the race for CURRENT too often", stage="publish", remedy=remedy)

    def publish_after(self, now: Current | None) -> PublishResult:
        """One attempt, after what CURRENT says."""
        past, damage = _past(self.store, now)
        if self.is_takedown and (damage or past.manifest is None):
            return PublishResult(now.id if now else None, False, warnings=damage)
        plan = self.planner(past)
        if not plan.documents and not past.live():  # nothing to publish, or nothing more than the nothing that is published
            return (
                PublishResult.of(past.manifest, False) if past.manifest else PublishResult(now.id if now else None, False, warnings=damage)
            )
        parent = None if damage else past.manifest
        # a place that was configured after the last night, or lost it, must not wait for the next change: same content, another publication
        carried = parent is not None and all(self._carries(target, parent) for target in self.targets)
        same = parent is not None and carried and parent.inputs == plan.inputs and not past.holds_any(plan.taken)
        if parent is not None and same and filesets.is_whole(self.store, _needed(parent)):
            return PublishResult.of(parent, False, self._secured(parent))
        with scratch_folder() as scratch:
            draft = make_draft(self.store, plan, past, self.settings.publish, scratch)
        refuse_failures(draft.findings)
        if parent is not None and carried and self._is_restored(parent, draft):
            return PublishResult.of(parent, False, self._secured(parent))
        made = self._write(draft, now)
        with intent(self.store, self.targets, made.sequence, made.id, PUBLISHED):
            switch(self.store, now, made.id, PUBLISHED)
            for target in self.targets:
                target.switch(made.id)
        return PublishResult.of(made, True, (*damage, *left_behind(past.manifest, made), *self._secured(made)))

    def _carries(self, target: Target, parent: Manifest) -> bool:
        return target.name in parent.targets and (self.is_takedown or target.carries(parent))

    def _secured(self, current: Manifest) -> list[str]:
        """Warnings of what other places could not keep of it, which is published all the same. A takedown has them keep what it leaves."""
        every = [] if self.is_takedown else self.targets
        return [f"{target.name}: {warning}" for target in every for warning in target.secure(current.id)]

    def _is_restored(self, parent: Manifest, draft: Draft) -> bool:
        """Whether the parent, parts of which were missing, is whole again with the same content."""
        same = parent.content_hash() == draft.manifest.content_hash() and parent.segments == draft.manifest.segments
        if same and parent.stats and draft.manifest.stats and parent.stats.sha256 == draft.manifest.stats.sha256:
            filesets.put(self.store, parent.stats.path, draft.files["stats.zip"])
        return same and filesets.is_whole(self.store, _needed(parent))

    def _write(self, draft: Draft, now: Current | None) -> Manifest:
        """The publication's own files, the targets' share, the manifest, and a look at whether all of it can be read."""
        named = draft.manifest.numbered(now.entry + 1 if now else 1, now.id if now else None)
        about = {**self.run, "code": __version__, "published_at": datetime.now(UTC).isoformat(timespec="seconds")}
        for entry in (named.stats, named.ledger):
            if entry:
                filesets.put(self.store, entry.path, draft.files[entry.path.rpartition("/")[2]])
        prepared = {target.name: dict(target.prepare(named, draft.change)) for target in self.targets}
        made = replace(named, run=about, report=report_of(draft.findings), targets=prepared)
        self.store.put_new(manifest.key(made.id), made.to_bytes())
        back = open_manifest(self.store, made.id)
        if back.content_hash() != made.content_hash() or not filesets.is_whole(self.store, tuple(back.files())):
            raise PublicationError("what was written cannot be read back", document=made.id, stage="publish", remedy="publish again")
        return back


def _past(store: Store, now: Current | None) -> tuple[Past, tuple[str, ...]]:
    """What CURRENT names and its ledger; where that is damaged or gone, the newest publication that can be read, and a warning."""
    if now is None:
        return Past(None, ledger.load(store, None)), ()
    try:
        parent = open_manifest(store, now.id)
        return Past(parent, ledger.load(store, parent)), ()
    except (Corrupt, NoPublication, PublicationGone) as error:
        log.warning("%s", error)
        before = _newest_readable(store)
        return Past(before, ledger.load(store, before)), (f"{error}; what the receipts say was published anew",)


def _newest_readable(store: Store) -> Manifest | None:
    for name in sorted((key.split("/")[1] for key in store.list("publications/") if key.endswith("/" + manifest.MANIFEST)), reverse=True):
        try:
            return open_manifest(store, name)
        except FilingForestError as error:
            log.debug("%s", error)
    return None


def _needed(parent: Manifest) -> tuple[FileEntry, ...]:
    """What readers need of a publication: everything but the publisher's ledger."""
    return tuple(entry for entry in parent.files() if entry != parent.ledger)
