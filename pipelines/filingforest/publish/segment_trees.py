"""The trees and term counts of a segment's documents as flat arrays, so that a question walks them without decoding Parquet.

Every array belongs to one *space* of rows (trees, their nodes, the nodes' children, units, questions and terms, and term counts) whose
share of each document is told by `documents.{space}.npy`. Within a document all numbers are counts or places relative to it: a
document moves to another segment by copying its rows. Texts stay in `tree_nodes.parquet`: of a tree with n nodes, n rows of the
summary tree, then n of the question tree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from filingforest.bundle import Bundle
from filingforest.models.passages import vectors_of
from filingforest.publish.npy import NpyWriter
from filingforest.publish.segment_input import Opened
from filingforest.publish.segment_parts import Starts, TablePart
from filingforest.publish.segment_source import Span, pieces
from filingforest.terms import term_hash
from filingforest.tokens import is_number, tokenize

# space -> array -> type; vectors, whose width is known only when the first one comes, stand apart
SPACES: Mapping[str, Mapping[str, str]] = {
    "trees": {"item": "<u2", "nodes": "<u4", "tokens": "<u4"},
    "tree_nodes": {"level": "<u1", "children": "<u4", "units": "<u4", "questions": "<u2", "terms": "<u4", "length": "<u4"},
    "tree_children": {"node": "<u4", "weight": "<f4"},
    "tree_units": {"unit": "<u4"},
    "tree_questions": {},
    "tree_terms": {"hash": "<u8", "frequency": "<u2"},
    "flam": {"item": "<u2", "term": "<u2", "count": "<u4"},
}
VECTORS = ("tree_nodes", "tree_questions")
CODED = {"trees.item": "tree_item", "flam.item": "tree_item", "flam.term": "flam_term"}  # arrays of codes -> their names in segment.json
_ROWS = 16_384
Row = dict[str, Any]
Columns = dict[str, dict[str, Any]]


class TreePart:
    """The arrays of trees and term counts (see `segment_parts.Part`)."""

    def __init__(self, out: Path) -> None:
        self.out, self.trees = out, 0
        self.starts = {space: Starts(out, "tree_rows" if space == "tree_nodes" else space) for space in SPACES}
        self.files = {f"{s}.{a}": NpyWriter(out / f"{s}.{a}.npy", kind) for s, arrays in SPACES.items() for a, kind in arrays.items()}
        self.vectors: dict[str, NpyWriter] = {}
        self.names: dict[str, dict[str, int]] = {name: {} for name in CODED.values()}

    def add(self, document: Opened) -> None:
        """Append one document's trees; nothing where it has none."""
        if document.trees is None:
            return self._skip(1)
        columns = columns_of(document.trees, _units_of(document))
        for name, coded in CODED.items():
            space, _, array = name.partition(".")
            codes = self.names[coded]
            columns[space][array] = [codes.setdefault(value, len(codes)) for value in columns[space][array]]
        for space, arrays in columns.items():
            self._append(space, arrays)
        for space, starts in self.starts.items():
            starts.add(len(next(iter(columns[space].values()))))
        self.trees += len(columns["trees"]["item"])
        return None

    def merge(self, spans: Sequence[Span]) -> None:
        for span in spans:
            if not span.source.about.get("trees"):
                self._skip(span.last - span.first)
                continue
            self.trees += int(span.lengths("trees").sum())
            for space, starts in self.starts.items():
                for piece in pieces(span.rows(starts.name), _ROWS):
                    self._append(space, {array: self._copied(span, f"{space}.{array}", piece) for array in self._arrays(space)})
                starts.merge(span)

    def close(self) -> None:
        for starts in self.starts.values():
            starts.close()
        for writer in (*self.files.values(), *self.vectors.values()):
            writer.close()

    def about(self) -> dict[str, Any]:
        return {"trees": self.trees, "tree_names": {name: list(codes) for name, codes in self.names.items()}}

    def _skip(self, documents: int) -> None:
        for _ in range(documents):
            for starts in self.starts.values():
                starts.add(0)

    def _arrays(self, space: str) -> list[str]:
        return [*SPACES[space], *(["vectors"] if space in VECTORS else [])]

    def _append(self, space: str, arrays: Mapping[str, Any]) -> None:
        for array, rows in arrays.items():
            if array == "vectors":
                self._append_vectors(space, np.asarray(rows))
            else:
                self.files[f"{space}.{array}"].append(rows)

    def _append_vectors(self, space: str, rows: npt.NDArray[Any]) -> None:
        if len(rows):
            if space not in self.vectors:
                self.vectors[space] = NpyWriter(self.out / f"{space}.vectors.npy", "<f2", (rows.shape[1],))
            self.vectors[space].append(rows)

    def _copied(self, span: Span, name: str, piece: slice) -> Any:
        rows = span.source.array(name)[piece]
        if name not in CODED:
            return rows
        theirs, mine = span.source.about["tree_names"][CODED[name]], self.names[CODED[name]]
        found, first = np.unique(rows, return_index=True)
        table = np.zeros(len(theirs), "<u2")
        for code in found[np.argsort(first)]:
            table[code] = mine.setdefault(theirs[code], len(mine))
        return table[rows]


