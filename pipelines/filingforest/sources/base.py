"""One shape for all sources, so that the pipeline never asks where a document came from.

A source lists `DocumentRef`s (JSON-able: they travel between tasks) and fetches a `RawDocument` for each.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Protocol

from filingforest.parse.model import DocumentHint


@dataclass(frozen=True, slots=True)
class DocumentRef:
    """A document that a source has listed but not fetched. `filed_at` is an ISO date; `cik` has no leading zeros."""

    doc_id: str
    source: str  # edgar, folder
    url: str  # URL, or path of a file
    name: str = ""  # file name, for its ending
    form: str | None = None
    company: str | None = None
    cik: str | None = None
    filed_at: str | None = None
    accession: str | None = None
    kind: str = "filing"  # filing, exhibit, article, contract

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values; fields that are not known are left out."""
        return {key: value for key, value in asdict(self).items() if value is not None}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> DocumentRef:
        """The inverse of `to_dict`; keys that a later version added are ignored."""
        known = {f.name for f in fields(cls)}
        return cls(**{key: value for key, value in data.items() if key in known})


@dataclass(frozen=True, slots=True)
class RawDocument:
    """A fetched document: its bytes as they came, and where they came from.

    `provenance` (JSON-able): url, fetched_at, headers, sha256, and for EDGAR `submissions` (names, tickers, sic, ...).
    """

    ref: DocumentRef
    content: bytes
    hint: DocumentHint
    provenance: dict[str, Any] = field(default_factory=dict)

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()

    @property
    def doc_version(self) -> str:
        """First 16 of the bytes' sha256: a re-posted filing is another version of the same document."""
        return self.sha256[:16]


class Source(Protocol):
    """Anything that lists and fetches documents."""

    name: str

    def fetch(self, ref: DocumentRef) -> RawDocument:
        """The document's bytes with provenance. Raises SourceError, DocumentError."""
        ...


def absolute(path: Path | str) -> Path:
    """The path from the root, without `..`, under the names that were typed: a link `current` keeps its name whatever it points to."""
    return Path(os.path.abspath(path))  # noqa: PTH100 - resolve() follows links


def hint_for(ref: DocumentRef, **more: Any) -> DocumentHint:
    """What the parser is told beforehand: the ref's own fields, and `more` of DocumentHint's."""
    known: dict[str, Any] = {
        "doc_id": ref.doc_id, "source": ref.source, "name": ref.name, "form": ref.form, "company": ref.company, "cik": ref.cik,
        "filed_at": ref.filed_at, "source_url": ref.url, "kind": ref.kind,
    }  # fmt: skip
    return DocumentHint(**{**known, **{key: value for key, value in more.items() if value is not None}})


def unique(refs: Sequence[DocumentRef]) -> list[DocumentRef]:
    """The refs without repeats of a doc_id; the first of each stays, in order."""
    first: dict[str, DocumentRef] = {}
    for ref in refs:
        first.setdefault(ref.doc_id, ref)
    return list(first.values())
