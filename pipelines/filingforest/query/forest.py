"""The trees of one Item with their texts, for looking at: found by document and Item, or told which ones there are."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from filingforest.errors import NotFound, QueryError
from filingforest.query.publication import Publication
from filingforest.query.segment import Segment, is_item
from filingforest.query.trees import ItemTree

_SHOWN = 12  # candidates that an error lists


@dataclass(frozen=True, slots=True)
class Grown:
    """A tree with its texts by node: `summaries` and `questions` of both trees; of a leaf the heading and text of its first unit."""

    doc_id: str
    tree: ItemTree
    summaries: Sequence[str]
    questions: Sequence[Sequence[str]]
    generators: Sequence[str]


def find_tree(publications: Sequence[Publication], doc: str, item: str) -> Grown:
    """The trees of an Item. `item` as in filters: "7", "10-K:II.7". Errors: NotFound and QueryError, both with candidates."""
    segment, place, doc_id = _document(publications, doc)
    trees = segment.trees.of(place) if segment.trees else ()
    found = [tree for tree in trees if is_item(tree.item_key, item)] or [tree for tree in trees if tree.item_key == item]
    if len(found) != 1:
        names = ", ".join((tree.item_key or "''") for tree in (found or trees)) or "none"
        error = QueryError if found else NotFound
        what = f"item {item} means several" if found else f"no trees of item {item}" if trees else "it has no trees"
        raise error(what, document=doc_id, stage="tree", remedy=f"its items with trees: {names}")
    return _texts(segment, doc_id, found[0])


def _document(publications: Sequence[Publication], doc: str) -> tuple[Segment, int, str]:
    segments = [segment for publication in publications for segment in publication.segments]
    every = [(segment, i, segment.documents[i].doc_id) for segment in segments for i in np.flatnonzero(segment.live).tolist()]
    found = [at for at in every if at[2] == doc] or [at for at in every if at[2].endswith(doc) or at[2].startswith(doc)]
    if len(found) == 1:
        segment, place, doc_id = found[0]
        return segment, place, doc_id
    if found:
        names = ", ".join(doc_id for *_, doc_id in found[:_SHOWN])
        raise QueryError(f"{doc} means several documents", stage="tree", remedy=f"name one of {names}")
    ids = [doc_id for *_, doc_id in every]
    names = ", ".join(difflib.get_close_matches(doc, ids, _SHOWN, 0.5) or ids[:_SHOWN]) or "none"
    raise NotFound(f"no document {doc}", stage="tree", remedy=f"documents like it: {names}")


def _texts(segment: Segment, doc_id: str, tree: ItemTree) -> Grown:
    nodes = range(len(tree))
    written = segment.read("tree_nodes", ["summary", "generator"], [tree.summary_row(node) for node in nodes])
    asked = segment.read("tree_nodes", ["questions"], [tree.question_row(node) for node in nodes])
    first = {int(leaf): int(tree.units_of(int(leaf))[0]) for leaf in tree.leaves if len(tree.units_of(int(leaf)))}
    units = dict(zip(first, segment.read("units", ["heading_path", "text"], list(first.values())), strict=True))
    return Grown(
        doc_id,
        tree,
        [_leaf(units[node]) if node in units else row["summary"] or "" for node, row in zip(nodes, written, strict=True)],
        [row["questions"] or [] for row in asked],
        [row["generator"] or "" for row in written],
    )


def _leaf(unit: dict[str, object]) -> str:
    path = unit["heading_path"]
    heading = str(path[-1]) if isinstance(path, list) and path else ""
    return f"{heading}: {unit['text']}" if heading else str(unit["text"])
