"""What does not matter changes nothing that does: other tags, class names, company, amounts, years, order of items."""

from __future__ import annotations

from typing import Any

import pytest

from filingforest.parse import parse_document
from filingforest.parse.model import DocumentHint, Parsed
from tests.support.filing_pages import DIALECTS, REPORT, Heading, Report, Statement


def parsed(report: Report, dialect: str) -> Parsed:
    return parse_document(DIALECTS[dialect].page(report).encode(), DocumentHint("folder:test", name="test.htm"))


def structure(document: Parsed) -> dict[str, Any]:
    """Items with statuses, parts and sections below them; tables with columns, rows, levels, units. No looks."""
    sections = [(n.item, (n.heading or "").casefold()) for n in document.nodes if n.kind == "section" and n.item]
    tables = [
        (n.item, n.statement, t["scale_note"], [(r["label"], r["level"], r["kind"], r.get("unit")) for r in t["rows"]])
        for n in document.nodes
        if n.kind == "table" and (t := n.table)
    ]
    units = [(n.item, " ".join(n.text.split())) for n in document.nodes if n.kind == "text" and n.item]
    return {"items": [(i.item, i.part, i.status) for i in document.items], "sections": sections, "tables": tables, "units": units}


def values(document: Parsed) -> list[list[float | None]]:
    return [r["values"] for n in document.nodes if n.table for r in n.table["rows"] if r.get("values")]


def test_the_report_is_read_as_it_was_meant() -> None:
    document = parsed(REPORT, "modern")
    assert [(i.item, i.status) for i in document.items] == [
        ("1", "full"), ("1A", "full"), ("1B", "none"), ("2", "full"), ("7", "full"), ("8", "full"), ("10", "by_reference"),
    ]  # fmt: skip
    assert document.document["company"] == REPORT.company
    assert document.document["fiscal_year"] == 2021
    meant = [(i.code, x.text.casefold()) for i in REPORT.items for x in i.body if isinstance(x, Heading)]
    found = structure(document)
    assert [s for s in found["sections"] if s in meant] == meant
    (statement,) = [x for i in REPORT.items for x in i.body if isinstance(x, Statement)]
    assert values(document) == [[float(v) for v in row[2]] for row in statement.rows if row[2]]
    (table,) = found["tables"]
    assert table[:3] == ("8", "income", "(in millions)")
    assert [(label, level) for label, level, _, _ in table[3]] == [(label, level) for label, level, _ in statement.rows]


@pytest.mark.parametrize("dialect", [d for d in DIALECTS if d != "modern"])
def test_other_tags_and_class_names(dialect: str) -> None:
    assert structure(parsed(REPORT, dialect)) == structure(parsed(REPORT, "modern"))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_another_company_other_years_other_amounts(dialect: str) -> None:
    changed = REPORT.changed("Zembla Orchard Holdings Ltd.", factor=17, years=4)
    before, after = parsed(REPORT, dialect), parsed(changed, dialect)
    told = structure(after)
    told["units"] = [(item, text.replace(changed.company, REPORT.company)) for item, text in told["units"]]
    assert told == structure(before)
    assert values(after) == [[v * 17 if v is not None else None for v in row] for row in values(before)]
    assert after.document["company"] == changed.company
    assert after.document["fiscal_year"] == before.document["fiscal_year"] + 4
    (new,) = [n.table["columns"] for n in after.nodes if n.table]
    (old,) = [n.table["columns"] for n in before.nodes if n.table]
    assert new == [c.replace("2021", "2025").replace("2020", "2024") for c in old]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_items_in_another_order(dialect: str) -> None:
    """Items that stand elsewhere keep what is in them; only where one ends changes nothing."""
    order = [5, 0, 1, 2, 3, 4, 6]  # the statements first, as some filers have them
    moved = parsed(REPORT.changed(order=lambda items: [items[k] for k in order]), dialect)
    still = parsed(REPORT, dialect)
    for name in ("sections", "tables", "units"):
        assert sorted(map(repr, structure(moved)[name])) == sorted(map(repr, structure(still)[name]))
    assert sorted(structure(moved)["items"]) == sorted(structure(still)["items"])
