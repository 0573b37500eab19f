"""Fetches the documents that a request names and keeps their bytes; not what is kept already, was taken down or failed for good."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from filingforest import failures, raw, takedowns
from filingforest.config import Settings
from filingforest.progress import ASIDE, KNOWN, NEW
from filingforest.request import Documents, Request, open_source
from filingforest.runner import Entry, Runner
from filingforest.sources.base import DocumentRef
from filingforest.stages import fingerprint
from filingforest.store import Store

CRAWL = "crawl"


class Crawl:
    """Crawling into one index. Sources are shared between requests: they remember companies and keep connections open."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self.store, self.settings = store, settings
        self._sources: dict[tuple[str, tuple[str, ...]], Any] = {}

    def documents(self, request: Mapping[str, Any]) -> Documents:
        """What the request asks for, through its source."""
        asked = Request.from_dict(request)
        key = (asked.source, asked.inputs)
        if key not in self._sources:
            self._sources[key] = open_source(asked, self.settings)
        return Documents(asked, self.settings, self._sources[key])

    def fetch(self, runner: Runner, documents: Documents, ref: DocumentRef) -> Entry | None:
        """The document at the start of its way; None where it was set aside. Raises what stops the whole night."""
        if ref.doc_id in self._taken:
            runner.progress.done(CRAWL, ref.doc_id, ASIDE, takedowns.says(self._taken[ref.doc_id]))
            return None
        attempt = fingerprint(CRAWL, "1", {}, [ref.url])
        kept = raw.newest(self.store, ref.doc_id)
        version = kept if documents.immutable else None
        outcome = KNOWN
        if version is None:
            if documents.immutable and runner.stays_aside(CRAWL, ref.doc_id, attempt):
                return None
            try:
                document = documents.fetch(ref)
            except Exception as error:  # whatever it is, it is this document's; the runner decides
                runner.set_aside(CRAWL, ref.doc_id, attempt, error, ref.to_dict())
                return None
            version = document.doc_version
            outcome = NEW if raw.keep(self.store, document) else KNOWN
            if outcome == NEW and kept is not None:
                self._tell_of_another_place(runner, ref, kept)
            failures.clear(self.store, ref.doc_id, CRAWL)
        runner.progress.done(CRAWL, ref.doc_id, outcome, f"as {raw.content_key(ref.doc_id, version)}")
        return _entry(ref, version, raw.origin(self.store, ref.doc_id, version))

    def _tell_of_another_place(self, runner: Runner, ref: DocumentRef, before: str) -> None:
        """Files of one name in two folders are one document to us: the later one takes the earlier one's place, and that is said."""
        earlier = raw.origin(self.store, ref.doc_id, before)["ref"].get("url")
        if earlier and earlier != ref.url:
            runner.progress.note(f"{ref.doc_id}: {ref.url} takes the place of {earlier}, which has the same name")

    @cached_property
    def _taken(self) -> dict[str, takedowns.Takedown]:
        """Documents that are not to be taken in again."""
        return takedowns.active(self.store)


def _entry(ref: DocumentRef, version: str, origin: Mapping[str, Any]) -> Entry:
    """A filing is known from its acceptance; a file from when it was first seen."""
    hint = origin["hint"]
    known = hint.get("accepted_at") or hint.get("filed_at") or raw.known_from(dict(origin))
    return Entry(doc_id=ref.doc_id, doc_version=version, known_from=known, ref=ref.to_dict(), stages={}, fingerprints={})
