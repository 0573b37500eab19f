"""One pinned publication: its segments as one row space, its companies, its statistics, its encoder. Never changes once opened."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, partial, reduce
from pathlib import Path

import numpy as np
import numpy.typing as npt

from filingforest.current import open_manifest
from filingforest.manifest import FileEntry, Manifest, SegmentEntry
from filingforest.query.companies import Company, CompanyIndex
from filingforest.query.documents import Document, Documents
from filingforest.query.encoder import QuestionEncoder
from filingforest.query.files import Files
from filingforest.query.filters import Flags
from filingforest.query.lexicon import LEXICON_FILE, TermFinder
from filingforest.query.ranged import gone
from filingforest.query.scope import Corpus
from filingforest.query.segment import Segment
from filingforest.query.statistics import Statistics
from filingforest.store import Store
from filingforest.tokens import tokenize

_COMMON = 0.002  # share of other companies' units above which a word is no name by itself
_ENOUGH = 2_000  # units of others from which that share means something
_BRAND_UNITS, _BRAND_SHARE, _BRAND_OF_ALL = 20, 0.05, 0.8  # units with a name, their share of the company's, the company's share of them


class Publication:
    """A publication opened for questions. `base[i]` is the first row of segment i in the publication's row space."""

    def __init__(self, manifest: Manifest, files: Files) -> None:
        self.manifest, self.files, self.id = manifest, files, manifest.id
        self.segments = [_segment(files, entry) for entry in manifest.segments]
        self.base = np.cumsum([0, *(s.units for s in self.segments)])
        self.documents = Documents(d for s in self.segments for d in s.documents)
        self.first_document = np.cumsum([0, *(len(s.documents) for s in self.segments)])
        self.live: Flags = np.concatenate([s.live for s in self.segments]) if self.segments else np.empty(0, np.bool_)
        self.stats = self._statistics() if manifest.stats else Statistics(0, 1.0, np.empty(0), np.empty(0))
        self.encoder = QuestionEncoder(manifest.model, files)
        self._known_ordinary: dict[tuple[str, str], bool] = {}  # by name and company: no more than companies have names

    @cached_property
    def summary_stats(self) -> Statistics | None:
        """As `stats`, of the summaries in trees: idf and average length for BM25 over them. None where there are no trees."""
        if not self.manifest.stats:
            return None
        vocabularies = [segment.summary_vocabulary for segment in self.segments]
        return Statistics.of_summaries(_bytes(self.files, self.manifest.stats), vocabularies)

    def _statistics(self) -> Statistics:
        assert self.manifest.stats is not None
        return Statistics.read(_bytes(self.files, self.manifest.stats), [segment.vocabulary for segment in self.segments])

    @cached_property
    def terms(self) -> TermFinder | None:
        """The lexicon that was published with the index; None where there are no trees."""
        files = self.manifest.lexicon.files if self.manifest.lexicon else ()
        found = next((file for file in files if file.path.endswith(f"/{LEXICON_FILE}")), None)
        return TermFinder.read(_bytes(self.files, found)) if found else None

    @cached_property
    def corpus(self) -> Corpus:
        """What scope recognition needs."""
        shown = [d if live else _hidden(d) for d, live in zip(self.documents, self.live, strict=True)]
        companies = CompanyIndex(shown, self._reading_order.tolist())
        return Corpus(self.documents, companies, self.live, self._ordinary, self._is_written, self._brand)

    def split(self, documents: Flags) -> list[Flags]:
        """Flags of all documents, segment by segment."""
        edges = self.first_document
        return [documents[edges[i] : edges[i + 1]] for i in range(len(self.segments))]

    def owners(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Places in `documents` of the documents that rows belong to."""
        return np.searchsorted(self._document_starts, rows, side="right") - 1

    def numbers(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Numbers of rows in one order of all units, whatever segments they lie in: what decides between equal scores."""
        owners = self.owners(rows)
        return self._first_numbers[owners] + rows - self._document_starts[owners]

    @cached_property
    def _reading_order(self) -> npt.NDArray[np.int64]:
        """Places of the documents in the order that they would have in one segment: company, fiscal year, id."""
        documents = self.documents
        keys = [((d.cik or "").zfill(10), d.fiscal_year or 0, d.doc_id) for d in documents] if len(self.segments) > 1 else []
        order = sorted(range(len(documents)), key=lambda place: (keys[place], place)) if keys else range(len(documents))
        return np.array(order, dtype=np.int64)

    @cached_property
    def _first_numbers(self) -> npt.NDArray[np.int64]:
        """Number of the first unit of each document, by place."""
        sizes = np.concatenate([np.diff(s.starts) for s in self.segments])[self._reading_order]
        numbers = np.empty(len(sizes), np.int64)
        numbers[self._reading_order] = np.cumsum(sizes) - sizes
        return numbers

    @cached_property
    def _document_starts(self) -> npt.NDArray[np.int64]:
        """First row of each document; documents without units share a row with the next, which `side="right"` skips."""
        starts = [s.starts[:-1] + base for s, base in zip(self.segments, self.base, strict=False)]
        return np.concatenate(starts) if starts else np.empty(0, np.int64)

    def _is_written(self, word: str) -> bool:
        return all(any(self._live_units_of(s, token) for s in self.segments) for token in tokenize(word))

    def _live_units_of(self, segment: Segment, token: str) -> int:
        """How many units that are not masked hold it."""
        units = segment.units_of(token)
        return len(units) if segment.live.all() else int(segment.counts(units)[segment.live].sum())

    def _ordinary(self, word: str, company: Company) -> bool:
        """Whether other companies' texts use the word often: then it is a word before it is a name. Kept, since names come again."""
        if (word, company.key) not in self._known_ordinary:
            self._known_ordinary[word, company.key] = self._counted_ordinary(word, company)
        return self._known_ordinary[word, company.key]

    def _counted_ordinary(self, word: str, company: Company) -> bool:
        own = np.zeros(len(self.documents), dtype=np.bool_)
        own[company.documents] = True
        elsewhere = others = 0
        for segment, mine in zip(self.segments, self.split(own), strict=True):
            theirs = ~mine & segment.live
            others += int(np.diff(segment.starts)[theirs].sum())
            for token in tokenize(word)[:1]:
                elsewhere += int(segment.counts(segment.units_of(token))[theirs].sum())
        return others >= _ENOUGH and elsewhere > _COMMON * others

    def _brand(self, name: str) -> Company | None:
        """The company whose units hold the name often, and hold nearly all of its uses."""
        counts = np.zeros(len(self.documents), dtype=np.int64)
        for segment, first in zip(self.segments, self.first_document, strict=False):
            found = [segment.units_of(token) for token in tokenize(name)]
            both = reduce(partial(np.intersect1d, assume_unique=True), found) if found else np.empty(0, np.uint32)
            counts[first : first + len(segment.documents)] = segment.counts(both)
        counts *= self.live
        sizes = np.concatenate([np.diff(s.starts) for s in self.segments])
        for company in self.corpus.companies.companies.values():
            mine = int(counts[company.documents].sum())
            if mine >= _BRAND_UNITS and mine >= _BRAND_SHARE * sizes[company.documents].sum() and mine >= _BRAND_OF_ALL * counts.sum():
                return company
        return None


def open_publication(store: Store, at: str | None = None, cache: Path | None = None) -> Publication:
    """The publication `at`, else the one that CURRENT names. Errors: NoPublication, PublicationGone, Corrupt, SchemaTooNew."""
    return Publication(open_manifest(store, at), Files(store, cache))


def _segment(files: Files, entry: SegmentEntry) -> Segment:
    named = {file.path.rpartition("/")[2]: file for file in entry.files}

    def of(name: str) -> FileEntry:
        if name not in named:
            raise gone(f"segments/{entry.id}/{name}")
        return named[name]

    return Segment(lambda name: files.path(of(name)), entry.dead, lambda name: files.part(of(name)), files.cache)


def _hidden(document: Document) -> Document:
    """A masked document names no company."""
    return replace(document, names=())


def _bytes(files: Files, entry: FileEntry) -> bytes:
    return files.path(entry).read_bytes()
