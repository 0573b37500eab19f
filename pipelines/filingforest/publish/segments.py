"""Brings about the segments that a publication needs: kept from the parent, merged from some of them, built from what is new.

What is new is built in a scratch folder from stage outputs, then merged with the segments that the layout names. The list of contents of a
segment names its documents with their stage keys: what `verify`, `diff` and `rollback` compare.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from filingforest.errors import Corrupt, FilingForestError, NotFound, PublicationError
from filingforest.manifest import SegmentEntry
from filingforest.publish import filesets
from filingforest.publish.filesets import FileSet
from filingforest.publish.layout import Held, Limits, plan
from filingforest.publish.ledger import SEGMENTS as KIND
from filingforest.publish.ledger import Placed, placed_in
from filingforest.publish.plan import digest_of
from filingforest.publish.receipts import ReceiptEntry
from filingforest.publish.segment import SEGMENT_FORMAT, build_segment, merge_segments
from filingforest.publish.segment_files import SegmentFiles
from filingforest.publish.segment_source import Source
from filingforest.publish.stage_outputs import input_of
from filingforest.publish.summary import summaries
from filingforest.schema import fingerprint
from filingforest.store import Store
from filingforest.store_steps import step
from filingforest.terms import TERMS_VERSION
from filingforest.tokens import TOKENIZER_VERSION

log = logging.getLogger(__name__)
Space = Mapping[str, Any]


@dataclass(frozen=True)
class Segment:
    """A segment of the publication in the making. `folder` has its files where it was made just now, None where it is the parent's."""

    entry: SegmentEntry
    placed: tuple[Placed, ...]
    folder: Path | None = None

    @property
    def live(self) -> list[Placed]:
        """Its documents that are not masked."""
        dead = set(self.entry.dead)
        return [p for p in self.placed if p.entry.doc_id not in dead]


@dataclass(frozen=True)
class _Built:
    """Files in a scratch folder, not in the store yet."""

    folder: Path
    files: SegmentFiles
    placed: tuple[Placed, ...]


def segment_versions() -> tuple[object, ...]:
    """What decides a segment's bytes besides its documents."""
    return ("segment", SEGMENT_FORMAT, fingerprint(), TOKENIZER_VERSION, TERMS_VERSION)


def made_with(space: Space) -> str:
    """12 hex digits over the versions and the embedding space: segments of another one are built again."""
    return hashlib.sha256(repr((segment_versions(), sorted(space.items()))).encode()).hexdigest()[:12]


def arrange(store: Store, held: Sequence[Held], new: Sequence[ReceiptEntry], space: Space, limits: Limits, scratch: Path) -> list[Segment]:
    """The segments of the next publication (see `layout`). `space` names the embedding space that all vectors must lie in.

    Errors: Corrupt for a stage output that cannot be read, PublicationError for one that was made with another model.
    """
    fresh = _build(store, new, space, scratch / "new") if new else None
    layout = plan(held, fresh.files.units if fresh else None, limits)
    kept = [Segment(replace(h.entry, dead=h.dead), tuple(h.placed)) for h in layout.kept]
    made = [_merged(store, group, fresh if i == layout.new else None, space, scratch) for i, group in enumerate(layout.merged)]
    return [*kept, *made]


def ensure_segment(store: Store, documents: Sequence[ReceiptEntry], space: Space, scratch: Path) -> Segment:
    """One segment of these documents. Errors as `arrange`."""
    return arrange(store, [], documents, space, Limits(), scratch)[0]


def heal(store: Store, entry: SegmentEntry, placed: Sequence[Placed], space: Space, scratch: Path) -> bool:
    """Write a damaged segment of the parent again, byte for byte, masked documents too; False where that cannot be done any more."""
    try:
        built = _build(store, [p.entry for p in placed], space, scratch / f"heal-{entry.id}")
        return _write(store, built, space).id == entry.id
    except (NotFound, Corrupt, PublicationError) as error:
        log.warning("segment %s cannot be written again as it was: %s", entry.id, error)
        return False


def _merged(store: Store, group: Sequence[Held], fresh: _Built | None, space: Space, scratch: Path) -> Segment:
    documents = [p.entry for held in group for p in held.placed if p.entry.doc_id in held.live]
    documents += [p.entry for p in fresh.placed] if fresh else []
    inputs = _inputs(documents, space)
    found = filesets.find(store, KIND, inputs)
    if found is not None:
        return _segment(found, filesets.local_folder(store, found.id, found.files, scratch))
    if fresh is not None and not group:
        return _segment(_write(store, fresh, space), fresh.folder)
    sources = [Source(filesets.local_folder(store, held.entry.id, held.entry.files, scratch), held.live) for held in group]
    sources += [Source(fresh.folder)] if fresh else []
    out = scratch / f"merge-{inputs}"
    with step(f"merge {KIND}/{inputs}"):
        built = _Built(out, files := _readable(sources, out, group), _placed(files, out, documents))
    return _segment(_write(store, built, space), out)


def _readable(sources: Sequence[Source], out: Path, group: Sequence[Held]) -> SegmentFiles:
    try:
        return merge_segments(sources, out)
    except FilingForestError:
        raise
    except (OSError, ValueError, KeyError) as error:
        names = ", ".join(held.entry.id for held in group)
        remedy = "`filingforest publications verify` names the damaged file; delete it, and publishing writes it again"
        raise Corrupt(f"{type(error).__name__}: {error}", document=f"segments {names}", stage="publish", remedy=remedy) from error


def _build(store: Store, documents: Sequence[ReceiptEntry], space: Space, out: Path) -> _Built:
    with step(f"build {out.name}"):
        files = build_segment([input_of(store, entry, space, out.with_name(out.name + "-spool")) for entry in documents], out)
    return _Built(out, files, _placed(files, out, documents))


def _placed(files: SegmentFiles, folder: Path, documents: Sequence[ReceiptEntry]) -> tuple[Placed, ...]:
    """The documents in the order in which they lie in the segment."""
    entries = {entry.doc_id: replace(entry, known_from="") for entry in documents}
    return tuple(Placed(entries[doc_id], summary) for doc_id, summary in zip(files.doc_ids, summaries(folder), strict=True))


def _inputs(documents: Sequence[ReceiptEntry], space: Space) -> str:
    return digest_of(documents, *segment_versions(), dict(space))


def _write(store: Store, built: _Built, space: Space) -> FileSet:
    files: dict[str, bytes | Path] = {file.name: built.folder / file.name for file in built.files.files}
    rows = {file.name: file.rows for file in built.files.files}
    about = _about(built, space)
    return filesets.write(store, KIND, _inputs([p.entry for p in built.placed], space), files, rows, about)


def _about(built: _Built, space: Space) -> dict[str, Any]:
    documents = [{**asdict(p.entry), "summary": asdict(p.summary)} for p in built.placed]
    for document in documents:
        del document["known_from"]  # the same document may be known from other dates in other receipts
    bounds = {name: getattr(built.files, name) for name in _BOUNDS}
    return {"documents": documents, "rows": dict(built.files.rows), "ciks": list(built.files.ciks), "made": made_with(space), **bounds}


_BOUNDS = ("min_year", "max_year", "min_filed", "max_filed", "units")


def _segment(found: FileSet, folder: Path) -> Segment:
    about = found.about
    bounds = {name: about[name] for name in _BOUNDS}
    files = (*found.files, found.contents)
    entry = SegmentEntry(found.id, len(about["documents"]), files=files, ciks=tuple(about["ciks"]), made=about["made"], **bounds)
    return Segment(entry, tuple(placed_in(found)), folder)
