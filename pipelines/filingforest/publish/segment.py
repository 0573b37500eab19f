"""Writes one segment: the immutable part of an index that publications share. Bytes depend on the documents alone.

Documents are sorted by (primary CIK, fiscal year, doc_id), units by reading order within them, so that one company's rows lie
together in every file. A segment is built from stage outputs or merged from other segments, with the same bytes; in both cases memory
holds one document or one block of rows and the running postings (see `postings.py`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from filingforest.file_blocks import block_digests
from filingforest.publish.postings import PostingsPart
from filingforest.publish.segment_files import SegmentFiles, describe
from filingforest.publish.segment_input import Opened, SegmentInput
from filingforest.publish.segment_lines import LinesPart
from filingforest.publish.segment_parts import Part, TablePart, UnitPart
from filingforest.publish.segment_source import Source, sort_key, spans_of
from filingforest.publish.segment_trees import TreePart, TreeTablePart
from filingforest.publish.segment_vectors import VectorPart
from filingforest.publish.tree_stats import write_vocabulary
from filingforest.terms import TERMS_VERSION
from filingforest.tokens import TOKENIZER_VERSION

__all__ = ["SEGMENT_FORMAT", "SegmentInput", "build_segment", "merge_segments"]

SEGMENT_FORMAT = 3  # rises with any change of a segment's bytes: the next publication is then built from the stage outputs


def parts_of(out: Path) -> list[Part]:
    """The parts of a segment in `out`. What is stored of each document is listed here and nowhere else."""
    tables = [
        TablePart(out, name, lambda document, name=name: document.parsed.table(name))  # type: ignore[misc]
        for name in ("documents", "texts", "facts", "fact_mentions")
    ]
    return [
        *tables,
        TablePart(out, "nodes", lambda document: document.nodes),
        TablePart(out, "units", lambda document: document.units),
        TablePart(out, "chunks", lambda document: document.chunks.table("chunks") if document.chunks else None),
        TreeTablePart(out, "tree_nodes"),
        TreeTablePart(out, "flam_counts"),
        TreePart(out),
        UnitPart(out),
        PostingsPart(out),
        LinesPart(out),
        VectorPart(out),
    ]


def build_segment(documents: Sequence[SegmentInput], out: Path) -> SegmentFiles:
    """Writes the files of a segment into `out` (created; must hold nothing else) from stage outputs.

    Errors: Corrupt for a bundle that cannot be read, PublicationError where a unit has no vector though its document was embedded.
    """
    out.mkdir(parents=True, exist_ok=True)
    parts = parts_of(out)
    for document in sorted(documents, key=lambda given: sort_key(Opened(given).row)):
        opened = Opened(document)
        for part in parts:
            part.add(opened)
    return _finish(parts, out)


def merge_segments(sources: Sequence[Source], out: Path) -> SegmentFiles:
    """The same from the wanted documents of other segments, each document in one of them only. Errors: PublicationError as above."""
    out.mkdir(parents=True, exist_ok=True)
    parts, spans = parts_of(out), spans_of(sources)
    for part in parts:
        part.merge(spans)
    return _finish(parts, out)


def _finish(parts: Sequence[Part], out: Path) -> SegmentFiles:
    about: dict[str, Any] = {"format": SEGMENT_FORMAT, "tokenizer": TOKENIZER_VERSION, "terms": TERMS_VERSION}
    for part in parts:
        part.close()
        about |= part.about()
    write_vocabulary(out)
    about["blocks"] = {path.name: digests for path in sorted(out.iterdir()) if (digests := block_digests(path))}
    (out / "segment.json").write_text(json.dumps(about, ensure_ascii=False, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return describe(out, about["units"], about["words"])
