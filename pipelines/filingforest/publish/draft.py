"""Everything of a publication but its number: segments, statistics, ledger, checks. Files that can be shared are written here.

What is known of the past comes from the parent's ledger; of old segments nothing is read but the rows of documents that are masked now.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from filingforest import schema
from filingforest.config import PublishSettings
from filingforest.manifest import FileEntry, Manifest
from filingforest.publish import filesets, ledger
from filingforest.publish.checks import Asked, Finding, run_checks
from filingforest.publish.companions import Companions
from filingforest.publish.counts import Counts
from filingforest.publish.flam_counts import Night
from filingforest.publish.layout import Limits, claim, outcome
from filingforest.publish.ledger import LEDGER_FILE, Ledger, Placed
from filingforest.publish.masked import counts_of
from filingforest.publish.receipts import Receipt, ReceiptEntry
from filingforest.publish.segments import Segment, arrange, heal, made_with
from filingforest.publish.stats import FIELDS, STATS_FILE, Live, stats_bytes
from filingforest.publish.targets import Change
from filingforest.store import Store
from filingforest.tokens import TOKENIZER_VERSION

log = logging.getLogger(__name__)
_COUNTED = ("units", "facts", "nodes", "chunks", "tree_nodes")


@dataclass(frozen=True)
class Past:
    """What the next publication grows from: a manifest (None: nothing, or nothing readable) and its ledger."""

    manifest: Manifest | None
    ledger: Ledger

    def segments(self) -> list[Segment]:
        """Those of its segments whose documents are known."""
        entries = self.manifest.segments if self.manifest else ()
        return [Segment(entry, tuple(self.ledger.placed[entry.id])) for entry in entries if entry.id in self.ledger.placed]

    @property
    def is_known(self) -> bool:
        """Whether the documents of all its segments are known."""
        return self.manifest is not None and all(entry.id in self.ledger.placed for entry in self.manifest.segments)

    def live(self) -> list[Placed]:
        """Documents that its readers find."""
        return [p for segment in self.segments() for p in segment.live]

    def holds_any(self, doc_ids: Collection[str]) -> bool:
        """Whether any of its segments holds one of these documents, masked or not."""
        return bool(doc_ids) and any(p.entry.doc_id in doc_ids for segment in self.segments() for p in segment.placed)


@dataclass(frozen=True)
class Plan:
    """What a publication is made from, as it stands in the store at one moment. `receipts` are those that are not held, `holds` names,
    `taken` the documents that were taken down. `is_takedown`: nothing comes in, some of it goes."""

    every: Mapping[str, Receipt]
    receipts: Mapping[str, Receipt]
    holds: Sequence[str]
    documents: Sequence[ReceiptEntry]
    inputs: str
    companions: Companions
    taken: frozenset[str] = frozenset()
    is_takedown: bool = False


@dataclass(frozen=True)
class Draft:
    """A manifest without a number, its own files by name, and what it changes."""

    manifest: Manifest
    files: Mapping[str, bytes]
    change: Change
    findings: Sequence[Finding] = field(default_factory=tuple)


def make_draft(store: Store, plan: Plan, past: Past, limits: PublishSettings, scratch: Path) -> Draft:
    """Writes segments and model, runs the checks. Errors: ChecksFailed, Corrupt, PublicationError, StoreError."""
    companions, space = plan.companions, plan.companions.space
    held, new = claim(_usable(store, past, space, scratch), plan.documents)
    held = [replace(h, tainted=any(p.entry.doc_id in plan.taken for p in h.placed)) for h in held]
    segments = arrange(store, held, new, space, limits_of(limits), scratch)
    before = [p for p in past.live() if p.entry.doc_id not in plan.taken]
    asked = Asked(segments, before, plan.receipts, limits.max_missing_share, limits.max_lost_share, plan.is_takedown)
    findings = run_checks(asked)
    change = _change(segments, past)
    masked = {s.entry.id: found for s in segments if (found := _masked(store, s, past))}
    files = {
        STATS_FILE: stats_bytes(_live(segments), [masked.get(s.entry.id, {}) for s in segments]),
        LEDGER_FILE: ledger.to_bytes(Ledger(plan.every, {s.entry.id: s.placed for s in segments}, masked)),
    }
    draft = Manifest(
        corpus=store.url.rpartition("/")[2],
        inputs=plan.inputs,
        schema=_schema(),
        segments=tuple(segment.entry for segment in segments),
        stats=_entry(STATS_FILE, files),
        model=companions.model(store),
        lexicon=companions.lexicon(store, Night(segments, past.segments() if past.is_known else (), change), past.manifest),
        reranker=companions.reranker(store),
        tokenizer_version=TOKENIZER_VERSION,
        stage_versions=_stage_versions(plan.documents),
        counts=_counts(segments),
        receipts=tuple(sorted(plan.receipts)),
        holds=tuple(plan.holds),
        ledger=_entry(LEDGER_FILE, files),
    )
    return Draft(draft, files, change, findings)


def limits_of(settings: PublishSettings) -> Limits:
    """The layout's settings."""
    return Limits(settings.segment_floor, settings.segment_ratio, settings.segment_dead_share, settings.segment_ceiling)


