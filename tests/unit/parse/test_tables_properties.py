"""Any grid whatever: no crash, bounded columns, and every number kept exactly once."""

from __future__ import annotations

import re
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from filingforest.parse.elements import Element
from filingforest.parse.markup import page_of
from filingforest.parse.tables import TableResult, read_table
from filingforest.parse.tables_columns import MAX_COLUMNS

WORDS = [
    "",
    "",
    "Net sales",
    "Total",
    "$",
    "%",
    ")",
    "—",
    "(In millions)",
    "2024",
    "Level 1",
    "December 31,",
    "(1)",
    "N/A",
    "<br>",
    "<b>Costs:</b>",
]
SPANS = ["", "", "", " colspan=2", " colspan=3", " rowspan=2", " colspan=100000", " colspan=0"]


@st.composite
def grids(draw: st.DrawFn) -> tuple[str, list[str]]:
    """HTML of a table, and its numbers, no two alike."""
    numbers: list[str] = []
    html = []
    for _ in range(draw(st.integers(1, 9))):
        row = []
        for _ in range(draw(st.integers(0, 9))):
            text = draw(st.sampled_from(WORDS))
            if draw(st.booleans()):
                numbers.append(f"{7_000 + len(numbers):,}")
                text = draw(st.sampled_from(["{}", "({})", "$ {}", "{}%", "<span>{}</span>", "({}"])).format(numbers[-1])
            row.append(f"<td{draw(st.sampled_from(SPANS))}>{text}</td>")
        html.append(f"<tr>{''.join(row)}</tr>")
    return f"<table>{''.join(html)}</table>", numbers


def tables(html: str) -> list[Element]:
    return [e for e in page_of(html).root.iter() if e.tag == "table"]


def written(result: TableResult) -> Counter[str]:
    """How often each number stands in the table unit: rows, headers, title and notes."""
    unit = result.unit
    places = [t for r in unit.rows for t in r.get("text", [])]
    labels = [r["label"] for r in unit.rows if r["label"] not in r.get("text", [])]
    return Counter(n for text in [*places, *labels, *unit.notes] for n in re.findall(r"7,\d{3}", text))


@settings(max_examples=120, deadline=None)
@given(grids())
def test_every_number_is_kept_exactly_once(grid: tuple[str, list[str]]) -> None:
    html, numbers = grid
    result = read_table(tables(html)[0])
    if result is None:
        return
    kept = written(result)
    above = {n for text in [*result.unit.columns, result.unit.title or ""] for n in re.findall(r"7,\d{3}", text)}
    assert all(kept[n] == 1 for n in numbers if n not in above), (html, kept)


@settings(max_examples=120, deadline=None)
@given(grids())
def test_rows_are_as_wide_as_the_headers_and_bounded(grid: tuple[str, list[str]]) -> None:
    result = read_table(tables(grid[0])[0])
    if result is None:
        return
    width = len(result.unit.columns)
    assert width <= MAX_COLUMNS + 1
    for row in result.unit.rows:
        assert {"label", "level", "parent", "kind"} <= set(row)
        assert 0 <= row["level"] <= 8
        if "text" in row:
            assert len(row["text"]) == width
        if "values" in row:
            assert len(row["values"]) == width


@settings(max_examples=80, deadline=None)
@given(st.text(alphabet="<>/tdr =colspan01'\"$(),%", max_size=200))
def test_broken_markup_never_crashes(junk: str) -> None:
    for element in tables(f"<table><tr><td>{junk}</td><td>5</td></tr></table>"):
        read_table(element)
