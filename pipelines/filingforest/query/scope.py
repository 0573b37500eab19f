"""Reads out of a question which documents may answer it: companies, years, quarters and forms, from the publication's own documents.

What the caller demands is hard. What the question says is soft where it may mislead: the 10-K of fiscal 2023 also prints 2022, and
a filing that is not there must not hide its neighbours. A company that is not there is hard again: a note and no answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from filingforest.query.companies import Company, CompanyIndex, Found
from filingforest.query.documents import INTERIM_PERIODS, Document, Documents
from filingforest.query.filters import Filters, Flags, document_flags, form_flags
from filingforest.query.periods import Periods, find_periods
from filingforest.query.unknown import unknown_names
from filingforest.query.words import Word, fold, listed, vocabulary, words_of
from filingforest.tokens import tokenize


@dataclass(frozen=True, slots=True)
class Note:
    """Something that the caller should know about an answer."""

    code: str
    message: str


@dataclass(slots=True)
class Scope:
    """Where to look. `flags`: one a document; `groups`: the same by company, where several were asked for."""

    filters: Filters
    flags: Flags
    found: list[Found] = field(default_factory=list)
    groups: list[Flags] = field(default_factory=list)
    periods: Periods = field(default_factory=Periods)
    forms: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    consumed: frozenset[str] = frozenset()  # tokens that named the scope, of no use for ranking within it
    anonymous: str = ""  # the question with "the company" in place of names, for the encoder: names only draw it to self-descriptions
    notes: list[Note] = field(default_factory=list)
    confidence: float = 1.0

    def as_dict(self) -> dict[str, Any]:
        """JSON-able: `recognised`, `filters`, `confidence`."""
        known = {
            "company": [f.company.name for f in self.found],
            "named_as": [f"{f.text} ({f.how})" for f in self.found],
            "year": list(self.periods.years),
            "quarter": list(self.periods.quarters),
            "form": list(self.forms),
            "unknown_company": list(self.unknown),
        }
        recognised = {name: values for name, values in known.items() if values}
        return {"recognised": recognised, "filters": self.filters.as_dict(), "confidence": round(self.confidence, 2)}


@dataclass(frozen=True, slots=True)
class Corpus:
    """What scope recognition knows of a publication. `ordinary`, `is_written`: see `companies.py`, `unknown.py`.

    `brand`: the company whose own texts use a name far more than all others' (a brand, a former name), if there is one.
    """

    documents: Sequence[Document]
    companies: CompanyIndex
    live: Flags
    ordinary: Callable[[str, Company], bool] = lambda word, company: False
    is_written: Callable[[str], bool] = lambda word: False
    brand: Callable[[str], Company | None] = lambda name: None


def read_scope(question: str, filters: Filters, corpus: Corpus) -> Scope:
    """The scope of a question under the caller's filters."""
    words = words_of(question)
    mentioned = corpus.companies.find(words, corpus.ordinary)
    flags = document_flags(filters, corpus.documents) & corpus.live
    scope = Scope(filters, flags, periods=find_periods(question), forms=_forms(question))
    if filters.company:
        _demanded_companies(scope, mentioned, corpus)
    elif filters.doc:  # which documents is settled; names in the question are only no search words
        scope.found = mentioned
    elif corpus.companies.companies:
        _named_companies(scope, words, mentioned, corpus)
    if scope.flags.any():
        _narrow(scope, corpus)
    elif not scope.notes:
        scope.notes.append(Note("nothing_in_scope", "no document of this publication passes the filters"))
    scope.consumed = _consumed(scope, words)
    scope.anonymous = _anonymous(fold(question), scope.found, words)
    return scope


def demanded(filters: Filters, corpus: Corpus) -> Flags:
    """One flag a document: whether it is live and passes the filters, companies too."""
    flags = document_flags(filters, corpus.documents) & corpus.live
    if not filters.company:
        return flags
    mine = np.zeros_like(flags)
    for company in (c for value in filters.company for c in corpus.companies.named(value)):
        mine[company.documents] = True
    return flags & mine


def _demanded_companies(scope: Scope, mentioned: Sequence[Found], corpus: Corpus) -> None:
    """The caller's companies. Where the question names one of them too, its name is no search word, as without the filter."""
    named = [(value, corpus.companies.named(value)) for value in scope.filters.company]
    places = {f.company.key: f.places for f in mentioned}
    scope.unknown = tuple(value for value, companies in named if not companies)
    _take(scope, [Found(c, value, places.get(c.key, ()), "filter") for value, companies in named for c in companies], corpus)


def _named_companies(scope: Scope, words: Sequence[Word], mentioned: Sequence[Found], corpus: Corpus) -> None:
    found = list(mentioned)
    taken = frozenset(place for f in found for place in f.places)
    for name in unknown_names(words, taken, corpus.is_written, bool(found)):
        if company := corpus.brand(name):
            found.append(Found(company, name, (), "its own texts"))
            _soften(scope, "name_from_texts", f"{name} is read as {company.name}, whose texts use that name")
        else:
            scope.unknown += (name,)
    if found or scope.unknown:
        _take(scope, found, corpus)


