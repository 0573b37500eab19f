"""Makes one publication of all completed receipts that are not held, and switches readers to it.

Order: segments, model, statistics, checks, manifest, read back, switch of CURRENT. Every step may be cut off and repeated: files are
named by their content and written once, and only the last step, a compare-and-swap, is seen by readers. The loser of a race starts
again from the new CURRENT; where that says the same, nothing is written.
"""

from __future__ import annotations

import hashlib
import logging
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from filingforest import __version__, manifest, schema
from filingforest.config import PublishSettings, Settings
from filingforest.current import PUBLISHED, Current, open_manifest, read_current, switch
from filingforest.errors import Corrupt, LostRace, NoPublication, PublicationError, PublicationGone
from filingforest.manifest import FileEntry, Manifest, ModelEntry
from filingforest.models.base import Embedder
from filingforest.publish import filesets, holds, receipts
from filingforest.publish.checks import refuse_failures, report_of, run_checks
from filingforest.publish.plan import digest_of, live_documents, plan_segments
from filingforest.publish.receipts import ReceiptEntry
from filingforest.publish.segments import Segment, ensure_segment, segment_versions
from filingforest.publish.stats import STATS_FILE, SegmentFolder, corpus_stats
from filingforest.store import Store
from filingforest.tokens import TOKENIZER_VERSION

log = logging.getLogger(__name__)
SCRATCH = "filingforest-publish-"
MODELS = "models"
_TRIES = 100


@dataclass(frozen=True)
class PublishResult:
    """`publication` is what readers now follow (None when nothing was ever published); `changed` whether this call switched to it."""

    publication: str | None
    changed: bool
    counts: dict[str, int] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """JSON-able."""
        key = manifest.key(self.publication) if self.publication else None
        return {
            "publication": self.publication,
            "changed": self.changed,
            "counts": self.counts,
            "warnings": list(self.warnings),
            "manifest": key,
        }


@dataclass(frozen=True)
class _Plan:
    """What a publication is made from, as it stands in the store at one moment: receipts that are not held, and what they come to."""

    receipts: dict[str, receipts.Receipt]
    holds: list[holds.Hold]
    documents: list[ReceiptEntry]
    inputs: str


def publish(
    store: Store,
    settings: Settings,
    embedder: Embedder | None,
    run: Mapping[str, Any] | None = None,
    prefer: Mapping[str, str] | None = None,
) -> PublishResult:
    """Publish what the receipts say. `run` (who and when) stands in the manifest outside its hash; `prefer` as in `live_documents`.

    Errors: ChecksFailed (yesterday's publication stays), Corrupt, PublicationError, SchemaTooNew, StoreError.
    """
    for attempt in range(_TRIES):
        now = read_current(store)
        try:
            return _publish_after(store, now, settings.publish, embedder, run or {}, prefer)
        except LostRace:
            log.info("another publisher was faster; starting again from its publication")
            time.sleep(min(0.01 * attempt, 0.5))
    raise PublicationError(
        "lost the race for CURRENT too often", stage="publish", remedy="publish from one place at a time, then run again"
    )


def _publish_after(
    store: Store,
    now: Current | None,
    limits: PublishSettings,
    embedder: Embedder | None,
    run: Mapping[str, Any],
    prefer: Mapping[str, str] | None,
) -> PublishResult:
    plan = _plan(store, embedder, prefer)
    parent = _parent(store, now)
    if parent is None and not plan.documents:
        return PublishResult(now.id if now else None, False)
    if parent is not None and parent.inputs == plan.inputs and filesets.is_whole(store, tuple(parent.files())):
        return PublishResult(parent.id, False, parent.counts, _warnings(parent))
    with tempfile.TemporaryDirectory(prefix=SCRATCH) as scratch:
        draft, stats = _draft(store, plan, limits, embedder, Path(scratch))
    if parent is not None and parent.content_hash() == draft.content_hash():
        return PublishResult(parent.id, False, parent.counts, _warnings(parent))
    made = _write(store, draft.numbered(now.entry + 1 if now else 1, now.id if now else None), stats, run)
    switch(store, now, made.id, PUBLISHED)
    return PublishResult(made.id, True, made.counts, _warnings(made))


