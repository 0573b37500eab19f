"""Pointers lead to the node that holds the matter."""

from __future__ import annotations

from .pages import bold, page, parse, prose


def test_pointers_are_resolved_inside_the_filing() -> None:
    parsed = parse(
        page(
            bold("Item 3. Legal Proceedings"), "<p>See Note 12 in Item 8, under “Court cases”, for a discussion of legal proceedings.</p>",
            bold("Item 8. Financial Statements"), bold("NOTES TO CONSOLIDATED FINANCIAL STATEMENTS"), bold("Note 12 - Contingencies"), prose("Claim", 1),
            '<p><i>Court Cases</i></p>', prose("Court", 1),
        )
    )  # fmt: skip
    by_id = {n.node_id: n for n in parsed.nodes}
    view = next(i for i in parsed.items if i.item == "3")
    assert view.status == "pointer"
    assert [by_id[t].heading for t in view.targets] == ["Note 12 - Contingencies", "Item 8. Financial Statements", "Court Cases"]


def test_what_is_not_there_is_not_pointed_to() -> None:
    parsed = parse(
        page(
            bold("Item 3. Legal Proceedings"),
            "<p>See Note 99 to the financial statements.</p>",
            bold("Item 4. Mine Safety Disclosures"),
            "<p>None.</p>",
        )
    )
    assert parsed.items[0].status == "pointer"
    assert parsed.items[0].targets == []
