"""What OpenSearch holds of a tree's node: its summary for BM25, its sub-questions with their vectors, its parents to walk by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from filingforest.opensearch.documents import document_fields, item_names, joined_tokens
from filingforest.opensearch.reading import SegmentReader
from filingforest.query.documents import Document
from filingforest.tokens import tokenize

COLUMNS = ("tree", "tree_node_id", "item_key", "level", "parent_ids", "parent_weights", "chunk_ids", "summary", "questions", "generator")
_ABOUT = ("doc_id", "company", "ticker", "cik", "form", "form_base", "fiscal_year", "language")
Row = tuple[str, dict[str, Any], dict[str, Any]]  # key, what is hashed of it, vectors


def node_rows(reader: SegmentReader, batch: list[str]) -> Iterator[tuple[Document, Iterator[Row]]]:
    """The nodes of these documents' trees, a document at a time; each document's are to be used up before the next."""
    for place, document in reader.chosen(batch) if reader.has_trees else ():
        yield document, _nodes(reader, place, document)


def _nodes(reader: SegmentReader, place: int, document: Document) -> Iterator[Row]:
    """Of an Item's trees with n nodes the table has n rows of the summary tree, then n of the question tree."""
    about = {name: value for name, value in document_fields(document).items() if name in _ABOUT}
    sizes = reader.share("trees", place, "nodes").astype(np.int64).tolist()
    rows = reader.table("tree_nodes", place, COLUMNS)
    questions = np.concatenate([[0], np.cumsum(reader.share("tree_nodes", place, "questions", "tree_rows"), dtype=np.int64)]).tolist()
    vectors = reader.share("tree_nodes", place, "vectors", "tree_rows")
    asked = reader.share("tree_questions", place, "vectors")
    for first, last in pairwise(np.cumsum([0, *sizes]).tolist()):
        count = last - first
        for i in range(count):
            summary, question = rows[2 * first + i], rows[2 * first + count + i]
            node = first + i
            mine: list[Any] = list(asked[questions[node] : questions[node + 1]])
            source = {**about, "place": node, **_fields(summary, question)}
            yield f"{document.doc_id}|{summary['item_key']}|{summary['tree_node_id']}", source, _vectors(vectors, node, mine)


def _fields(summary: dict[str, Any], question: dict[str, Any]) -> dict[str, Any]:
    return {
        "item_key": summary["item_key"],
        "items": item_names(summary["item_key"]),
        "node": summary["tree_node_id"],
        "level": summary["level"],
        "parents": summary["parent_ids"] or [],
        "parent_weights": summary["parent_weights"] or [],
        "chunks": summary["chunk_ids"] or [],
        "generator": summary["generator"],
        "summary": summary["summary"],
        "body": joined_tokens(Counter(tokenize(summary["summary"] or ""))),
        "questions": [{"text": text} for text in question["questions"] or []],
    }


def _vectors(vectors: Any, node: int, questions: list[Any]) -> dict[str, Any]:
    return {"vector": vectors[node] if len(vectors) else None, "questions": questions}
