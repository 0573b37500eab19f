"""Trees of every small and odd shape, and what the offline generator writes."""

from collections.abc import Sequence

import numpy as np
import pytest

from filingforest.flam.count import TermCounter
from filingforest.flam.lexicon import build_lexicon
from filingforest.models.base import EmbedderInfo, Role, Vectors, normalise
from filingforest.trees.extractive import Extractive, split
from filingforest.trees.generator import Passage
from filingforest.trees.grow import TreeNode, grow, tree_rows
from filingforest.trees.leaves import Leaf

GENERATOR = Extractive(TermCounter(build_lexicon(iter([["revenue", "net sales"], ["backlog"]]))), limit=30)


class HashEmbedder:
    """A fixed vector a text, from its bytes."""

    info = EmbedderInfo("hash", "1", 8, "onnx", True, 256)

    def embed(self, texts: Sequence[str], role: Role = "passage") -> Vectors:
        return normalise(np.array([np.random.default_rng(len(t) * 31 + sum(t.encode())).normal(size=8) for t in texts]).reshape(-1, 8))


def _leaves(count: int) -> list[Leaf]:
    texts = [f"Net sales of segment {i} were ${i} million." for i in range(count)]
    vectors = HashEmbedder().embed(texts)
    return [
        Leaf(f"c{i:03d}", Passage(t, (f"Heading {i % 2}",), ("Net sales",)), v) for i, (t, v) in enumerate(zip(texts, vectors, strict=True))
    ]


def _check(nodes: Sequence[TreeNode], count: int) -> None:
    top = max(n.level for n in nodes)
    assert [n.level for n in nodes].count(top) == 1
    root = nodes[-1]
    assert sorted(root.chunk_ids) == [f"c{i:03d}" for i in range(count)]
    assert not root.parents
    for node in nodes[:-1]:
        assert sum(w for _, w in node.parents) == pytest.approx(1)


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_few_chunks_share_one_root(count: int) -> None:
    nodes = grow(_leaves(count), GENERATOR, HashEmbedder())
    assert len(nodes) == count + 1
    _check(nodes, count)


def test_no_chunks_no_tree() -> None:
    assert grow([], GENERATOR, HashEmbedder()) == []


def test_identical_chunks_share_parents_in_reading_order() -> None:
    leaf = _leaves(1)[0]
    nodes = grow([Leaf(f"c{i:03d}", leaf.passage, leaf.vector) for i in range(12)], GENERATOR, HashEmbedder())
    assert [len([n for n in nodes if n.level == level]) for level in range(3)] == [12, 3, 1]
    _check(nodes, 12)


@pytest.mark.torch
@pytest.mark.parametrize("count", [6, 7, 9, 14, 40])
def test_clustered_trees_end_in_one_root_and_repeat_themselves(count: int) -> None:
    first, second = (grow(_leaves(count)[::step], GENERATOR, HashEmbedder()) for step in (1, -1))
    _check(first, count)
    assert tree_rows("d", "10-K:II.7", first) == tree_rows("d", "10-K:II.7", second)


def test_both_trees_have_the_same_nodes_and_parents() -> None:
    rows = tree_rows("d", "10-K:II.7", grow(_leaves(3), GENERATOR, HashEmbedder()))
    shape = [[(r["tree_node_id"], r["parent_ids"], r["chunk_ids"]) for r in rows if r["tree"] == tree] for tree in ("summary", "question")]
    assert shape[0] == shape[1]
    root = rows[3]
    assert root["tree_node_id"] == "d~10-K:II.7~L1.0000"
    assert root["generator"] == "extractive/1"
    assert "Net sales of segment" in root["summary"]
    assert rows[0]["parent_ids"] == ["d~10-K:II.7~L1.0000"]


def test_summaries_are_sentences_of_the_text_and_keep_figures() -> None:
    text = "We like our people. Net sales rose 5% to $120 million on volume. Net sales in Europe fell to $30 million. Thank you."
    summary = GENERATOR.summary([Passage(text)])
    assert all(line in text for line in summary.splitlines())
    assert "$120 million" in summary
    assert "Thank you" not in summary


def test_table_rows_stay_whole() -> None:
    assert split("Net sales | 2024: $5. Note | 2023: $4\nPlain text. More text.") == [
        "Net sales | 2024: $5. Note | 2023: $4",
        "Plain text.",
        "More text.",
    ]


def test_questions_come_from_headings_labels_and_terms() -> None:
    asked = GENERATOR.sub_questions([Passage("Our backlog and net sales; backlog.", ("Results of Operations:",), ("EBITDA", "Net sales"))])
    assert asked == [
        "What is disclosed under Results of Operations?",
        "How much is EBITDA, and against the year before?",
        "How much is net sales, and against the year before?",
        "Where does the company stand on backlog?",
        "Where does the company stand on revenue?",
    ]
