"""Tagged facts of the line items that a question asks for: the exact values, beside the passages that print them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any

from filingforest.query.documents import Document
from filingforest.query.measures import Measure
from filingforest.query.publication import Publication

COLUMNS = (
    "fact_id", "doc_id", "concept", "label", "value", "unit", "decimals", "period_start", "period_end", "dimensions", "is_nil",
)  # fmt: skip
_MOST, _DOCUMENTS = 12, 3
_PERIOD_DAYS = {"annual": (340, 380), "quarter": (75, 105)}


def find_facts(
    publication: Publication, items: Sequence[Measure], owners: Sequence[int], years: Sequence[int], quarters: Sequence[str]
) -> list[dict[str, Any]]:
    """Facts of `items` in the first few documents of `owners` (places in the publication), of the years asked for, else the document's own.

    Only figures for the whole company (no dimensions), and of a concept only the first that the measure lists.
    """
    out: list[dict[str, Any]] = []
    concepts = {item.name: [c.lower() for c in item.concepts] for item in items if item.concepts}
    for owner in list(dict.fromkeys(owners))[:_DOCUMENTS] if concepts else ():
        rows = _facts_of(publication, owner)
        for name, wanted in concepts.items():
            out += [
                _named(name, row, publication.documents[owner])
                for row in _best(rows, wanted, publication.documents[owner], years, quarters)
            ]
    return out[:_MOST]


def _facts_of(publication: Publication, owner: int) -> list[dict[str, Any]]:
    segment_place = next(i for i in range(len(publication.segments)) if owner < publication.first_document[i + 1])
    segment = publication.segments[segment_place]
    inside = owner - int(publication.first_document[segment_place])
    starts = segment.array("documents.facts")
    rows = range(int(starts[inside]), int(starts[inside + 1]))
    return segment.read("facts", COLUMNS, list(rows)) if len(rows) else []


def _best(
    rows: Sequence[Mapping[str, Any]], wanted: Sequence[str], document: Document, years: Sequence[int], quarters: Sequence[str]
) -> list[Mapping[str, Any]]:
    for concept in wanted:
        mine = [
            r
            for r in rows
            if r["concept"].rpartition(":")[2].lower() == concept and not r["is_nil"] and r["dimensions"] in (None, "", "{}")
        ]
        fitting = [r for r in mine if _fits(r, document, years, quarters)]
        if fitting:
            distinct = {(r["period_start"], r["period_end"], r["value"]): r for r in fitting}
            return sorted(distinct.values(), key=lambda r: r["period_end"] or "", reverse=True)[: max(2, len(years))]
    return []


def _fits(row: Mapping[str, Any], document: Document, years: Sequence[int], quarters: Sequence[str]) -> bool:
    """Whether a fact's period is one that was asked for: a year or a quarter long, or an instant, ending in that fiscal year."""
    if not row["period_end"]:
        return False
    end = dt.date.fromisoformat(row["period_end"][:10])
    if row["period_start"]:
        low, high = _PERIOD_DAYS["quarter" if quarters or document.fiscal_period in ("Q1", "Q2", "Q3") else "annual"]
        if not low <= (end - dt.date.fromisoformat(row["period_start"][:10])).days <= high:
            return False
    year = fiscal_year_of(end, document)
    return year in years if years else year == fiscal_year_of_document(document)


def fiscal_year_of(end: dt.date, document: Document) -> int:
    """Fiscal year in which a period ends, counted from the document's own year and period end."""
    if document.period_end and document.fiscal_year:
        own = dt.date.fromisoformat(document.period_end[:10])
        return document.fiscal_year + round((end - own).days / 365.25)
    return end.year


def fiscal_year_of_document(document: Document) -> int | None:
    return document.fiscal_year or (int(document.period_end[:4]) if document.period_end else None)


def _named(measure: str, row: Mapping[str, Any], document: Document) -> dict[str, Any]:
    kept = ("fact_id", "doc_id", "concept", "label", "value", "unit", "decimals", "period_start", "period_end")
    return {"measure": measure, **{name: row[name] for name in kept}, "company": document.company, "form": document.form}
