"""Builds the segments that a publication needs and are not there yet, in a scratch folder, and writes them to the store.

The list of contents of a segment names its documents with their stage keys: what `verify`, `diff` and `rollback` compare.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from filingforest.bundle import Bundle, read_bundle
from filingforest.errors import PublicationError
from filingforest.manifest import Manifest, SegmentEntry
from filingforest.publish import filesets
from filingforest.publish.filesets import FileSet
from filingforest.publish.plan import digest_of
from filingforest.publish.receipts import ReceiptEntry
from filingforest.publish.segment import SEGMENT_FORMAT, SegmentInput, build_segment
from filingforest.publish.segment_files import SegmentFiles
from filingforest.schema import fingerprint
from filingforest.store import Store
from filingforest.store_steps import step
from filingforest.terms import TERMS_VERSION
from filingforest.tokens import TOKENIZER_VERSION

KIND = "segments"


@dataclass(frozen=True)
class Segment:
    """A segment that is in the store, with a local folder of its files. `rows` counts each table's rows."""

    entry: SegmentEntry
    folder: Path
    documents: tuple[ReceiptEntry, ...]
    rows: Mapping[str, int]


def segment_versions() -> tuple[object, ...]:
    """What decides a segment's bytes besides its documents."""
    return ("segment", SEGMENT_FORMAT, fingerprint(), TOKENIZER_VERSION, TERMS_VERSION)


def ensure_segment(store: Store, documents: Sequence[ReceiptEntry], space: Mapping[str, Any], scratch: Path) -> Segment:
    """The segment of `documents`, found or built. `space` names the embedding space that all vectors must lie in.

    Errors: Corrupt for a stage output that cannot be read, PublicationError for one that was made with another model.
    """
    inputs = digest_of(documents, *segment_versions(), dict(space))
    found = filesets.find(store, KIND, inputs)
    if found is None:
        folder = scratch / f"build-{inputs}"
        found = _build(store, documents, inputs, space, folder)
    else:
        folder = filesets.local_folder(store, found, scratch)
    return Segment(_entry(found), folder, documents_of(found), found.about["rows"])


def documents_of(found: FileSet) -> tuple[ReceiptEntry, ...]:
    """The documents of a segment, as their receipts had them."""
    return tuple(ReceiptEntry.from_dict(value) for value in found.about["documents"])


def live_in(store: Store, manifest: Manifest) -> dict[str, ReceiptEntry]:
    """The documents of a publication by id, read from its segments' lists of contents."""
    live: dict[str, ReceiptEntry] = {}
    for segment in manifest.segments:
        dead = set(segment.dead)
        live |= {d.doc_id: d for d in documents_of(filesets.load(store, KIND, segment.id)) if d.doc_id not in dead}
    return live


def _build(store: Store, documents: Sequence[ReceiptEntry], inputs: str, space: Mapping[str, Any], out: Path) -> FileSet:
    with step(f"build {KIND}/{inputs}"):
        built = build_segment([_input(store, entry, space) for entry in documents], out)
    files: dict[str, bytes | Path] = {file.name: out / file.name for file in built.files}
    rows = {file.name: file.rows for file in built.files}
    return filesets.write(store, KIND, inputs, files, rows, _about(built, documents))


def _about(built: SegmentFiles, documents: Sequence[ReceiptEntry]) -> dict[str, Any]:
    entries = [{name: value for name, value in asdict(d).items() if name != "known_from"} for d in sorted(documents, key=_doc_id)]
    bounds = {name: getattr(built, name) for name in ("min_year", "max_year", "min_filed", "max_filed", "units")}
    return {"documents": entries, "rows": dict(built.rows), "ciks": list(built.ciks), **bounds}


def _doc_id(entry: ReceiptEntry) -> str:
    return entry.doc_id


def _entry(found: FileSet) -> SegmentEntry:
    about = found.about
    bounds = {name: about[name] for name in ("min_year", "max_year", "min_filed", "max_filed", "units")}
    return SegmentEntry(
        id=found.id, documents=len(about["documents"]), files=(*found.files, found.contents), ciks=tuple(about["ciks"]), **bounds
    )


def _input(store: Store, entry: ReceiptEntry, space: Mapping[str, Any]) -> SegmentInput:
    def load(stage: str) -> Callable[[], Bundle]:
        return lambda: read_bundle(store.get(entry.stages[stage]), f"{entry.doc_id} ({entry.stages[stage]})")

    if "parsed" not in entry.stages:
        raise PublicationError("its receipt names no parse", document=entry.doc_id, stage="publish", remedy="run its interval again")
    chunks = load("chunks") if "chunks" in entry.stages else None
    embeddings = _checked(entry, load("embeddings"), space) if "embeddings" in entry.stages else None
    trees = load("trees") if "trees" in entry.stages else None
    return SegmentInput(entry.doc_id, entry.doc_version, load("parsed"), chunks, embeddings, trees)


def _checked(entry: ReceiptEntry, load: Callable[[], Bundle], space: Mapping[str, Any]) -> Callable[[], Bundle]:
    def checked() -> Bundle:
        bundle = load()
        table = bundle.table("embeddings").select(["model", "revision"])
        made = {(row["model"], row["revision"]) for row in table.group_by(["model", "revision"]).aggregate([]).to_pylist()}
        if made - {(space.get("model"), space.get("revision"))}:
            message = f"its vectors were made with {sorted(made)}, the publication's model is {space.get('model')} {space.get('revision')}"
            raise PublicationError(message, document=entry.doc_id, stage="publish", remedy="run its interval again with the model of today")
        return bundle

    return checked