def _usable(store: Store, past: Past, space: Mapping[str, Any], scratch: Path) -> list[tuple[Any, Sequence[Placed]]]:
    """The parent's segments that were made as today, and are whole or could be written again."""
    found = []
    for entry in past.manifest.segments if past.manifest else ():
        placed = past.ledger.placed.get(entry.id)
        if placed is None or entry.made != made_with(space):
            log.info("segment %s was made with other versions or another encoder; its documents are built again", entry.id)
        elif filesets.is_whole(store, entry.files) or heal(store, entry, placed, space, scratch):
            found.append((entry, placed))
    return found


def _masked(store: Store, segment: Segment, past: Past) -> Mapping[str, Counts]:
    """By field the terms of a segment's masked documents: what the parent knew of it, and the difference."""
    dead = set(segment.entry.dead)
    if not dead:
        return {}
    before = next((set(s.dead) for s in (past.manifest.segments if past.manifest else ()) if s.id == segment.entry.id), set())
    known = past.ledger.masked.get(segment.entry.id)
    if known is None and before:
        before = set()
    more = counts_of(store, segment.entry, segment.placed, frozenset(dead - before))
    less = counts_of(store, segment.entry, segment.placed, frozenset(before - dead))
    return {field: Counts.total([*([known[field]] if known else []), more[field], less[field].minus()]) for field in FIELDS}


def _live(segments: Sequence[Segment]) -> Live:
    live = [p.summary for segment in segments for p in segment.live]
    return Live(*(sum(getattr(summary, name) for summary in live) for name in Live.__slots__))


def _change(segments: Sequence[Segment], past: Past) -> Change:
    before = {p.entry.doc_id: outcome(p.entry) for p in past.live()}
    now = {p.entry.doc_id: outcome(p.entry) for segment in segments for p in segment.live}
    added = {s.entry.id: tuple(p.entry.doc_id for p in s.live if before.get(p.entry.doc_id) != outcome(p.entry)) for s in segments}
    removed = tuple(sorted(doc_id for doc_id, was in before.items() if now.get(doc_id) != was))
    return Change(past.manifest.id if past.manifest else None, {name: ids for name, ids in added.items() if ids}, removed)


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
    live = [p.summary for segment in segments for p in segment.live]
    counts = {"documents": len(live), **{name: sum(getattr(summary, name) for summary in live) for name in _COUNTED}}
    return {name: count for name, count in counts.items() if count or name != "tree_nodes"}


def _entry(name: str, files: Mapping[str, bytes]) -> FileEntry:
    return FileEntry(name, len(files[name]), hashlib.sha256(files[name]).hexdigest())
