"""Which filings a form's name asks for, so that "10-K" means one thing in flags, the DAG's params and the docs.

A form asks for itself and its amendments (10-K: 10-K and 10-K/A; a reader needs both, "as of" a date). Variants are filings of
other kinds and are taken only when named: 10-K405 (until 2003), 10-KT (transition periods), 10-KSB.
"""

from __future__ import annotations

from collections.abc import Iterable

AMENDMENT = "/A"


def clean_form(form: str) -> str:
    """As EDGAR writes it: upper case, one space."""
    return " ".join(form.upper().split())


def wanted_form(form: str, asked: Iterable[str]) -> bool:
    """Whether a filing of `form` is asked for; no names ask for everything."""
    names = {clean_form(name) for name in asked}
    form = clean_form(form)
    return not names or form in names or form.removesuffix(AMENDMENT) in names


def base_form(form: str) -> str:
    """The form without the amendment's mark."""
    return clean_form(form).removesuffix(AMENDMENT)
