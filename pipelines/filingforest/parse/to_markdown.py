"""A parsed document as Markdown, so that a person or a model reads what the parser saw: headings, paragraphs and tables in order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from filingforest.parse.model import Node, Parsed

DEEPEST = 6  # levels of headings in Markdown
SIGNS = re.compile(r"^(\s*)([#>*+-]|\d+[.)])(?=\s)")


def to_markdown(parsed: Parsed) -> str:
    """The whole document. Item and section headings become `#` to `######`; tables keep their flattened header."""
    about = parsed.document
    title = about.get("title") or " ".join(str(about[k]) for k in ("company", "form", "fiscal_year") if about.get(k)) or about["doc_id"]
    return "\n\n".join([f"# {title}", *(block for node in parsed.nodes for block in _blocks(node))]) + "\n"


def _blocks(node: Node) -> Iterator[str]:
    if node.kind in ("item", "section", "clause") and node.heading:
        yield "#" * min(DEEPEST, node.depth + 1) + " " + " ".join(node.heading.split())
    if node.table:
        yield from _table(node.table)
    elif node.kind in ("text", "clause") and node.text:
        yield "\n\n".join(SIGNS.sub(r"\1\\\2", line) for line in node.text.splitlines() if line.strip())


def _table(table: dict[str, Any]) -> Iterator[str]:
    head = " ".join(x for x in (table.get("title"), table.get("scale_note")) if x)
    if head:
        yield f"**{_cell(head)}**"
    columns = [_cell(c) for c in table["columns"]]
    lines = [_row(["", *columns]), _row([":--", *("--:" for _ in columns)])]
    for row in table["rows"]:
        indent = "&emsp;" * int(row.get("level") or 0)
        lines.append(_row([indent + _cell(row.get("label")), *(_cell(t) for t in row.get("text") or [""] * len(columns))]))
    yield "\n".join(lines)


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _cell(text: Any) -> str:
    return " ".join(str(text or "").split()).replace("|", "\\|")
