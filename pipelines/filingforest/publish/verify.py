"""Finds damage before a reader does: every file is hashed again, and the documents are compared with the receipts they come from."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet as pq

from filingforest import manifest, takedowns
from filingforest.current import open_manifest
from filingforest.errors import Corrupt, FilingForestError, NotFound
from filingforest.manifest import FileEntry, Manifest
from filingforest.publish import filesets, holds, receipts
from filingforest.publish.ledger import SEGMENTS as KIND
from filingforest.publish.members import live_in
from filingforest.publish.plan import candidates
from filingforest.publish.receipts import ReceiptEntry
from filingforest.store import Store


@dataclass(frozen=True)
class Problem:
    """What is wrong with the object at `path`."""

    path: str
    what: str
    remedy: str


@dataclass(frozen=True)
class Verified:
    """`files` and `bytes` were hashed, `documents` compared; clean when there is no problem."""

    publication: str
    files: int
    bytes: int
    documents: int
    problems: tuple[Problem, ...]

    @property
    def ok(self) -> bool:
        return not self.problems


def verify(store: Store, publication: str | None = None) -> Verified:
    """Check one publication, the current one by default. Damage is in the result; errors: NoPublication, PublicationGone, StoreError."""
    try:
        made = open_manifest(store, publication)
    except Corrupt as error:
        damage = Problem(error.document or "", error.message, error.remedy or _REPUBLISH)
        return Verified(publication or "", 0, 0, 0, (damage,))
    problems = [problem for entry in made.files() if (problem := check_file(store, entry)) is not None]
    problems += _documents(store, made)
    size = sum(entry.bytes for entry in made.files())
    return Verified(made.id, len(made.files()), size, made.counts.get("documents", 0), tuple(problems))


def check_file(store: Store, entry: FileEntry) -> Problem | None:
    """Hash one file again, a piece at a time."""
    digest, size = hashlib.sha256(), 0
    try:
        for piece in filesets.pieces(store, entry):
            digest.update(piece)
            size += len(piece)
        stat = store.stat(entry.path)
    except NotFound:
        return Problem(entry.path, "it is missing", _REWRITE)
    if stat is None or stat.size != entry.bytes or size != entry.bytes:
        return Problem(entry.path, f"{stat.size if stat else 0} bytes, the manifest says {entry.bytes}", _REWRITE)
    return None if digest.hexdigest() == entry.sha256 else Problem(entry.path, "its sha256 is not what the manifest says", _REWRITE)


_REWRITE = "delete it; if this is the current publication, publishing again writes it again, byte for byte"
_REPUBLISH = "publish again; if it stays, roll back to a publication that is whole"


def _documents(store: Store, made: Manifest) -> list[Problem]:
    """Receipts less holds -> documents in the segments' lists -> documents in the segments' tables."""
    try:
        live = live_in(store, made)
        problems = [_table_problem(store, made, live), *_receipt_problems(store, made, live)]
    except (NotFound, Corrupt) as error:
        return [Problem(error.document or made.id, error.message, error.remedy or _REPUBLISH)]
    return [problem for problem in problems if problem is not None]


def _table_problem(store: Store, made: Manifest, live: dict[str, ReceiptEntry]) -> Problem | None:
    rows: set[tuple[str, str]] = set()
    for segment in made.segments:
        path = f"{KIND}/{segment.id}/documents.parquet"
        try:
            table = pq.read_table(pa.BufferReader(store.get(path)), columns=["doc_id", "doc_version"])
        except (NotFound, pa.ArrowException, OSError) as error:
            return Problem(path, f"it cannot be read: {error}", _REWRITE)
        rows |= {(row["doc_id"], row["doc_version"]) for row in table.to_pylist() if row["doc_id"] not in segment.dead}
    wrong = sorted(rows ^ {(doc_id, entry.doc_version) for doc_id, entry in live.items()})
    return Problem(manifest.key(made.id), f"documents differ from the segments' lists: {wrong[:5]}", _REPUBLISH) if wrong else None


def _receipt_problems(store: Store, made: Manifest, live: dict[str, ReceiptEntry]) -> list[Problem]:
    """Each live document is the newest that its receipts name, and each document that they name is live."""
    problems: list[Problem] = []
    found: dict[str, receipts.Receipt] = {}
    for name in made.receipts:
        try:
            found[name] = receipts.load(store, name)
        except FilingForestError as error:
            problems.append(Problem(receipts.key(name), error.message, error.remedy or _REPUBLISH))
    if problems:
        return problems
    newest: dict[str, tuple[str, str]] = {}
    for entry in candidates(found, [holds.load(store, name) for name in made.holds]):
        newest[entry.doc_id] = max(newest.get(entry.doc_id, ("", "")), (entry.known_from, entry.doc_version))
    for doc_id in takedowns.active(store):
        newest.pop(doc_id, None)
    wrong = sorted(doc_id for doc_id in newest.keys() | live.keys() if newest.get(doc_id, ("", ""))[1] != _version(live, doc_id))
    return [Problem(manifest.key(made.id), f"documents differ from the receipts: {wrong[:5]}", _REPUBLISH)] if wrong else []


def _version(live: dict[str, ReceiptEntry], doc_id: str) -> str:
    return live[doc_id].doc_version if doc_id in live else ""
