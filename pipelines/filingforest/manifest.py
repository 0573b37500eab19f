"""What one publication consists of: every file with rows, bytes and sha256, so that a reader needs nothing but this and the files.

Readers use this module too: standard library only. The identifier is `{sequence}-{hash}`, where the hash covers the content alone:
not the sequence, the parent, the run, the report, which receipts said so, nor how the documents are cut into segments. Same documents,
settings and models, same hash. `layout` is a hash of the rest that must not change: the files.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from filingforest.errors import Corrupt, SchemaTooNew
from filingforest.schema_version import SCHEMA_MAJOR

MANIFEST = "manifest.json"
_OUTSIDE = ("id", "sequence", "parent", "receipts", "holds", "report", "run")
_LAYOUT = ("segments", "stats", "ledger")  # what `layout` covers; before there was one, segments and stats were content
_BELOW_ID = ("stats", "ledger")  # they lie in the publication's own folder


@dataclass(frozen=True, slots=True)
class FileEntry:
    """An immutable file of the index; `path` is its key below the index, `rows` None where it has none."""

    path: str
    bytes: int
    sha256: str
    rows: int | None = None


@dataclass(frozen=True, slots=True)
class SegmentEntry:
    """A segment and what lies in it, for readers that skip what a filter excludes. `dead` are its documents that are masked here.

    `documents` and `units` count the masked ones too; `made` names the versions and the embedding space that it was made with.
    """

    id: str
    documents: int
    units: int
    files: tuple[FileEntry, ...]
    ciks: tuple[str, ...] = ()
    min_year: int | None = None
    max_year: int | None = None
    min_filed: str | None = None
    max_filed: str | None = None
    dead: tuple[str, ...] = ()
    made: str = ""


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """The encoder that made the vectors, and the exported files with which readers embed questions. `info` as `EmbedderInfo`."""

    id: str
    info: dict[str, Any]
    files: tuple[FileEntry, ...] = ()


@dataclass(frozen=True)
class Manifest:
    """One publication. `schema` has major, minor, min_reader, fingerprint; `inputs` names what it was made from.

    `ledger` is the publisher's own file (see `publish/ledger.py`); `targets` says by name what other places hold of this publication.
    `lexicon` has the finance terms as readers find them in questions, and their counts (see `publish/flam.py`); None without trees.
    """

    corpus: str
    inputs: str
    schema: dict[str, Any]
    segments: tuple[SegmentEntry, ...]
    stats: FileEntry | None
    model: ModelEntry | None
    tokenizer_version: str
    stage_versions: dict[str, Any] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    id: str = ""
    sequence: int = 0
    parent: str | None = None
    receipts: tuple[str, ...] = ()
    holds: tuple[str, ...] = ()
    report: dict[str, Any] = field(default_factory=dict)
    run: dict[str, Any] = field(default_factory=dict)
    ledger: FileEntry | None = None
    layout: str = ""
    lexicon: ModelEntry | None = None
    reranker: ModelEntry | None = None
    targets: dict[str, Any] = field(default_factory=dict)

    def files(self) -> list[FileEntry]:
        """Every file that this publication needs."""
        parts = (
            [segment.files for segment in self.segments]
            + ([self.model.files] if self.model else [])
            + ([self.lexicon.files] if self.lexicon else [])
            + ([self.reranker.files] if self.reranker else [])
            + ([(self.stats,)] if self.stats else [])
            + ([(self.ledger,)] if self.ledger else [])
        )
        return [entry for part in parts for entry in part]

    def content_hash(self) -> str:
        """12 hex digits over the content (see the module's docstring)."""
        return content_hash(asdict(self))

    def numbered(self, sequence: int, parent: str | None) -> Manifest:
        """The same content as the publication number `sequence`."""
        named = replace(self, sequence=sequence, parent=parent, id=f"{sequence:06d}-{self.content_hash()}")
        stats, ledger = (_moved(entry, folder(named.id)) for entry in (self.stats, self.ledger))
        return replace(named, layout=layout_hash(asdict(self)), stats=stats, ledger=ledger)

    def to_bytes(self) -> bytes:
        """As it is stored."""
        return (json.dumps(asdict(self), ensure_ascii=False, sort_keys=True, indent=1) + "\n").encode()


def folder(publication: str) -> str:
    """Where a publication's own files lie."""
    return f"publications/{publication}"


def key(publication: str) -> str:
    """Where a publication's manifest lies."""
    return f"{folder(publication)}/{MANIFEST}"


def content_hash(document: dict[str, Any]) -> str:
    """As `Manifest.content_hash`, for the JSON of a manifest (with fields that this version does not know)."""
    outside = (*_OUTSIDE, *_LAYOUT, "layout", "targets") if "layout" in document else _OUTSIDE
    return _hash({name: value for name, value in document.items() if name not in outside})


def layout_hash(document: dict[str, Any]) -> str:
    """12 hex digits over the files that a publication lies in, for the JSON of a manifest."""
    return _hash({name: document.get(name) for name in _LAYOUT})


def _hash(content: dict[str, Any]) -> str:
    for name in _BELOW_ID:
        if content.get(name):
            content[name] = {**content[name], "path": ""}
    text = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _moved(entry: FileEntry | None, target: str) -> FileEntry | None:
    return replace(entry, path=f"{target}/{entry.path.rpartition('/')[2]}") if entry else None


def load(data: bytes, name: str = MANIFEST) -> Manifest:
    """The manifest in `data`; `name` is what errors call it. Fields of newer minor versions are left out.

    Errors: SchemaTooNew when it asks for a newer reader, Corrupt when it is no manifest or its content is not what its id says.
    """
    try:
        document = json.loads(data)
        _check_reader(document, name)
        loaded = _manifest(document)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _corrupt(f"not a manifest ({type(error).__name__}: {error})", name) from error
    if loaded.id.rpartition("-")[2] != content_hash(document):
        raise _corrupt("its content is not what its id says", name)
    if loaded.layout and loaded.layout != layout_hash(document):
        raise _corrupt("its files are not those that it was written with", name)
    return loaded


def _check_reader(document: dict[str, Any], name: str) -> None:
    needed = int(document["schema"]["min_reader"])
    if needed > SCHEMA_MAJOR:
        message = f"it needs a reader of schema {needed}, this one reads up to {SCHEMA_MAJOR}"
        raise SchemaTooNew(message, document=name, stage="manifest", remedy="pip install --upgrade 'filingforest[query]'")


def _manifest(document: dict[str, Any]) -> Manifest:
    known = {name: document[name] for name in Manifest.__dataclass_fields__ if name in document}
    known["segments"] = tuple(_segment(value) for value in document["segments"])
    known |= {part: _file(document[part]) if document.get(part) else None for part in _BELOW_ID}
    known["model"] = _model(document["model"]) if document["model"] else None
    known |= {part: _model(document[part]) if document.get(part) else None for part in ("lexicon", "reranker")}
    known["receipts"], known["holds"] = tuple(document["receipts"]), tuple(document["holds"])
    return Manifest(**known)


def _segment(value: dict[str, Any]) -> SegmentEntry:
    known = {name: value[name] for name in SegmentEntry.__dataclass_fields__ if name in value}
    lists = {name: tuple(value[name]) for name in ("ciks", "dead")}
    return SegmentEntry(**{**known, **lists, "files": tuple(_file(entry) for entry in value["files"])})


def _model(value: dict[str, Any]) -> ModelEntry:
    return ModelEntry(value["id"], dict(value["info"]), tuple(_file(entry) for entry in value["files"]))


def _file(value: dict[str, Any]) -> FileEntry:
    return FileEntry(str(value["path"]), int(value["bytes"]), str(value["sha256"]), value.get("rows"))


def _corrupt(why: str, name: str) -> Corrupt:
    remedy = "run `filingforest publications verify`; roll back to a publication that is whole"
    return Corrupt(why, document=name, stage="manifest", remedy=remedy)
