"""The published lexicon: what readers find in a question is what was counted, and counts by Item are those of live documents."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from filingforest.bundle import write_bundle
from filingforest.config import FlamSettings, Settings
from filingforest.current import open_manifest
from filingforest.flam.clusters import members
from filingforest.flam.count import TermCounter
from filingforest.flam.lexicon import load_lexicon
from filingforest.manifest import Manifest
from filingforest.publish import filesets, flam_counts
from filingforest.publish.flam import FlamPublisher, corpus_tables
from filingforest.publish.ledger import SEGMENTS, placed_in
from filingforest.publish.publish import publish
from filingforest.publish.rollback import rollback
from filingforest.publish.segments import Segment
from filingforest.publish.takedown import take_down
from filingforest.query.lexicon import TermFinder
from filingforest.query.publication import open_publication
from filingforest.store import Store, open_store
from tests.support.small_trees import TextEmbedder
from tests.support.tiny_index import TinyIndex

LEXICON = load_lexicon()
COUNTER = TermCounter(LEXICON)
FINDER = TermFinder(LEXICON.forms, [[term] for term in LEXICON.synonyms])
WORDS = st.sampled_from(
    ["net", "sales", "income", "operating", "total", "assets", "Backlog", "CET1", "the", "of", "goodwill", "impairment", "10-K", "R&D"]
)


@given(st.lists(WORDS, max_size=12).map(" ".join))
def test_a_reader_finds_what_the_automaton_counts(text: str) -> None:
    assert FINDER.find(text) == COUNTER.find(text)


def test_the_longest_spelling_counts() -> None:
    assert FINDER.find("Did net income and net sales beat goodwill impairments?") == ["net income", "sales", "goodwill impairment"]


def test_expansion_is_capped_and_starts_with_the_term() -> None:
    finder = TermFinder({}, [["revenue", "sales", "product revenue"], ["backlog"]])
    assert finder.expand(["sales", "backlog", "unknown"]) == {
        "sales": ["sales", "revenue", "product revenue"],
        "backlog": ["backlog"],
        "unknown": ["unknown"],
    }
    assert finder.expand(["sales"], most=2) == {"sales": ["sales", "revenue"]}
    assert (finder.cluster("sales"), finder.cluster("unknown")) == (0, None)


def test_members_are_listed_by_cluster() -> None:
    assert members({"a": 0, "b": 1, "c": 0}) == [["a", "c"], ["b"]]


def index(tmp_path: Path) -> tuple[Store, TinyIndex]:
    store = open_store(str(tmp_path / "filings"))
    return store, TinyIndex(store)


def entry(tiny: TinyIndex, doc_id: str, *texts: str) -> dict:
    """A document with trees."""
    from filingforest.bundle import read_bundle
    from filingforest.config import TreesSettings
    from filingforest.trees.build import TreeBuilder
    from filingforest.trees.extractive import Extractive

    made = tiny.entry(doc_id, texts)
    tables = {stage: read_bundle(tiny.store.get(made["stages"][stage])) for stage in ("parsed", "chunks", "embeddings")}
    builder = TreeBuilder(TreesSettings(), Extractive(COUNTER), tiny.embedder, COUNTER)
    parts = (tables["parsed"].table("nodes"), tables["chunks"].table("chunks"), tables["embeddings"].table("embeddings"))
    key = made["stages"]["chunks"].replace("chunks", "trees", 1)
    tiny.store.put_new(key, write_bundle(builder.build(doc_id, *parts)))
    made["stages"]["trees"], made["fingerprints"]["trees"] = key, "0" * 16
    return made


def rows(store: Store, made: Manifest, name: str) -> list[dict]:
    assert made.lexicon is not None
    path = next(file.path for file in made.lexicon.files if file.path.endswith(name))
    found: list[dict] = pq.read_table(store.local_path(path)).to_pylist()
    return found


def test_counts_by_item_are_published_with_the_lexicon(tmp_path: Path) -> None:
    store, tiny = index(tmp_path)
    tiny.receipt("2024-02-01", entry(tiny, "a", "Net sales rose. Sales fell.", "Backlog grew."), entry(tiny, "b", "Sales of goodwill."))
    tiny.publish()
    publication = open_publication(store)
    items = {
        (row["item_key"], row["term"]): (row["count"], row["weight"])
        for row in rows(store, publication.manifest, "flam_items.parquet")
        if row["term"]
    }
    assert items == {("10-K:II.7", "sales"): (3, 1.0), ("10-K:II.7", "backlog"): (1, 1.0), ("10-K:II.7", "goodwill"): (1, 1.0)}
    weights = {row["term"]: row["weight"] for row in rows(store, publication.manifest, "flam_terms.parquet")}
    assert (weights["sales"], weights["backlog"], weights["EBITDA"]) == (0.6, 0.2, 0.0)
    assert set(weights) == set(LEXICON.synonyms)
    terms = publication.terms
    assert terms is not None
    assert terms.find("How did net sales change?") == ["sales"]

    tiny.receipt("2024-02-02", entry(tiny, "a", "Nothing of that kind."), expected=1)
    newer = {**entry(tiny, "a", "Nothing of that kind."), "known_from": "2024-03-01"}
    tiny.receipt("2024-03-01", newer)
    tiny.publish()
    left = {row["term"]: row["count"] for row in rows(store, open_publication(store).manifest, "flam_items.parquet") if row["term"]}
    assert left == {"sales": 1, "goodwill": 1}


def test_sums_brought_forward_are_those_counted_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Documents come, change and are withdrawn; of old segments nothing is read but the rows of those that went."""
    store = open_store(str(tmp_path / "filings"))
    tiny = TinyIndex(store, settings=Settings.from_dict({"publish.segment_floor": 2}))
    tiny.receipt("2024-02-01", entry(tiny, "a", "Net sales rose. Sales fell.", "Backlog grew."), entry(tiny, "b", "Sales of goodwill."))
    tiny.publish()

    def counted_anew(*_: object) -> None:
        raise AssertionError

    with monkeypatch.context() as patch:
        patch.setattr(flam_counts, "_of_all", counted_anew)
        tiny.receipt("2024-02-02", entry(tiny, "c", "Goodwill impairment.", "Total assets."))
        second = tiny.publish().publication
        assert sums(store) == {"sales": 3, "backlog": 1, "goodwill": 1, "goodwill impairment": 1, "total assets": 1}
        tiny.receipt("2024-03-01", {**entry(tiny, "a", "Backlog fell.", "EBITDA."), "known_from": "2024-03-01"})
        tiny.publish()
        assert sums(store) == {"sales": 1, "backlog": 1, "EBITDA": 1, "goodwill": 1, "goodwill impairment": 1, "total assets": 1}
        rollback(store, second)
        tiny.receipt("2024-03-02", entry(tiny, "d", "Sales."))
        tiny.publish()
        assert sums(store) == {"sales": 4, "backlog": 1, "goodwill": 1, "goodwill impairment": 1, "total assets": 1}
    made = open_publication(store).manifest
    segments = [Segment(e, tuple(placed_in(filesets.load(store, SEGMENTS, e.id)))) for e in made.segments]
    assert len(segments) > 1
    lexicon = store.get(next(file.path for file in made.lexicon.files if file.path.endswith("lexicon.json")))
    anew = corpus_tables(lexicon, flam_counts.counted(store, flam_counts.Night(segments), None))
    assert anew["flam_items"].to_pylist() == rows(store, made, "flam_items.parquet")
    assert anew["flam_terms"].to_pylist() == rows(store, made, "flam_terms.parquet")


