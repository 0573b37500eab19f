"""Reads out of a question which documents may answer it: companies, years, quarters and forms, from the publication's own documents.

What the caller demands is hard, what the question says is soft (`scope_narrow.py`). A company that is not there is hard again: a note and
no answer.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from filingforest.query.companies import Found
from filingforest.query.filters import Filters, document_flags
from filingforest.query.periods import find_periods
from filingforest.query.scope import Corpus, Note, Scope
from filingforest.query.scope_narrow import narrow
from filingforest.query.unknown import unknown_names
from filingforest.query.words import Word, fold, listed, vocabulary, words_of
from filingforest.tokens import tokenize


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
        narrow(scope, corpus)
    elif not scope.notes:
        scope.notes.append(Note("nothing_in_scope", "no document of this publication passes the filters"))
    scope.consumed = _consumed(scope, words)
    scope.anonymous = _anonymous(fold(question), scope.found, words)
    return scope


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
            scope.soften("name_from_texts", f"{name} is read as {company.name}, whose texts use that name")
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