class TreeTablePart(TablePart):
    """A table of the trees' bundle; segments from before there were trees hold none of it."""

    def __init__(self, out: Path, name: str) -> None:
        super().__init__(out, name, lambda document: document.trees.table(name) if document.trees else None)

    def merge(self, spans: Sequence[Span]) -> None:
        for span in spans:
            if "trees" in span.source.about:
                super().merge([span])
            else:
                for _ in range(span.first, span.last):
                    assert self._starts is not None
                    self._starts.add(0)


def columns_of(trees: Bundle, units_of: Mapping[str, Sequence[int]]) -> Columns:
    """One document's arrays by space. `units_of` gives the document's units of each chunk, by place; items and terms are not coded yet."""
    out: Columns = {space: {array: [] for array in arrays} for space, arrays in SPACES.items()}
    items = trees.table("tree_items").to_pylist()
    out["trees"] = {
        "item": [item["item_key"] for item in items],
        "nodes": [item["nodes"] for item in items],
        "tokens": [min(item["tokens"], 0xFFFFFFFF) for item in items],
    }
    summaries = [row for row in trees.table("tree_nodes").to_pylist() if row["tree"] == "summary"]
    vectors = trees.table("tree_vectors")
    asked = Counter(
        node for node, role in zip(*(vectors[c].to_pylist() for c in ("tree_node_id", "role")), strict=True) if role == "question"
    )
    for _, rows in groupby(summaries, key=lambda row: str(row["item_key"])):
        _add_tree(out, list(rows), asked, units_of)
    questions = np.array([role == "question" for role in vectors["role"].to_pylist()], dtype=np.bool_)
    matrix = vectors_of(vectors)
    out["tree_nodes"]["vectors"], out["tree_questions"]["vectors"] = matrix[~questions], matrix[questions]
    counts = trees.table("flam_counts")
    out["flam"] = {"item": counts["item_key"].to_pylist(), "term": counts["term"].to_pylist(), "count": counts["count"].to_pylist()}
    return out


def _add_tree(out: Columns, rows: Sequence[Row], asked: Mapping[str, int], units_of: Mapping[str, Sequence[int]]) -> None:
    place = {row["tree_node_id"]: i for i, row in enumerate(rows)}
    children: list[list[tuple[int, float]]] = [[] for _ in rows]
    for i, row in enumerate(rows):
        for parent, weight in zip(row["parent_ids"], row["parent_weights"], strict=True):
            children[place[parent]].append((i, weight))
    nodes = out["tree_nodes"]
    for row, below in zip(rows, children, strict=True):
        units = list(units_of[row["chunk_ids"][0]]) if row["level"] == 0 else []
        words = tokenize(row["summary"] or "")
        found = sorted((term_hash(term), min(count, 65_535)) for term, count in Counter(words).items())
        length = sum(not is_number(word) for word in words)
        for name, value in zip(
            SPACES["tree_nodes"], (row["level"], len(below), len(units), asked.get(row["tree_node_id"], 0), len(found), length), strict=True
        ):
            nodes[name].append(value)
        out["tree_children"]["node"] += [child for child, _ in below]
        out["tree_children"]["weight"] += [weight for _, weight in below]
        out["tree_units"]["unit"] += units
        out["tree_terms"]["hash"] += [term for term, _ in found]
        out["tree_terms"]["frequency"] += [count for _, count in found]


def _units_of(document: Opened) -> dict[str, list[int]]:
    """chunk_id -> places of its units in the document."""
    if document.chunks is None:
        return {}
    place = {key: i for i, key in enumerate(document.units["unit_key"].to_pylist())}
    return dict(_chunk_units(document.chunks, place))


def _chunk_units(chunks: Bundle, place: Mapping[str, int]) -> Iterator[tuple[str, list[int]]]:
    table = chunks.table("chunks")
    for chunk, keys in zip(table["chunk_id"].to_pylist(), table["unit_keys"].to_pylist(), strict=True):
        yield chunk, [place[key] for key in keys]
