"""Filings of a few lines for tests, written here; every layout that has tripped a parser is built out of these."""

from __future__ import annotations

from collections.abc import Sequence

from filingforest.parse import parse_document
from filingforest.parse.model import DocumentHint, ItemView, Parsed

BREAK = '<hr style="page-break-after:always"/>'


def prose(about: str, count: int = 3) -> str:
    """Paragraphs that differ, each long enough to be body text."""
    line = (
        "{} paragraph {}: the company rents looms to mills in several valleys and is paid by the yard of cloth that leaves them each month."
    )
    return "\n".join(f"<p>{line.format(about, n + 1)}</p>" for n in range(count))


def bold(text: str) -> str:
    """A heading."""
    return f"<p><b>{text}</b></p>"


def page(*parts: str, form: str = "10-K") -> str:
    """A whole document."""
    return f"<html><body><p>FORM {form}</p>\n" + "\n".join(parts) + "</body></html>"


def parse(html: str, form: str | None = None, name: str = "a.htm") -> Parsed:
    """The parsed page."""
    return parse_document(html.encode(), DocumentHint(doc_id="t:1", name=name, form=form), explain=True)


def items(html: str, form: str | None = None) -> dict[str, ItemView]:
    """Items by their display code."""
    views = parse(html, form).items
    assert len({v.item for v in views}) == len(views)
    return {v.item: v for v in views}


def contents(rows: Sequence[tuple[str, str, str]]) -> str:
    """A table of contents: label, title, page."""
    return "<table>" + "".join(f"<tr><td>{a}</td><td>{b}</td><td>{c}</td></tr>" for a, b, c in rows) + "</table>"