def test_damaged_sums_are_counted_anew(tmp_path: Path) -> None:
    store, tiny = index(tmp_path)
    tiny.receipt("2024-02-01", entry(tiny, "a", "Net sales rose."))
    tiny.publish()
    made = open_publication(store).manifest
    path = store.local_path(next(file.path for file in made.lexicon.files if file.path.endswith("flam_items.parquet")))
    path.write_bytes(path.read_bytes()[:-1])
    tiny.receipt("2024-02-02", entry(tiny, "b", "Sales of goodwill."))
    tiny.publish()
    assert sums(store) == {"sales": 2, "goodwill": 1}


def test_a_parent_whose_documents_are_not_all_known_is_counted_anew(tmp_path: Path) -> None:
    """Ledger and a list of contents are gone: what cannot be compared is not brought forward."""
    store = open_store(str(tmp_path / "filings"))
    tiny = TinyIndex(store, settings=Settings.from_dict({"publish.segment_floor": 2}))
    for day, (name, text) in enumerate((("a", "Net sales rose."), ("b", "Backlog grew.")), 1):
        tiny.receipt(f"2024-02-0{day}", entry(tiny, name, text, "Other words."))
        tiny.publish()
    made = open_publication(store).manifest
    store.delete(made.ledger.path)
    store.delete(f"segments/{made.segments[0].id}/contents.json")
    tiny.receipt("2024-02-03", entry(tiny, "c", "Sales of goodwill."))
    tiny.publish()
    assert sums(store) == {"sales": 2, "backlog": 1, "goodwill": 1}


