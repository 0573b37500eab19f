"""Parsed documents as the design's tables and as the one JSON line of `parse --json`."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from filingforest.parse import PARSER_VERSION
from filingforest.parse.model import DocumentHint, Fact, Node, Parsed

if TYPE_CHECKING:
    import pyarrow as pa


def document_row(parsed: Parsed, doc_version: str) -> dict[str, Any]:
    """The row of `documents`; columns that are not known are left out."""
    return {**parsed.document, "doc_version": doc_version, "parser_version": PARSER_VERSION}


def node_row(node: Node, doc_id: str) -> dict[str, Any]:
    """The row of `nodes`."""
    row = asdict(node)
    row["doc_id"] = doc_id
    row["table"] = json.dumps(node.table, ensure_ascii=False, separators=(",", ":")) if node.table is not None else None
    return row


def fact_row(fact: Fact, doc_id: str) -> dict[str, Any]:
    """The row of `facts`."""
    from filingforest.schema import value_columns

    row = asdict(fact)
    row.pop("hidden"), row.pop("decimal")
    row["doc_id"] = doc_id
    row["dimensions"] = json.dumps(fact.dimensions, sort_keys=True)
    row.update(value_columns(fact.decimal))
    return row


def parsed_tables(parsed: Parsed, doc_version: str) -> dict[str, pa.Table]:
    """The tables of the `parsed` stage: documents, texts, nodes, facts, fact_mentions."""
    import pyarrow as pa

    from filingforest.schema import TABLES

    doc_id = parsed.document["doc_id"]
    rows: dict[str, list[dict[str, Any]]] = {
        "documents": [document_row(parsed, doc_version)],
        "texts": [{"doc_id": doc_id, "doc_version": doc_version, "text": parsed.text}],
        "nodes": [node_row(node, doc_id) for node in parsed.nodes],
        "facts": [fact_row(fact, doc_id) for fact in parsed.facts],
        "fact_mentions": [{**asdict(m), "doc_id": doc_id} for m in parsed.mentions],
    }
    return {name: pa.Table.from_pylist(rows[name], schema=TABLES[name]) for name in rows}


def parsed_json(parsed: Parsed) -> dict[str, Any]:
    """`{"document", "items", "nodes", "facts", "fact_mentions"}` as `parse --json` prints it."""
    return {
        "document": parsed.document,
        "items": [asdict(item) for item in parsed.items],
        "nodes": [asdict(node) for node in parsed.nodes],
        "facts": [asdict(fact) for fact in parsed.facts],
        "fact_mentions": [asdict(mention) for mention in parsed.mentions],
        "warnings": parsed.warnings,
    }


def sha256_of(content: bytes) -> str:
    """Hash of a document's bytes; its first 16 digits are the doc_version."""
    return hashlib.sha256(content).hexdigest()


def hint_row(hint: DocumentHint) -> dict[str, Any]:
    """Columns of `documents` that come from the hint alone."""
    names = ("doc_id", "source", "kind", "sic", "industry", "filed_at", "accepted_at", "source_url", "title")
    row = {name: getattr(hint, name) for name in names}
    row["known_from"] = hint.accepted_at or hint.filed_at
    return row
