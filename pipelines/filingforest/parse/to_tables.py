"""Parsed documents as the design's tables and as the one JSON line of `parse --json`."""

from __future__ import annotations

import json
from dataclasses import fields
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from filingforest.parse import PARSER_VERSION
from filingforest.parse.model import Fact, FactMention, ItemView, Node, Parsed

if TYPE_CHECKING:
    import pyarrow as pa


FIELDS = {kind: tuple(f.name for f in fields(kind)) for kind in (Node, Fact, FactMention, ItemView)}
VALUES = {kind: attrgetter(*names) for kind, names in FIELDS.items()}


def plain_dict(thing: Node | Fact | FactMention | ItemView) -> dict[str, Any]:
    """The fields as they are: `dataclasses.asdict` copies every table cell, which takes longer than parsing."""
    kind = type(thing)
    return dict(zip(FIELDS[kind], VALUES[kind](thing), strict=True))


def document_row(parsed: Parsed, doc_version: str) -> dict[str, Any]:
    """The row of `documents`; columns that are not known are left out."""
    return {**parsed.document, "doc_version": doc_version, "parser_version": PARSER_VERSION}


def node_row(node: Node, doc_id: str) -> dict[str, Any]:
    """The row of `nodes`."""
    row = plain_dict(node)
    row["doc_id"] = doc_id
    row["table"] = json.dumps(node.table, ensure_ascii=False, separators=(",", ":")) if node.table is not None else None
    return row


def fact_row(fact: Fact, doc_id: str) -> dict[str, Any]:
    """The row of `facts`."""
    row = plain_dict(fact)
    del row["hidden"]
    exact = row.pop("decimal")
    row["doc_id"] = doc_id
    row["dimensions"] = json.dumps(fact.dimensions, sort_keys=True)
    row["value_decimal"], row["value_double"] = exact, None if exact is None else float(exact)
    return row


def parsed_tables(parsed: Parsed, doc_version: str) -> dict[str, pa.Table]:
    """The tables of the `parsed` stage: documents, texts, nodes, facts, fact_mentions."""
    import pyarrow as pa

    from filingforest.schema import TABLES, conform

    doc_id = parsed.document["doc_id"]
    rows: dict[str, list[dict[str, Any]]] = {
        "documents": [document_row(parsed, doc_version)],
        "texts": [{"doc_id": doc_id, "doc_version": doc_version, "text": parsed.text}],
        "nodes": [node_row(node, doc_id) for node in parsed.nodes],
        "facts": [fact_row(fact, doc_id) for fact in parsed.facts],
        "fact_mentions": [{**plain_dict(m), "doc_id": doc_id} for m in parsed.mentions],
    }
    return {name: conform(name, pa.Table.from_pylist(rows[name], schema=_as_text(TABLES[name]))) for name in rows}


def _as_text(schema: pa.Schema) -> pa.Schema:
    """Exact decimals come as text; `conform` turns them into Arrow's, or null where they do not fit."""
    import pyarrow as pa

    return pa.schema([pa.field(f.name, pa.string()) if pa.types.is_decimal(f.type) else f for f in schema])


def parsed_json(parsed: Parsed) -> dict[str, Any]:
    """`{"document", "items", "nodes", "facts", "fact_mentions"}` as `parse --json` prints it."""
    return {
        "document": parsed.document,
        "items": [plain_dict(item) for item in parsed.items],
        "nodes": [plain_dict(node) for node in parsed.nodes],
        "facts": [plain_dict(fact) for fact in parsed.facts],
        "fact_mentions": [plain_dict(mention) for mention in parsed.mentions],
        "warnings": parsed.warnings,
    }
