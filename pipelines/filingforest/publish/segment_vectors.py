"""The vectors of a segment's units: all of one embedding space, or none at all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from filingforest.errors import PublicationError
from filingforest.models.passages import text_sha, unit_passages, vectors_of
from filingforest.publish.npy import NpyWriter
from filingforest.publish.segment_input import Opened
from filingforest.publish.segment_source import Span, pieces
from filingforest.signs import sign_codes

_ROWS = 16_384  # copied at once


class VectorPart:
    """The units' vectors in half precision and their sign codes; no files where no document was embedded."""

    def __init__(self, out: Path) -> None:
        self.out, self.dimension = out, 0
        self.embedded: str | None = None  # a document that has vectors
        self.bare: str | None = None  # one that has units but none
        self._files: tuple[NpyWriter, NpyWriter] | None = None

    def add(self, document: Opened) -> None:
        bundle = document.embeddings
        if bundle is None:
            self.bare = self.bare or document.doc_id
        else:
            self.embedded = self.embedded or document.doc_id
            table = bundle.table("embeddings")
            self._open(table.schema.field("vector").type.list_size)
            self._append(_chosen(document, table))
        if self.bare and self.embedded:
            raise _unembedded("no vectors, though its neighbours have some", self.bare)

    def merge(self, spans: Sequence[Span]) -> None:
        for span in spans:
            dimension = span.source.about["dimension"]
            if dimension:
                self._open(dimension)
                for piece in pieces(span.rows("units"), _ROWS):
                    self._write(span.source.array("vectors.f16")[piece], span.source.array("vectors.signs")[piece])
            else:
                self.bare = self.bare or span.source.keys[span.first][2]
        if self.bare and self.dimension:
            raise _unembedded("no vectors, though its neighbours have some", self.bare)

    def close(self) -> None:
        for writer in self._files or ():
            writer.close()

    def about(self) -> dict[str, Any]:
        return {"dimension": self.dimension or None}

    def _open(self, dimension: int) -> None:
        if self._files is None:
            self.dimension = dimension
            vectors = NpyWriter(self.out / "vectors.f16.npy", "<f2", (dimension,))
            self._files = vectors, NpyWriter(self.out / "vectors.signs.npy", "<u8", (-(-dimension // 64),))

    def _append(self, vectors: Any) -> None:
        if len(vectors):
            self._write(vectors, sign_codes(vectors))

    def _write(self, vectors: Any, signs: Any) -> None:
        assert self._files is not None
        for writer, rows in zip(self._files, (vectors, signs), strict=True):
            writer.append(rows)


def _chosen(document: Opened, table: pa.Table) -> Any:
    """The vector of each unit, float32 (units, dimension); empty where the document has no units."""
    place = {sha: i for i, sha in enumerate(table["text_sha"].to_pylist())}
    passages = unit_passages(document.units)
    wanted = [place.get(text_sha(passages[key])) for key in document.units["unit_key"].to_pylist()]
    if None in wanted:
        raise _unembedded(f"{wanted.count(None)} units without a vector", document.doc_id)
    return vectors_of(table)[np.array(wanted, dtype=np.int64)] if wanted else ()


def _unembedded(why: str, doc_id: str) -> PublicationError:
    return PublicationError(why, document=doc_id, stage="publish", remedy="run its embedding stage again")
