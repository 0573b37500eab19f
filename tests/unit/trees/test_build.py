"""The stage `trees` of one document: what is grown, what is taken over, and what a chunk's vector is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from filingforest.bundle import Bundle, read_bundle, write_bundle
from filingforest.config import Settings, TreesSettings
from filingforest.errors import ConfigError, PublicationError
from filingforest.flam.count import TermCounter
from filingforest.flam.lexicon import build_lexicon
from filingforest.models.passages import vectors_of
from filingforest.trees.build import TreeBuilder, known_items
from filingforest.trees.extractive import Extractive
from filingforest.trees.generator import Passage, Written
from filingforest.trees.open import open_generator
from tests.support.corpus import Doc, Unit, vector_of
from tests.support.small_trees import TextEmbedder, chunks_of

LEXICON = build_lexicon([["sales", "net sales"], ["backlog"], ["net income"]])
TERMS = TermCounter(LEXICON)
DOC = Doc(
    "Quince Inc.",
    2023,
    [
        Unit("Net sales rose to $12 million.", "7", ("Discussion", "Results")),
        Unit("Backlog fell. Backlog of tablets fell more, and net sales too.", "7", ("Discussion", "Outlook")),
        Unit("We face competition.", "1A", ("Risks",)),
    ],
)


class Counting(Extractive):
    """Remembers how many groups it was asked to write for, level by level."""

    def __init__(self) -> None:
        super().__init__(TERMS)
        self.levels: list[int] = []

    def write_level(self, groups: Sequence[Sequence[Passage]]) -> list[Written]:
        self.levels.append(len(groups))
        return super().write_level(groups)


def builder(settings: TreesSettings | None = None) -> TreeBuilder:
    return TreeBuilder(settings or TreesSettings(), Counting(), TextEmbedder(), TERMS)


def build(made: TreeBuilder, doc: Doc = DOC, known: Sequence[Bundle] = (), target: int = 1) -> Bundle:
    tables = made.build(
        doc.doc_id,
        doc.parsed().table("nodes"),
        chunks_of(doc, target).table("chunks"),
        doc.embeddings().table("embeddings"),
        known_items(known),
    )
    return read_bundle(write_bundle(tables))


def test_each_item_has_its_trees_and_its_terms() -> None:
    made = builder()
    bundle = build(made)
    items = [{k: v for k, v in row.items() if k != "content_key"} for row in bundle.table("tree_items").to_pylist()]
    base = {"doc_id": DOC.doc_id, "levels": 2}
    assert items == [
        {**base, "item_key": "10-K:II.7", "leaves": 2, "nodes": 3, "tokens": 8 + 14},
        {**base, "item_key": "10-K:II.1A", "leaves": 1, "nodes": 2, "tokens": 4},
    ]
    counts = {(row["item_key"], row["term"]): row["count"] for row in bundle.table("flam_counts").to_pylist()}
    assert counts == {("10-K:II.7", "sales"): 2, ("10-K:II.7", "backlog"): 2}
    assert made.generator.levels == [1, 1]  # type: ignore[attr-defined]


def test_the_same_again_calls_nothing_and_has_the_same_bytes() -> None:
    first = builder()
    bundle = build(first)
    again = builder()
    copy = build(again, known=[bundle])
    assert again.generator.levels == []  # type: ignore[attr-defined]
    assert again.embedder.embedded == []  # type: ignore[attr-defined]
    for name in bundle.tables():
        assert copy.table(name).equals(bundle.table(name))


def test_only_the_item_that_changed_is_grown_again() -> None:
    bundle = build(builder())
    changed = replace(DOC, units=[*DOC.units[:2], Unit("We face fierce competition.", "1A", ("Risks",))])
    again = builder()
    copy = build(again, changed, [bundle])
    assert again.generator.levels == [1]  # type: ignore[attr-defined]
    keys = [dict(zip(*(b.table("tree_items")[c].to_pylist() for c in ("item_key", "content_key")), strict=True)) for b in (bundle, copy)]
    assert keys[0]["10-K:II.7"] == keys[1]["10-K:II.7"]
    assert keys[0]["10-K:II.1A"] != keys[1]["10-K:II.1A"]


@pytest.mark.parametrize("settings", [TreesSettings(seed=18), TreesSettings(leaf_questions=True), TreesSettings(direct=6)])
def test_other_settings_are_other_trees(settings: TreesSettings) -> None:
    again = builder(settings)
    build(again, known=[build(builder())])
    assert sum(again.generator.levels) > 0  # type: ignore[attr-defined]


def test_a_chunk_is_the_token_weighted_mean_of_its_units() -> None:
    bundle = build(builder(), target=1_000)  # both units of Item 7 in one chunk: 8 and 14 words and signs
    vectors = bundle.table("tree_vectors")
    first = vectors.to_pylist()[0]
    assert (first["role"], first["item_key"]) == ("chunk", "10-K:II.7")
    embeddings = DOC.embeddings().table("embeddings")
    units = dict(zip(embeddings["text_sha"].to_pylist(), vectors_of(embeddings), strict=True))
    from filingforest.models.passages import text_sha, unit_passages

    one, two = [units[text_sha(text)] for text in unit_passages(DOC.parsed().table("nodes")).values()][:2]
    mean = (8 * one + 14 * two) / 22
    np.testing.assert_allclose(first["vector"], mean / np.linalg.norm(mean), atol=1e-3)


def test_sub_questions_are_embedded_as_questions_and_on_leaves_if_asked_for() -> None:
    plain, asked = build(builder()), build(builder(TreesSettings(leaf_questions=True)))
    assert {r["level"] for r in plain.table("tree_nodes").to_pylist() if r["questions"]} == {1}
    rows = [r for r in asked.table("tree_nodes").to_pylist() if r["questions"]]
    assert {r["level"] for r in rows} == {0, 1}
    assert all(r["summary"] is None for r in asked.table("tree_nodes").to_pylist() if r["level"] == 0)
    vectors = asked.table("tree_vectors").filter(pa.compute.equal(asked.table("tree_vectors")["role"], "question")).to_pylist()
    texts = {r["tree_node_id"]: r["questions"] for r in rows}
    for row in vectors:
        np.testing.assert_allclose(row["vector"], vector_of(texts[row["tree_node_id"]][row["ordinal"]]), atol=1e-3)


def test_a_document_without_units_has_empty_tables() -> None:
    empty = Doc("Nothing Ltd", 2023, [])
    bundle = build(builder(), empty)
    assert {name: bundle.table(name).num_rows for name in bundle.tables()} == dict.fromkeys(bundle.tables(), 0)


def test_a_unit_without_a_vector_is_an_error_that_names_the_document() -> None:
    nothing = DOC.embeddings().table("embeddings").slice(0, 1)
    with pytest.raises(PublicationError, match=DOC.doc_id):
        builder().build(DOC.doc_id, DOC.parsed().table("nodes"), chunks_of(DOC).table("chunks"), nothing)


def test_an_unknown_generator_is_named_with_those_there_are() -> None:
    with pytest.raises(ConfigError, match="extractive"):
        open_generator(Settings(trees=TreesSettings(generator="oracle")), TERMS)