def _take(scope: Scope, found: Sequence[Found], corpus: Corpus) -> None:
    """Limits the scope to the companies found; a note for each that is not there."""
    scope.found = list(found)
    groups = []
    for each in found:
        flags = np.zeros(len(corpus.documents), dtype=np.bool_)
        flags[each.company.documents] = True
        groups.append(flags & scope.flags)
    scope.flags = np.any(groups, axis=0) if groups else np.zeros_like(scope.flags)
    scope.groups = [g for g in groups if g.any()] if len(groups) > 1 else []
    for name in scope.unknown:
        scope.notes.append(Note("unknown_company", f"{name} is not among the companies of this publication"))
    for each, flags in zip(found, groups, strict=True):
        if not flags.any():
            scope.notes.append(Note("company_out_of_scope", f"{each.company.name} has no document that passes the filters"))
    scope.confidence *= 0.5 if scope.unknown and not found else 1.0


def _narrow(scope: Scope, corpus: Corpus) -> None:
    """Narrows by form, year and quarter, company by company, as far as something is left."""
    groups = scope.groups or [scope.flags]
    narrowed = [_by_quarter(scope, _by_year(scope, _by_form(scope, g, corpus), corpus), corpus) for g in groups]
    scope.flags = np.any(narrowed, axis=0)
    scope.groups = narrowed if scope.groups else []
    scope.filters = replace(
        scope.filters,
        company=scope.filters.company or tuple(f.company.name for f in scope.found),
        year=scope.filters.year or scope.periods.years,
        form=scope.filters.form or scope.forms,
    )


def _by_form(scope: Scope, flags: Flags, corpus: Corpus) -> Flags:
    if scope.filters.form or not scope.forms:
        return flags
    wanted: Flags = flags & form_flags(corpus.documents, scope.forms)
    if not wanted.any():
        _soften(scope, "form_missing", f"no {' or '.join(scope.forms)} in scope; other forms were searched")
        return flags
    return wanted


def _by_year(scope: Scope, flags: Flags, corpus: Corpus) -> Flags:
    """Documents of the years asked for; else those of the two years after, which print them for comparison; else all."""
    years = scope.periods.years
    if scope.filters.year or not years:
        return flags
    documents = Documents.of(corpus.documents)
    own = documents.years
    undated: Flags = flags & (own == 0)
    exact: Flags = flags & np.isin(own, years)
    if exact.any():
        return exact | undated
    annual = ~documents.among("fiscal_period", INTERIM_PERIODS)
    for later in (1, 2):
        printing: Flags = flags & annual & np.isin(own, [y + later for y in years])
        if printing.any():
            _soften(scope, "year_from_later_filing", f"no filing for {_list(years)}; later ones, which print it too, were searched")
            return printing | undated
    if not undated.any():
        _soften(scope, "year_missing", f"no filing for {_list(years)} in scope; other years were searched")
    return flags


def _by_quarter(scope: Scope, flags: Flags, corpus: Corpus) -> Flags:
    quarters = scope.periods.quarters
    if not quarters or scope.filters.form:
        return flags
    wanted: Flags = flags & Documents.of(corpus.documents).among("fiscal_period", quarters)
    if not wanted.any():
        _soften(scope, "quarter_missing", f"no report for {_list(quarters)} in scope; other periods were searched")
        return flags
    return wanted


def _soften(scope: Scope, code: str, message: str) -> None:
    scope.confidence *= 0.7
    if all(note.code != code for note in scope.notes):
        scope.notes.append(Note(code, message))


def _list(values: Sequence[object]) -> str:
    return ", ".join(map(str, values))


def _forms(question: str) -> tuple[str, ...]:
    """Forms that a question names."""
    joined = f" {' '.join(tokenize(question))} "
    named = [forms for phrase, forms in vocabulary()["forms"].items() if f" {phrase} " in joined]
    return tuple(dict.fromkeys(form for forms in named for form in forms))


def _anonymous(question: str, found: Sequence[Found], words: Sequence[Word]) -> str:
    """The question with each recognised name replaced; several companies are told apart by nothing, as their passages are ranked apart."""
    for places in sorted({f.places for f in found if f.places}, reverse=True):
        first, last = words[places[0]], words[places[-1]]
        question = question[: first.start] + ("the company's" if last.possessive else "the company") + question[last.end :]
    return question


def _consumed(scope: Scope, words: Sequence[Word]) -> frozenset[str]:
    """Tokens that did their work as filters: names of companies, forms; years stay, since columns carry them."""
    places = {place for f in scope.found for place in f.places}
    brands = [f.text for f in scope.found if not f.places or f.how == "filter"]
    text = " ".join([w.text for w in words if w.place in places] + brands)
    forms = {phrase for phrase in vocabulary()["forms"] if " " not in phrase} if scope.forms else set()
    return frozenset(tokenize(text)) | frozenset(forms) | frozenset(listed("openers"))
