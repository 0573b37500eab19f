"""Takes what was made of one document's text out of the cache of answers, for a document that was taken down.

Records name their document. Each segment that holds some of it is written anew without them, beside the old one and under the next name in
the same place of the order, then the old one goes: a kill at any moment leaves what the same call, repeated, finishes.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

from filingforest.models.llm.cache import DOCUMENT
from filingforest.models.llm.compact import closed_segment, gate, successor
from filingforest.models.llm.log import content_of, segments, whole


@dataclass(frozen=True, slots=True)
class Forgotten:
    """Records dropped; segments that were left because a run writes to them; records that do not say of which document they are."""

    records: int = 0
    busy: int = 0
    unnamed: int = 0


def forget(folder: Path, doc_id: str) -> Forgotten:
    """Drops every record of a document. Where `busy` is not 0, it is to be called again when the runs are over."""
    if not folder.is_dir():
        return Forgotten()
    found = Forgotten()
    with gate(folder, wait=True):
        for path in segments(folder):
            one = _forget_in(path, doc_id)
            found = Forgotten(found.records + one.records, found.busy + one.busy, found.unnamed + one.unnamed)
    return found


def _forget_in(path: Path, doc_id: str) -> Forgotten:
    with path.open("rb") as file:
        lines = [line for line in file if whole(line)]
        documents = [json.loads(content_of(line)).get(DOCUMENT) for line in lines]
        unnamed, gone = documents.count(None), documents.count(doc_id)
        if not gone:
            return Forgotten(unnamed=unnamed)
        if not closed_segment(file.fileno()):
            return Forgotten(busy=1, unnamed=unnamed)
        _rewrite(path, [line for line, document in zip(lines, documents, strict=True) if document != doc_id])
        return Forgotten(gone, unnamed=unnamed)


def _rewrite(path: Path, lines: list[bytes]) -> None:
    if lines:
        part = path.with_name(path.name + ".part")
        with part.open("wb") as out:
            out.writelines(lines)
            out.flush()
            os.fsync(out.fileno())
        part.rename(path.with_name(successor(path.name)))
    path.unlink()
