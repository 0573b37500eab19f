"""From a listed filing to its own bytes: which document is the filing, where it lies, and that it came whole.

Told by the filing's index page where there is one (a few KB); else by the full submission text, which then also holds the bytes;
else, last, by the submissions' own column. `provenance.told_by` says which.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from filingforest.config import SEC_URL
from filingforest.errors import SourceMissing, TruncatedDocument, WrongFormat
from filingforest.sources.base import DocumentRef
from filingforest.sources.edgar_client import EdgarClient, whole_document
from filingforest.sources.edgar_company import Companies
from filingforest.sources.edgar_filing import (
    FILE_NAME,
    Filing,
    Part,
    choose_primary,
    exhibits_of,
    is_whole_submission,
    read_index_page,
    read_submission,
)
from filingforest.sources.http import Fetched


@dataclass(frozen=True, slots=True)
class Found:
    """A document's bytes, its part of the filing, and its address at SEC."""

    content: bytes
    part: Part
    url: str
    told_by: str
    filing: Filing
    headers: dict[str, str]


class FilingFetcher:
    """Fetches documents of filings. All addresses are SEC's own; the client knows where they are really asked for."""

    def __init__(self, client: EdgarClient) -> None:
        self._client = client

    def primary(self, ref: DocumentRef, companies: Companies) -> Found:
        """The filing's own document. Raises WrongFormat where none of its documents can be read, and as the client does."""
        filing = self._filing(ref, companies)
        part = choose_primary(filing.parts, ref.form)
        if part is None:
            kinds = ", ".join(f"{p.sequence} {p.type} {p.filename}" for p in filing.parts)
            raise WrongFormat(
                f"no readable document in: {kinds}", document=ref.doc_id, stage="crawl", remedy="nothing to do: paper or PDF only"
            )
        return self._found(ref, filing, part)

    def exhibit(self, ref: DocumentRef) -> Found:
        """The document of an exhibit's ref (from `exhibits`): its filing's exhibit of that key."""
        key = ref.doc_id.partition(":")[2]
        filing = self._filing(ref)
        part = dict(exhibits_of(filing.parts)).get(key)
        if part is None:
            raise SourceMissing(f"the filing has no exhibit {key}", document=ref.doc_id, stage="crawl", remedy="list its exhibits again")
        return self._found(ref, filing, part)

    def exhibits(self, ref: DocumentRef, types: Sequence[str]) -> list[DocumentRef]:
        """Refs of a filing's exhibits that can be read, in its order."""
        return [
            replace(ref, doc_id=f"{ref.doc_id}:{key}", url=document_url(ref, part), name=part.filename, form=part.type, kind="exhibit")
            for key, part in exhibits_of(self._filing(ref).parts, types)
        ]

    def _found(self, ref: DocumentRef, filing: Filing, part: Part) -> Found:
        if part.text is None and not part.filename:
            filing = self._submission(ref)  # an old filing: its documents have no files of their own
            part = next((p for p in filing.parts if (p.sequence, p.type) == (part.sequence, part.type)), part)
        url = document_url(ref, part)
        if part.text is not None:
            return Found(part.text, part, url, filing.told_by, filing, {})
        answer = self._client.file(url, document=ref.doc_id, complete=whole_document(part.size))
        return Found(answer.content, part, url, filing.told_by, filing, answer.headers)

    def _filing(self, ref: DocumentRef, companies: Companies | None = None) -> Filing:
        try:
            return read_index_page(
                self._client.file(folder(ref) + f"{ref.accession}-index.htm", document=ref.doc_id, complete=_whole_page).content
            )
        except (SourceMissing, TruncatedDocument, ValueError):
            pass  # no such page, or one of another shape: the submission itself says the same
        try:
            return self._submission(ref)
        except SourceMissing:
            told = (companies.snapshot(ref.cik or "0", ref) if companies else None) or {}
            name = str((told.get("filing") or {}).get("primaryDocument") or "").rpartition("/")[2]
            if not FILE_NAME.fullmatch(name):
                raise
            return Filing((Part(1, ref.form or "", name),), (), "submissions")

    def _submission(self, ref: DocumentRef) -> Filing:
        answer = self._client.file(submission_url(ref), document=ref.doc_id, complete=_whole_submission)
        try:
            return read_submission(answer.content)
        except ValueError as e:
            raise WrongFormat(f"{answer.url}: {e}", document=ref.doc_id, stage="crawl", remedy="look at that address") from e


def folder(ref: DocumentRef) -> str:
    """The folder of a filing's documents, at SEC."""
    return f"{SEC_URL}/Archives/edgar/data/{ref.cik}/{(ref.accession or '').replace('-', '')}/"


def submission_url(ref: DocumentRef) -> str:
    """The full submission text, at SEC; the address that an index lists."""
    return f"{SEC_URL}/Archives/edgar/data/{ref.cik}/{ref.accession}.txt"


def document_url(ref: DocumentRef, part: Part) -> str:
    """What a citation links to: the document, or the whole submission where it has no file of its own."""
    return folder(ref) + part.filename if part.filename else submission_url(ref)


def _whole_page(fetched: Fetched) -> bool:
    return b"</html>" in fetched.content[-1024:].lower()


def _whole_submission(fetched: Fetched) -> bool:
    return is_whole_submission(fetched.content)
