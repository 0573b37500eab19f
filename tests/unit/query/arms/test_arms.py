"""Arms over a published index with trees: every arm answers, says why, keeps to filters, and falls back with a note."""

from __future__ import annotations

from pathlib import Path

import pytest

from filingforest import query
from filingforest.config.retrieval import ARMS, RetrievalSettings
from filingforest.query.arms.guide import Guide, guide, permuted
from filingforest.query.reader import Reader
from tests.support.corpus import Doc, Unit, publish, publish_inputs
from tests.support.small_trees import publish_trees, with_trees

TEXTS = ("Net sales grew to $12 million.", "Inventories were written down.", "Goodwill is tested each autumn.", "The lease ends in 2031.",
         "Operating income fell.", "Interest on notes was paid.", "Cash came from customers.", "Dividends were declared.")  # fmt: skip
DOCS = [
    Doc(name, 2023, [Unit(f"{text} {name}", item, ("Results",)) for item in ("7", "8") for text in TEXTS])
    for name in ("Quince Inc.", "Medlar Corp.")
]


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    return query.open(publish_trees(tmp_path_factory.mktemp("forest"), DOCS))


@pytest.mark.parametrize("rerank", ["none", "light"])
@pytest.mark.parametrize("arm", ARMS)
def test_every_arm_answers_and_says_why(reader: Reader, arm: str, rerank: str) -> None:
    answer = reader.query("What were net sales of Quince in 2023?", 5, retrieval=RetrievalSettings(arm=arm, rerank=rerank))
    assert answer.hits
    assert len({hit.node_id for hit in answer.hits}) == len(answer.hits) <= 5
    assert {hit.company for hit in answer.hits} == {"Quince Inc."}
    if arm in ("walk", "beam", "joint"):
        why = answer.hits[0].why
        assert why["tree"]["paths"] and why["flam"]["k_i"] >= 1
        assert why["rerank"]["place"] == 1
    if arm == "soft":
        assert any("tree" in hit.why for hit in answer.hits)


def test_filters_hold_inside_trees(reader: Reader) -> None:
    answer = reader.query("net sales of Quince", 8, item="8", retrieval=RetrievalSettings(arm="walk"))
    assert answer.hits and {hit.item for hit in answer.hits} == {"8"}


def test_no_item_gets_more_chunks_than_its_share(reader: Reader) -> None:
    answer = reader.query("net sales of Quince", 4, retrieval=RetrievalSettings(arm="walk", weighting="none"))
    by_item: dict[str, set[int]] = {}
    for hit in answer.hits:
        by_item.setdefault(hit.why["flam"]["item_key"], set()).add(hit.why["tree"]["leaf"])
        assert len(by_item[hit.why["flam"]["item_key"]]) <= hit.why["flam"]["k_i"]


def test_without_terms_items_are_weighed_by_meaning_and_it_is_said(reader: Reader) -> None:
    answer = reader.query("xylophone?", 5, company="Quince", retrieval=RetrievalSettings(arm="walk"))
    assert "no_terms" in [note.code for note in answer.notes]


def test_without_trees_hybrid_answers_and_it_is_said(tmp_path: Path) -> None:
    bare = query.open(publish(tmp_path, [DOCS]))
    answer = bare.query("net sales of Quince", 5, retrieval=RetrievalSettings(arm="walk"))
    assert answer.hits and "no_trees" in [note.code for note in answer.notes]


def test_the_full_tier_without_a_model_says_so(reader: Reader) -> None:
    answer = reader.query("net sales of Quince", 5, retrieval=RetrievalSettings(rerank="full"))
    assert answer.hits and "no_reranker" in [note.code for note in answer.notes]


def test_weights_are_shares_and_permuting_keeps_them(reader: Reader) -> None:
    publication = reader.opened[0]

    class Finder:
        def find(self, text: str) -> list[str]:
            return ["sales"]

        def expand(self, terms: list[str]) -> dict[str, list[str]]:
            return {term: [term] for term in terms}

    found = guide(publication, "net sales", publication.live, RetrievalSettings(), {}, Finder())
    assert found.terms == ("sales",) and not found.fallback
    assert sum(found.weights.values()) == pytest.approx(1.0)
    other = Guide({"a": 0.5, "b": 0.3, "c": 0.2})
    assert sorted(permuted(other, 1).weights.values()) == [0.2, 0.3, 0.5]


@pytest.mark.parametrize("arm", ARMS)
def test_how_documents_are_packed_into_segments_changes_no_answer(tmp_path: Path, arm: str) -> None:
    alike = [Doc(name, 2023, [Unit("Net sales grew.", item) for item in ("7", "8") for _ in range(3)]) for name in ("Quince", "Medlar")]
    inputs = [with_trees(doc) for doc in alike]
    packed = query.open(publish_inputs(tmp_path / "one", [inputs]))
    apart = query.open(publish_inputs(tmp_path / "two", [[one] for one in reversed(inputs)]))
    chosen = RetrievalSettings(arm=arm)
    answers = [reader.query("net sales in 2023", 8, retrieval=chosen) for reader in (packed, apart)]
    assert [hit.node_id for hit in answers[0].hits] == [hit.node_id for hit in answers[1].hits]