def _plan(store: Store, embedder: Embedder | None, prefer: Mapping[str, str] | None) -> _Plan:
    held = holds.active(store)
    found = receipts.load_many(store, receipts.names(store))
    documents = live_documents(found, held, prefer)
    inputs = digest_of(documents, *segment_versions(), embedder.info.as_dict() if embedder else None, store.url.rpartition("/")[2])
    left = {hold.receipt for hold in held}
    return _Plan({name: receipt for name, receipt in found.items() if name not in left}, held, documents, inputs)


def _parent(store: Store, now: Current | None) -> Manifest | None:
    """The manifest that CURRENT names; None when it is damaged or gone, in which case a new one is the remedy."""
    try:
        return open_manifest(store, now.id) if now else None
    except (Corrupt, NoPublication, PublicationGone) as error:
        log.warning("%s", error)
        return None


def _draft(store: Store, plan: _Plan, limits: PublishSettings, embedder: Embedder | None, scratch: Path) -> tuple[Manifest, bytes]:
    """Everything but the manifest is written; what comes back has no number yet. Also the statistics' bytes."""
    space = embedder.info.as_dict() if embedder else {}
    segments = [ensure_segment(store, group, space, scratch) for group in plan_segments(plan.documents)]
    findings = run_checks(segments, plan.receipts, limits.max_missing_share)
    refuse_failures(findings)
    stats = corpus_stats([SegmentFolder(segment.folder, segment.entry.dead) for segment in segments])
    draft = Manifest(
        corpus=store.url.rpartition("/")[2],
        inputs=plan.inputs,
        schema=_schema(),
        segments=tuple(segment.entry for segment in segments),
        stats=FileEntry(STATS_FILE, len(stats), hashlib.sha256(stats).hexdigest()),
        model=_ensure_model(store, embedder) if embedder else None,
        tokenizer_version=TOKENIZER_VERSION,
        stage_versions=_stage_versions(plan.documents),
        counts=_counts(segments),
        receipts=tuple(sorted(plan.receipts)),
        holds=tuple(hold.name for hold in plan.holds),
        report=report_of(findings),
    )
    return draft, stats


def _ensure_model(store: Store, embedder: Embedder) -> ModelEntry:
    info = embedder.info.as_dict()
    inputs = hashlib.sha256(repr(sorted(info.items())).encode()).hexdigest()[:16]
    found = filesets.find(store, MODELS, inputs) or filesets.write(store, MODELS, inputs, embedder.files(), {}, {"info": info})
    return ModelEntry(found.id, found.about["info"], found.files)


def _write(store: Store, made: Manifest, stats: bytes, run: Mapping[str, Any]) -> Manifest:
    """Statistics, manifest, and a look at whether all of it can be read."""
    about = {**run, "code": __version__, "published_at": datetime.now(UTC).isoformat(timespec="seconds")}
    if made.stats:
        store.put_new(made.stats.path, stats)
    store.put_new(manifest.key(made.id), Manifest(**{**vars(made), "run": about}).to_bytes())
    back = open_manifest(store, made.id)
    if back.content_hash() != made.content_hash() or not filesets.is_whole(store, tuple(back.files())):
        raise PublicationError("what was written cannot be read back", document=made.id, stage="publish", remedy="publish again")
    return back


def _schema() -> dict[str, Any]:
    version = {"major": schema.SCHEMA_MAJOR, "minor": schema.SCHEMA_MINOR, "min_reader": schema.MIN_READER}
    return {**version, "fingerprint": schema.fingerprint()}


def _stage_versions(documents: Sequence[ReceiptEntry]) -> dict[str, Any]:
    """The fingerprints of each stage that the documents went through: one, unless a version or setting changed on the way."""
    versions: dict[str, set[str]] = {}
    for entry in documents:
        for stage, fingerprint in entry.fingerprints.items():
            versions.setdefault(stage, set()).add(fingerprint)
    return {stage: sorted(found) for stage, found in sorted(versions.items())}


def _counts(segments: Sequence[Segment]) -> dict[str, int]:
    tables = ("documents", "units", "facts", "nodes", "chunks")
    return {table: sum(segment.rows.get(table, 0) for segment in segments) for table in tables}


def _warnings(made: Manifest) -> tuple[str, ...]:
    found = [check for check in made.report.get("checks", ()) if not check["ok"]]
    return tuple(f"{check['name']}: {check['rows']} rows, {check['what']} ({', '.join(check['examples'])})" for check in found)
