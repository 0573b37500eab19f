"""Markdown's own headings, lists and tables become sections, list entries and table units."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from filingforest.parse.markdown import parse_markdown, read_markdown
from filingforest.parse.model import DocumentHint

TEXT = """\
---
title: not a part of the text
---
# Annual report

Acme **makes** widgets
of every kind.

## Business

It sells:

- widgets
- gadgets,
  large ones

1. first
2. second

| (in millions) | 2023 | 2022 |
|---|---:|---:|
| Net sales | $1,234 | $1,100 |
| Net income | (12) | 30 |

Outlook
-------

Text with `code` and a [link](http://example.org).
"""


def test_blocks_with_levels_and_places() -> None:
    blocks = read_markdown(TEXT)
    assert [(b.level, b.kind, b.text) for b in blocks if b.kind != "table"] == [
        (1, "text", "Annual report"),
        (None, "text", "Acme makes widgets of every kind."),
        (2, "text", "Business"),
        (None, "text", "It sells:"),
        (None, "list", "• widgets"),
        (None, "list", "• gadgets, large ones"),
        (None, "list", "1. first"),
        (None, "list", "2. second"),
        (2, "text", "Outlook"),
        (None, "text", "Text with code and a link."),
    ]
    assert blocks[1].span is not None
    assert TEXT[slice(*blocks[1].span)] == "Acme **makes** widgets\nof every kind."


def test_a_table_is_a_table_unit() -> None:
    (table,) = [b.table for b in read_markdown(TEXT) if b.table]
    assert table.unit.columns == ["2023", "2022"]
    assert [(r["label"], r["values"]) for r in table.unit.rows] == [("Net sales", [1234.0, 1100.0]), ("Net income", [-12.0, 30.0])]


def test_headings_are_sections_and_the_text_is_the_files_own() -> None:
    parsed = parse_markdown(TEXT, DocumentHint("folder:test"))
    assert parsed.text == TEXT
    paths = [n.heading_path for n in parsed.nodes if n.kind == "section" and n.heading]
    assert any(path[-2:] == ["Annual report", "Business"] for path in paths)
    assert any(path[-2:] == ["Annual report", "Outlook"] for path in paths)


@given(st.text(alphabet=st.sampled_from("ab12 #*-_|`>[]()!\n\t\\:<"), max_size=300))
def test_any_text_survives(text: str) -> None:
    for block in read_markdown(text):
        assert block.span is not None
        assert 0 <= block.span[0] <= block.span[1] <= len(text)
