"""Trees and term counts go through a segment unharmed: what a reader sees is what was grown, in this segment or merged into another."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from filingforest import query
from filingforest.models.base import normalise
from filingforest.publish.segment import build_segment, merge_segments
from filingforest.publish.segment_source import Source
from filingforest.query.publication import open_publication
from filingforest.query.segment import Segment
from filingforest.store import open_store
from filingforest.terms import term_hash
from tests.support.corpus import Doc, Unit, publish, vector_of
from tests.support.small_trees import publish_trees, with_trees

TALL = Doc(
    "Quince Inc.",
    2023,
    [Unit(f"Net sales of segment {i} were ${i} million, and backlog fell.", "7", ("Results", f"Segment {i % 3}")) for i in range(12)]
    + [Unit("We face competition.", "1A", ("Risk factors",))],
    cik="0000000001",
)
FLAT = Doc("Skyward Co", 2023, [Unit("Our backlog of orders grew."), Unit("Cash fell; net sales fell.")], cik="0000000002")
BARE = Doc("Third Co", 2023, [Unit("No trees here, but backlog.")], cik="0000000003")
GONE = Doc("Fourth Co", 2023, [Unit("Cash fell, and goodwill too.", "9B")], cik="0000000000")


def opened(tmp_path: Path) -> Segment:
    out = tmp_path / "segment"
    build_segment([with_trees(TALL), BARE.input(), with_trees(FLAT)], out)
    return Segment(lambda name: out / name)


def test_a_flat_tree_is_read_as_it_was_grown(tmp_path: Path) -> None:
    segment = opened(tmp_path)
    assert segment.trees is not None
    (tree,) = segment.trees.of(1)  # Skyward: sorted by CIK
    assert (tree.item_key, len(tree), tree.root) == ("10-K:II.7", 3, 2)
    assert tree.leaves.tolist() == [0, 1]
    assert tree.children(2).tolist() == [0, 1]
    assert tree.weights(2).tolist() == [1.0, 1.0]
    assert tree.children(0).tolist() == []
    assert [tree.units_of(leaf).tolist() for leaf in (0, 1)] == [[13], [14]]  # after the 13 units of the first document
    assert tree.tokens == 6 + 7  # words and stops
    summary = segment.read("tree_nodes", ["tree", "level", "summary"], [tree.summary_row(2)])[0]
    assert summary == {"tree": "summary", "level": 1, "summary": "Our backlog of orders grew.\nCash fell; net sales fell."}
    asked = segment.read("tree_nodes", ["tree", "questions"], [tree.question_row(2)])[0]
    assert asked["tree"] == "question"
    assert tree.questions(2).shape == (len(asked["questions"]), 8)
    np.testing.assert_allclose(tree.questions(2)[0], vector_of(asked["questions"][0]), atol=1e-3)
    np.testing.assert_allclose(tree.vector(2), vector_of(summary["summary"]), atol=1e-3)
    hashes, frequency = tree.summary_terms(2)
    assert dict(zip(hashes.tolist(), frequency.tolist(), strict=True))[term_hash("fell")] == 2
    assert tree.summary_terms(0)[0].tolist() == []
    assert tree.lengths.tolist() == [0, 0, 10]


def test_a_tall_tree_keeps_its_edges_and_responsibilities(tmp_path: Path) -> None:
    segment = opened(tmp_path)
    assert segment.trees is not None
    trees = segment.trees.of(0)
    assert [tree.item_key for tree in trees] == ["10-K:II.7", "10-K:II.1A"]
    tree = trees[0]
    assert len(tree.leaves) == 12
    for node in range(12, len(tree)):
        assert (tree.levels[tree.children(node)] == tree.levels[node] - 1).all()
        assert len(tree.questions(node)) > 0
    for node in range(tree.root):
        above = [p for p in range(len(tree)) if node in tree.children(p)]
        assert sum(tree.weights(p)[tree.children(p).tolist().index(node)] for p in above) == pytest.approx(1)
    assert [tree.units_of(leaf).tolist() for leaf in tree.leaves] == [[i] for i in range(12)]
    stored = segment.vectors
    assert stored is not None
    np.testing.assert_allclose(tree.vector(3), normalise(stored.vectors[[3]].astype(np.float32))[0], atol=2e-3)


def test_a_document_without_trees_has_none(tmp_path: Path) -> None:
    segment = opened(tmp_path)
    assert segment.trees is not None
    assert segment.trees.of(2) == []


def test_counts_by_item_are_those_of_the_flagged_documents(tmp_path: Path) -> None:
    segment = opened(tmp_path)
    flam = segment.flam
    assert flam is not None
    both, first = np.array([True, True, True]), np.array([True, False, False])
    assert flam.counts(both, ["sales"]) == {"10-K:II.7": 13}
    assert flam.counts(first, ["sales", "competition", "no such term"]) == {"10-K:II.7": 12, "10-K:II.1A": 1}
    assert flam.counts(np.array([False, True, True]), ["backlog"]) == {"10-K:II.7": 1}
    assert flam.tokens(np.array([False, True, False])) == {"10-K:II.7": 13}


def test_segments_without_trees_and_of_the_first_format_are_read(tmp_path: Path) -> None:
    out = tmp_path / "segment"
    build_segment([FLAT.input()], out)
    assert Segment(lambda name: out / name).trees is None
    about = json.loads((out / "segment.json").read_text())
    for name in ("trees", "tree_names"):
        del about[name]
    (out / "segment.json").write_text(json.dumps({**about, "format": 1}))
    for path in [*out.glob("tree*"), *out.glob("flam*"), *out.glob("documents.tree*"), *out.glob("documents.flam*")]:
        path.unlink()
    old = Segment(lambda name: out / name)
    assert (old.trees, old.flam, old.units) == (None, None, 2)


def test_bytes_do_not_depend_on_the_order_of_documents(tmp_path: Path) -> None:
    inputs = [with_trees(TALL), with_trees(FLAT)]
    build_segment(inputs, tmp_path / "one")
    build_segment(inputs[::-1], tmp_path / "two")
    one, two = ({p.name: p.read_bytes() for p in (tmp_path / name).iterdir()} for name in ("one", "two"))
    assert one == two


def test_answers_are_the_same_with_trees_beside(tmp_path: Path) -> None:
    with_them = query.open(publish_trees(tmp_path / "a", [TALL, FLAT])).query("net sales of segment 4")
    without = query.open(publish(tmp_path / "b", [[TALL, FLAT]], vectors=True)).query("net sales of segment 4")
    assert [hit.unit_key for hit in with_them.hits] == [hit.unit_key for hit in without.hits]


def test_merged_segments_have_the_bytes_of_one_that_was_built(tmp_path: Path) -> None:
    build_segment([with_trees(TALL), BARE.input()], tmp_path / "a")
    build_segment([with_trees(FLAT), with_trees(GONE)], tmp_path / "b")
    merge_segments([Source(tmp_path / "a"), Source(tmp_path / "b", [FLAT.doc_id])], tmp_path / "merged")
    build_segment([with_trees(TALL), with_trees(FLAT), BARE.input()], tmp_path / "built")
    merged, built = ({p.name: p.read_bytes() for p in (tmp_path / name).iterdir()} for name in ("merged", "built"))
    assert merged.keys() == built.keys()
    assert {name for name in built if merged[name] != built[name]} == set()


def test_statistics_of_summaries_count_live_documents_only(tmp_path: Path) -> None:
    publication = open_publication(open_store(publish_trees(tmp_path / "a", [TALL, FLAT, GONE], dead=[TALL.doc_id])))
    stats = publication.summary_stats
    assert stats is not None
    # two summaries, "Our backlog of orders grew. Cash fell; net sales fell." and "Cash fell, and goodwill too.": 10 and 5 words
    assert (stats.units, stats.average) == (2, 7.5)
    assert stats.frequency(np.array([term_hash(t) for t in ("fell", "cash", "backlog")], "<u8")).tolist() == [2, 2, 1]
    assert open_publication(open_store(publish(tmp_path / "b", [[FLAT]]))).summary_stats is None


def test_a_document_without_units_has_no_trees(tmp_path: Path) -> None:
    out = tmp_path / "segment"
    build_segment([with_trees(Doc("Nothing Ltd", 2023, [])), with_trees(FLAT)], out)
    trees = Segment(lambda name: out / name).trees
    assert trees is not None
    assert [len(trees.of(place)) for place in (0, 1)] == [1, 0]  # sorted by CIK
