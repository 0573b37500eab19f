"""Writes docs/tables.md from the declared schemas, so that it cannot say anything else: `python infra/tables_doc.py`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa

from filingforest.publish.diff_table import SCHEMA as CHANGES
from filingforest.publish.flam import TABLE_NAMES
from filingforest.publish.segment_tables import ROW_GROUPS, SCHEMAS
from filingforest.schema import MIN_READER, SCHEMA_MAJOR, SCHEMA_MINOR, TABLES

FILE = Path(__file__).resolve().parent.parent / "docs" / "tables.md"
HEAD = f"""# Tables

Written by `python infra/tables_doc.py` from `schema.py`; a test compares. Schema {SCHEMA_MAJOR}.{SCHEMA_MINOR}, for readers of
schema {MIN_READER} and later.

**What may change.** Columns and tables may be added at any time (the minor version rises): select columns by name, ignore others.
A column that is renamed, removed, or given another type or meaning raises the major version, and a manifest's `schema.min_reader`
then refuses readers that are too old. A column's number is its Parquet field id; it never changes and is never used again.
`tests/schema.json` holds the schema that was last released, and a test refuses whatever breaks this.

Instants and dates are ISO-8601 text, JSON values are text. Every field's description is in the Parquet file itself
(`pyarrow.parquet.read_schema(file).field("item_key").metadata`). `docs/reading.md` has examples.
"""
ABOUT = {
    "documents": "one row a document",
    "texts": "the normalised text of each document, which all character ranges count in",
    "nodes": "the tree of each document: items, sections, clauses, passages, tables",
    "units": "the nodes that can be hits, with their texts",
    "facts": "tagged numbers and texts of inline XBRL",
    "fact_mentions": "where each fact stands in the text",
    "chunks": "about 2,000 tokens of one item, what trees are grown from",
    "embeddings": "vectors by hash of the text; in segments they are arrays instead (docs/search.md)",
    "tree_nodes": "summaries and questions of each item's trees",
    "flam_counts": "lexicon terms by document and item",
    "changes": "what `publications diff A B --parquet OUT` writes",
}
ELSEWHERE = {
    "edges": "not written yet",
    **{name: f"`flam/{{inputs}}-{{content}}/{name}.parquet`" for name in TABLE_NAMES},
}


def main() -> None:
    FILE.write_text(text(), encoding="utf-8")


def text() -> str:
    """The whole page."""
    parts = [HEAD]
    for name, schema in TABLES.items():
        parts.append(_section(name, schema, _where(name)))
    units = SCHEMAS["units"]
    parts.append(_section("units", units, f"`units.parquet` of each segment, row groups of {ROW_GROUPS['units']}; rows of `nodes`"))
    parts.append(_section("changes", CHANGES, "a file of its own"))
    return "\n".join(parts)


def _where(name: str) -> str:
    if name in ELSEWHERE:
        return ELSEWHERE[name]
    if name not in SCHEMAS:
        return "stage bundles"
    left_out = [f"`{column}`" for column in TABLES[name].names if column not in SCHEMAS[name].names]
    missing = f", without {' and '.join(left_out)}" if left_out else ""
    return f"`{name}.parquet` of each segment{missing}, and stage bundles"


def _section(name: str, schema: pa.Schema, where: str) -> str:
    about = f"{ABOUT[name][:1].upper()}{ABOUT[name][1:]}. " if name in ABOUT else ""
    lines = [f"## {name}", "", f"{about}Where: {where}.", "", "| id | column | type | |", "|---:|---|---|---|"]
    return "\n".join([*lines, *_rows(schema), ""])


def _rows(schema: pa.Schema) -> Iterable[str]:
    for field in schema:
        about = field.metadata or {}
        number = about.get(b"PARQUET:field_id", b"").decode()
        required = "" if field.nullable else ", required"
        yield f"| {number} | `{field.name}` | {field.type}{required} | {about.get(b'description', b'').decode()} |"


if __name__ == "__main__":
    main()
