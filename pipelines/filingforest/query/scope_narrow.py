"""Narrows a question's scope by the form, years and quarters that it names, as far as something is left.

What a question says is soft where it may mislead: the 10-K of fiscal 2023 also prints 2022, and a filing that is not there must not hide
its neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from filingforest.query.documents import INTERIM_PERIODS, Documents
from filingforest.query.filters import Flags, form_flags
from filingforest.query.scope import Corpus, Scope


def narrow(scope: Scope, corpus: Corpus) -> None:
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
        scope.soften("form_missing", f"no {' or '.join(scope.forms)} in scope; other forms were searched")
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
            scope.soften("year_from_later_filing", f"no filing for {_list(years)}; later ones, which print it too, were searched")
            return printing | undated
    if not undated.any():
        scope.soften("year_missing", f"no filing for {_list(years)} in scope; other years were searched")
    return flags


def _by_quarter(scope: Scope, flags: Flags, corpus: Corpus) -> Flags:
    quarters = scope.periods.quarters
    if not quarters or scope.filters.form:
        return flags
    wanted: Flags = flags & Documents.of(corpus.documents).among("fiscal_period", quarters)
    if not wanted.any():
        scope.soften("quarter_missing", f"no report for {_list(quarters)} in scope; other periods were searched")
        return flags
    return wanted


def _list(values: Sequence[object]) -> str:
    return ", ".join(map(str, values))
