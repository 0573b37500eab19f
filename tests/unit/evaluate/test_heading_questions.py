"""Questions from headings: what stands directly under one is gold, tables and headings that say too little are not asked for."""

from __future__ import annotations

from pathlib import Path

from filingforest import query
from filingforest.evaluate.heading_questions import heading_questions
from tests.support.corpus import Doc, Unit, publish


def test_what_stands_under_a_heading_is_gold(tmp_path: Path) -> None:
    path = ("Results", "Sales by region and product")
    units = [
        Unit("North grew.", path=path),
        Unit("South fell.", path=path),
        Unit("Total 5", path=path, kind="table"),
        Unit("Other.", path=("Results",)),
    ]
    reader = query.open(publish(tmp_path, [[Doc("THE QUINCE COMPANY, INC.", 2023, units)]]))
    (asked,) = heading_questions(reader.opened[0])
    assert asked.text == "Quince: Sales by region and product"
    assert (asked.kind, asked.company) == ("narrative", "Quince")
    hits = reader.query(asked.text, 4).hits
    assert {hit.text for hit in hits if asked.found(hit)} == {"North grew.", "South fell."}
