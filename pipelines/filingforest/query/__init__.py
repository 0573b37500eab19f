"""Reads publications: the only part that other projects import. Light: numpy and the standard library until a question is asked.

from filingforest import query

reader = query.open("s3://bucket/filings")
answer = reader.query("What were total net sales in fiscal 2024?", company="XYZ")
for hit in answer.hits:
    print(hit.rank, hit.company, hit.fiscal_year, hit.heading_path, hit.citation)
"""

from __future__ import annotations

from pathlib import Path

from filingforest.query.answer import Answer, Hit
from filingforest.query.backend import SearchBackend
from filingforest.query.filters import Filters
from filingforest.query.reader import Reader
from filingforest.query.retrieve import Retriever
from filingforest.query.scope import Note
from filingforest.query.show import Passage

__all__ = ["Answer", "Filters", "Hit", "Note", "Passage", "Reader", "SearchBackend", "open"]


def open(*urls: str | Path, at: str | None = None, cache: str | Path | None = None, backend: SearchBackend | None = None) -> Reader:
    """A reader of the publications that CURRENT names at each address, or of the publication `at`.

    `cache`: where files from S3 are kept (FILINGFOREST_CACHE, else the user's cache folder). `backend`: a search server that has
    the publications too (`filingforest.opensearch.backend.OpenSearchBackend`); None: they are searched where they lie.
    Errors: NoPublication, PublicationGone, SchemaTooNew, Corrupt, PermissionDenied, StoreUnavailable.
    """
    retriever = Retriever(backend=backend) if backend else None
    return Reader([str(url) for url in urls], at=at, cache=Path(cache) if cache else None, retriever=retriever)