def sums(store: Store) -> dict[str, int]:
    """Count of each term in the current publication."""
    return {row["term"]: row["count"] for row in rows(store, open_publication(store).manifest, "flam_items.parquet") if row["term"]}


def test_a_publication_without_trees_has_no_lexicon(tmp_path: Path) -> None:
    store, tiny = index(tmp_path)
    tiny.add("2024-02-01", "a")
    tiny.publish()
    assert open_publication(store).manifest.lexicon is None
    assert open_publication(store).terms is None


def test_another_threshold_is_another_publication_and_clusters_are_taken_over(tmp_path: Path) -> None:
    store, tiny = index(tmp_path)
    tiny.receipt("2024-02-01", entry(tiny, "a", "Sales fell."))
    first = tiny.publish()
    tiny.embedder.embedded.clear()
    tiny.receipt("2024-02-02", entry(tiny, "b", "Backlog fell."))
    embedded = len(tiny.embedder.embedded)
    assert tiny.publish().changed
    assert len(tiny.embedder.embedded) == embedded  # no term was embedded again
    other = publish(store, Settings(flam=FlamSettings(threshold=0.9)), tiny.embedder)
    assert other.changed and other.publication != first.publication


@pytest.mark.parametrize("threshold", [0.1, 1.0])
def test_opposites_never_share_a_cluster(threshold: float) -> None:
    """Whatever the encoder says: here all vectors are the same."""

    class Same(TextEmbedder):
        def embed(self, texts, role="passage"):
            return super().embed(["same"] * len(texts), role)

    from filingforest.flam.clusters import apart, cluster_terms

    clusters = cluster_terms(LEXICON, Same(), threshold)
    for group in apart():
        assert len({clusters[term] for term in group}) == len(group)


def test_the_publisher_names_what_decides_clusters() -> None:
    about = FlamPublisher(FlamSettings(threshold=0.7), TextEmbedder()).about
    assert (about["threshold"], about["model"], about["revision"]) == (0.7, "model", LEXICON.revision)


def test_a_takedown_keeps_the_lexicon_and_takes_the_documents_counts_away(tmp_path: Path) -> None:
    """Without an encoder: the next night, which has one, finds nothing to do."""
    store, tiny = index(tmp_path)
    tiny.receipt("2024-02-01", entry(tiny, "a", "Net sales rose. Sales fell.", "Backlog grew."), entry(tiny, "b", "Sales of goodwill."))
    before = open_manifest(store, tiny.publish().publication)
    made = open_manifest(store, take_down(store, "a", "law", "ann", tiny.settings).publication)
    assert {(row["term"], row["count"]) for row in rows(store, made, "flam_items.parquet") if row["term"]} == {
        ("sales", 1),
        ("goodwill", 1),
    }
    assert made.lexicon is not None and before.lexicon is not None
    assert (made.lexicon.info, made.model) == (before.lexicon.info, before.model)
    assert not tiny.publish().changed
