"""What a new parser, chunker, encoder or schema means for an index that is there already: which documents it touches, and at what cost.

Nothing is fetched again: stages run over the raw documents that are kept. Old outputs stay, and so do old publications; a document
that the new version cannot take keeps its old outcome. The result is one receipt more, which the next publication prefers
(`publish.plan`).
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from filingforest import raw
from filingforest.current import open_manifest
from filingforest.manifest import Manifest
from filingforest.pipeline import Night
from filingforest.publish import ledger
from filingforest.publish.members import live_in
from filingforest.publish.receipts import ReceiptEntry, write_receipt
from filingforest.runner import Entry
from filingforest.schema import fingerprint
from filingforest.store import Store

SOURCE = "migrate"


@dataclass(frozen=True)
class Cost:
    """Of a trial: documents that it took through all stages, wall and CPU seconds (of this process and its workers that ended)."""

    documents: int
    wall_s: float
    cpu_s: float

    def times(self, documents: int) -> Cost:
        """Of so many documents like these."""
        share = documents / max(1, self.documents)
        return Cost(documents, self.wall_s * share, self.cpu_s * share)


@dataclass(frozen=True)
class Plan:
    """What has to be done. `stale`: stage -> documents whose output was made by another version; `raw_bytes` of all of them, as kept."""

    publication: str
    documents: int
    stale: Mapping[str, tuple[str, ...]]
    raw_bytes: int
    segment_bytes: int
    schema_changed: bool
    entries: tuple[ReceiptEntry, ...] = field(default=(), repr=False)

    @property
    def touched(self) -> int:
        """Documents that go through at least one stage again."""
        return len(self.entries)


def plan(night: Night) -> Plan:
    """Compares the stages as they are set up now with what the current publication was made by. Errors: NoPublication, Corrupt."""
    store, now = night.store, night.fingerprints()
    manifest = open_manifest(store)
    live = _known(store, manifest)
    stale = {stage: tuple(sorted(d for d, e in live.items() if e.fingerprints.get(stage) != made)) for stage, made in now.items()}
    touched = tuple(live[doc_id] for doc_id in sorted({d for ids in stale.values() for d in ids}))
    changed = manifest.schema.get("fingerprint") != fingerprint()
    return Plan(
        manifest.id, len(live), stale, _raw_bytes(store, touched), _segment_bytes(manifest, bool(touched) or changed), changed, touched
    )


def trial(night: Night, planned: Plan, documents: int) -> Cost:
    """Takes a few documents, spread over all, through the stages and times it; what they come to is kept, so that nothing is done twice."""
    step = max(1, planned.touched // documents)
    chosen = planned.entries[::step][:documents]
    wall, cpu = time.perf_counter(), _cpu()
    through(night, chosen)
    night.close()  # its workers' time counts when they have ended
    return Cost(len(chosen), time.perf_counter() - wall, _cpu() - cpu)


def run(night: Night, planned: Plan) -> str:
    """Takes every document of the plan through the stages; the name of the receipt. Publishing is the caller's."""
    size = night.settings.night.batch_size
    batches = [planned.entries[i : i + size] for i in range(0, planned.touched, size)]
    done = [dict(entry) for batch in batches for entry in through(night, batch)]
    return write_receipt(night.store, SOURCE, planned.publication, done, planned.touched)


def through(night: Night, entries: Sequence[ReceiptEntry]) -> list[Entry]:
    """Through all stages."""
    request: Mapping[str, str] = {}
    return night.grow(request, night.embed(request, night.parse(request, [as_entry(e) for e in entries])))


def as_entry(known: ReceiptEntry) -> Entry:
    """A document at the beginning of its way."""
    return Entry(doc_id=known.doc_id, doc_version=known.doc_version, known_from=known.known_from, ref={}, stages={}, fingerprints={})


def _known(store: Store, manifest: Manifest) -> dict[str, ReceiptEntry]:
    """The live documents with the day that their receipts know them from: segments do not keep it, and by it versions are ranked."""
    known: dict[tuple[str, str], str] = {}
    for receipt in ledger.all_receipts(store, ledger.load(store, manifest)).values():
        for entry in receipt.documents:
            place = (entry.doc_id, entry.doc_version)
            known[place] = max(entry.known_from, known.get(place, ""))
    live = live_in(store, manifest)
    return {doc_id: replace(e, known_from=known.get((doc_id, e.doc_version), e.known_from)) for doc_id, e in live.items()}


def _raw_bytes(store: Store, entries: Sequence[ReceiptEntry]) -> int:
    stats = (store.stat(raw.content_key(e.doc_id, e.doc_version)) for e in entries)
    return sum(stat.size for stat in stats if stat is not None)


def _segment_bytes(manifest: Manifest, rewritten: bool) -> int:
    """At most: segments without a touched document are kept where the schema is the same."""
    return sum(entry.bytes for segment in manifest.segments for entry in segment.files) if rewritten else 0


def _cpu() -> float:
    now = os.times()
    return now.user + now.system + now.children_user + now.children_system
