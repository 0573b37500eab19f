"""One switch for Parquet and OpenSearch, against a real node: members, crashes, rollbacks, costs, refusals, another layout."""

from __future__ import annotations

import io
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from filingforest.config import Settings
from filingforest.config.opensearch import OpenSearchSettings
from filingforest.current import Current, open_manifest, read_current, switch
from filingforest.errors import LostRace, PublicationError
from filingforest.manifest import Manifest
from filingforest.opensearch import indexes, load
from filingforest.opensearch.client import connect
from filingforest.opensearch.layout import Layout
from filingforest.opensearch.loader import Loader
from filingforest.opensearch.state import read_state
from filingforest.opensearch.target import NAME, OpenSearchTarget
from filingforest.publish.publish import publish
from filingforest.publish.rollback import release, rollback
from filingforest.publish.targets import Change
from filingforest.store import Store, open_store
from tests.support.tiny_index import TinyIndex

pytestmark = pytest.mark.service


class Corpus:
    """An index in a folder and its copy in OpenSearch."""

    def __init__(self, folder: Path, settings: OpenSearchSettings) -> None:
        self.store: Store = open_store(str(folder / "tiny"))
        self.index, self.settings = TinyIndex(self.store), settings
        self.target = self.other()
        self.client = connect(settings)

    def other(self) -> OpenSearchTarget:
        """Another publisher's."""
        target = OpenSearchTarget(self.store, self.settings)
        target.patience_s = 0.1
        return target

    def publish(self) -> str:
        made = publish(self.store, Settings(), self.index.embedder, targets=[self.target])
        assert made.publication
        return made.publication

    def die_behind_current(self, monkeypatch: pytest.MonkeyPatch) -> Current:
        """Publish, but for OpenSearch's switch; what CURRENT says then."""
        with monkeypatch.context() as patch:
            patch.setattr(OpenSearchTarget, "switch", lambda self, publication: (_ for _ in ()).throw(KeyboardInterrupt))
            with pytest.raises(KeyboardInterrupt):
                self.publish()
        now = read_current(self.store)
        assert now
        return now

    def rival(self, publication: str) -> Manifest:
        """What another publisher would make of the same: the next number, with an id of its own."""
        return replace(open_manifest(self.store, publication), sequence=2, id="000002-ffffffffffff")

    def back(self, publication: str) -> None:
        rollback(self.store, publication)
        self.target.back(publication)

    def bulk(self, publication: str) -> dict[str, int]:
        return open_manifest(self.store, publication).targets[NAME]["bulk"]

    def members(self, publication: str) -> set[str]:
        """Documents that OpenSearch shows of a publication."""
        manifest = open_manifest(self.store, publication)
        return self.documents(manifest.targets[NAME]["index"], {"term": {"live": manifest.sequence}})

    def shown(self) -> set[str]:
        """Documents that people see under the alias."""
        return self.documents(f"{self.settings.prefix}-tiny-units", {"match_all": {}})

    def documents(self, index: str, query: dict) -> set[str]:
        body = {"size": 0, "query": query, "aggs": {"d": {"terms": {"field": "doc_id", "size": 1_000}}}}
        found = self.client.search(index=index, body=body)["aggregations"]["d"]["buckets"]
        assert all(bucket["doc_count"] == 2 for bucket in found)  # both units of each
        return {bucket["key"] for bucket in found}


@pytest.fixture
def corpus(tmp_path: Path, opensearch: OpenSearchSettings) -> Corpus:
    return Corpus(tmp_path, opensearch)


def test_a_night_writes_what_changed_and_nothing_twice(corpus: Corpus) -> None:
    corpus.index.add("2024-02-01", "a", "b", "c")
    first = corpus.publish()
    assert corpus.bulk(first) == {"items": 6, "created": 6, "changed": 0, "refused": 0}
    corpus.index.add("2024-02-02", "d")
    second = corpus.publish()
    assert corpus.bulk(second) == {"items": 2, "created": 2, "changed": 0, "refused": 0}
    before = corpus.client.indices.stats(index=f"{corpus.settings.prefix}-*", metric="indexing")["_all"]["primaries"]["indexing"][
        "index_total"
    ]
    assert corpus.publish() == second
    assert (
        corpus.client.indices.stats(index=f"{corpus.settings.prefix}-*", metric="indexing")["_all"]["primaries"]["indexing"]["index_total"]
        == before
    )
    assert corpus.members(first) == {"a", "b", "c"}
    assert corpus.members(second) == corpus.shown() == {"a", "b", "c", "d"}


def test_a_rollback_writes_nothing_and_the_night_after_it_finds_the_way(corpus: Corpus) -> None:
    corpus.index.add("2024-02-01", "a", "b")
    first = corpus.publish()
    corpus.index.add("2024-02-02", "c")
    second = corpus.publish()
    corpus.back(first)
    assert corpus.shown() == {"a", "b"}
    corpus.index.add("2024-02-03", "d")
    third = corpus.publish()
    assert corpus.bulk(third) == {"items": 4, "created": 2, "changed": 2, "refused": 0}  # d begins, c ends
    release(corpus.store)
    fourth = corpus.publish()
    assert corpus.bulk(fourth) == {"items": 2, "created": 0, "changed": 2, "refused": 0}  # c begins again
    members = [corpus.members(p) for p in (first, second, third, fourth)]
    assert members == [{"a", "b"}, {"a", "b", "c"}, {"a", "b", "d"}, {"a", "b", "c", "d"}]
    ranges = corpus.client.search(index=f"{corpus.settings.prefix}-tiny-units", body={"query": {"term": {"doc_id": "c"}}})["hits"]["hits"]
    assert ranges[0]["_source"]["live"] == [{"gte": 2, "lte": 3}, {"gte": 5}]


def test_a_replaced_document_has_new_units_beside_the_old_ones(corpus: Corpus) -> None:
    entry = corpus.index.entry("a", ["a revenue grew", "a liquidity is enough"])
    corpus.index.receipt("2024-02-01", entry)
    first = corpus.publish()
    corpus.index.receipt("2024-02-02", corpus.index.entry("a", ["a revenue fell", "a liquidity is enough"], known_from="2024-02-02"))
    second = corpus.publish()
    assert corpus.members(first) == corpus.members(second) == {"a"}
    found = corpus.client.search(index=f"{corpus.settings.prefix}-tiny-units", body={"query": {"match": {"text_en": "revenue"}}})
    assert [hit["_source"]["text_en"] for hit in found["hits"]["hits"]] == ["a revenue fell"]


def test_a_load_that_is_cut_off_is_seen_by_nobody_and_finished_by_the_next_run(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus.index.add("2024-02-01", "a", "b")
    first = corpus.publish()
    corpus.index.add("2024-02-02", "c", "d", "e")
    whole = load.Load.actions

    def cut_off(self):
        for number, action in enumerate(whole(self)):
            if number == 3:
                raise KeyboardInterrupt
            yield action

    corpus.target._settings = replace(corpus.settings, bulk_items=1)
    with monkeypatch.context() as patch:
        patch.setattr(load.Load, "actions", cut_off)
        with pytest.raises(KeyboardInterrupt):
            corpus.publish()
    corpus.client.indices.refresh(index=f"{corpus.settings.prefix}-*")
    assert corpus.members(first) == corpus.shown() == {"a", "b"}
    second = corpus.publish()
    assert corpus.bulk(second)["items"] == 4  # 2 of 6 were there, the third was in a request that was never sent
    assert corpus.members(second) == {"a", "b", "c", "d", "e"}
    assert corpus.members(first) == {"a", "b"}


def test_a_crash_between_the_two_switches_is_finished_by_the_next_run(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus.index.add("2024-02-01", "a")
    first = corpus.publish()
    corpus.index.add("2024-02-02", "b")
    now = corpus.die_behind_current(monkeypatch)
    assert now.id != first
    assert corpus.members(now.id) == {"a", "b"}  # readers follow CURRENT and find it
    assert corpus.shown() == {"a"}  # people do not yet
    assert corpus.publish() == now.id
    assert corpus.shown() == {"a", "b"}


def test_another_load_between_load_and_switch_is_repaired(corpus: Corpus) -> None:
    corpus.index.add("2024-02-01", "a")
    first = corpus.publish()
    corpus.index.add("2024-02-02", "b")
    other, prepare = corpus.other(), corpus.target.prepare

    def interrupted(manifest, change):
        answer = prepare(manifest, change)
        other.prepare(corpus.rival(first), change)  # thinks the first is dead
        return answer

    corpus.target.prepare = interrupted  # type: ignore[method-assign]
    second = corpus.publish()
    assert corpus.members(second) == corpus.shown() == {"a", "b"}
    assert corpus.members(first) == {"a"}


def test_a_load_that_was_taken_away_is_over_before_the_switch(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else readers would find what the other load has under the same number."""
    corpus.index.add("2024-02-01", "a")
    first = corpus.publish()
    corpus.index.add("2024-02-02", "b")
    accept = Loader._accept
    found: list[set[str]] = []

    def taken_away(self: Loader, *about: Any) -> None:
        accept(self, *about)
        patched.undo()
        corpus.other().prepare(corpus.rival(first), Change())

    def looked_at(store: Store, now: Any, publication: str, reason: str) -> Any:
        found.append(corpus.members(publication))
        return switch(store, now, publication, reason)

    monkeypatch.setattr("filingforest.publish.publish.switch", looked_at)
    with monkeypatch.context() as patched:
        patched.setattr(Loader, "_accept", taken_away)
        second = corpus.publish()
    assert found == [{"a", "b"}]
    assert corpus.members(second) == corpus.shown() == {"a", "b"}
    assert corpus.members(first) == {"a"}


def test_whoever_takes_over_from_one_that_died_behind_its_switch_writes_nothing(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus.index.add("2024-02-01", "a")
    first = corpus.publish()
    corpus.index.add("2024-02-02", "b")
    now = corpus.die_behind_current(monkeypatch)
    assert now.id != first
    rival = corpus.rival(first)
    layout = Layout.of("tiny", corpus.settings, rival.model.info if rival.model else None)
    state = read_state(corpus.client, layout)
    assert state.pending and state.pending.id == now.id  # as it looked while that one was alive
    with pytest.raises(LostRace):
        Loader(corpus.store, corpus.settings, corpus.client, 0.1).load(layout, rival, state, Change())
    assert corpus.members(now.id) == {"a", "b"}
    assert corpus.publish() == now.id
    assert corpus.members(now.id) == corpus.shown() == {"a", "b"}


def test_a_lost_publication_whose_load_was_cut_off_is_not_taken_for_loaded(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus.index.add("2024-02-01", "a", "b")
    first = corpus.publish()
    corpus.index.add("2024-02-02", "c")
    second = corpus.publish()
    corpus.client.indices.delete(index=f"{corpus.settings.prefix}-tiny-units-*")
    whole = load.Load.actions

    def cut_off(self):
        yield next(iter(whole(self)))
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(load.Load, "actions", cut_off)
        with pytest.raises(KeyboardInterrupt):
            corpus.target.catch_up()
    corpus.target.catch_up()
    assert [corpus.members(first), corpus.members(second), corpus.shown()] == [{"a", "b"}, {"a", "b", "c"}, {"a", "b", "c"}]


def test_refused_documents_are_kept_with_reasons_and_stop_the_switch(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus.index.add("2024-02-01", "a")
    first = corpus.publish()
    corpus.index.add("2024-02-02", "b")
    new = load.Load._new

    def spoiled(self, name, source, vector):
        action = new(self, name, source, vector)
        return replace(action, body={**action.body, "filed_at": "the day before"}) if source["place"] == 0 else action

    monkeypatch.setattr(load.Load, "_new", spoiled)
    with pytest.raises(PublicationError, match=r"1 documents refused \(50\.0% of the new ones\)"):
        corpus.publish()
    now = read_current(corpus.store)
    assert now and now.id == first
    (key,) = corpus.store.list("refused/opensearch/")
    (row,) = pq.read_table(io.BytesIO(corpus.store.get(key))).to_pylist()
    assert (row["document"], row["status"], row["kind"], row["refused_in_all"]) == ("b", 400, "mapper_parsing_exception", 1)
    assert "the day before" in row["reason"]


def test_another_layout_is_another_index_and_readers_of_the_old_one_keep_theirs(corpus: Corpus) -> None:
    corpus.index.add("2024-02-01", "a")
    first = corpus.publish()
    corpus.target = OpenSearchTarget(corpus.store, replace(corpus.settings, m=8))
    corpus.index.add("2024-02-02", "b")
    second = corpus.publish()
    places = [open_manifest(corpus.store, p).targets[NAME]["index"] for p in (first, second)]
    assert places[0] != places[1]
    assert corpus.members(first) == {"a"}
    assert corpus.members(second) == corpus.shown() == {"a", "b"}
    corpus.back(first)
    assert corpus.shown() == {"a"}


def test_pruned_publications_take_along_what_only_they_had(corpus: Corpus) -> None:
    corpus.index.add("2024-02-01", "a", "b")
    first = corpus.publish()
    corpus.index.receipt("2024-02-02", corpus.index.entry("b", ["b other", "b texts"], known_from="2024-02-02"))
    second = corpus.publish()
    index = open_manifest(corpus.store, second).targets[NAME]["index"]
    assert corpus.client.count(index=index)["count"] == 6
    corpus.store.delete(f"publications/{first}/manifest.json")
    corpus.store.put_new(f"pruned/{first}.json", b"{}")
    corpus.target.drop(first)
    assert corpus.client.count(index=index)["count"] == 4
    assert corpus.members(second) == {"a", "b"}
    corpus.target.erase("b")
    assert corpus.client.count(index=index)["count"] == 2


def test_two_indexes_of_one_name_do_not_write_over_each_other(corpus: Corpus, tmp_path: Path) -> None:
    corpus.index.add("2024-02-01", "a")
    corpus.publish()
    other = Corpus(tmp_path / "elsewhere", corpus.settings)
    other.index.add("2024-02-01", "z")
    with pytest.raises(PublicationError, match="never had"):
        other.publish()


@pytest.mark.parametrize("seed", [1, 2])
def test_any_history_leaves_every_publication_with_its_members(corpus: Corpus, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(seed)
    expected: dict[str, set[str]] = {}
    for night in range(8):
        kind = rng.choice(["publish", "publish", "cut", "back", "release"]) if expected else "publish"
        if kind == "back":
            corpus.back(rng.choice(sorted(expected)))
            continue
        if kind == "release":
            release(corpus.store)
        corpus.index.add(f"2024-03-{night + 1:02d}", f"d{night}")
        with monkeypatch.context() as patch:
            if kind == "cut":
                patch.setattr(indexes, "count", lambda *a: (_ for _ in ()).throw(KeyboardInterrupt))
            try:
                made = corpus.publish()
                expected[made] = documents_of(corpus.store, made)
            except KeyboardInterrupt:
                pass
        assert {p: corpus.members(p) for p in expected} == expected
    now = read_current(corpus.store)
    assert now and corpus.shown() == expected[now.id]


def documents_of(store: Store, publication: str) -> set[str]:
    """Documents of a publication, as its Parquet has them."""
    found: set[str] = set()
    for segment in open_manifest(store, publication).segments:
        path = next(f.path for f in segment.files if f.path.endswith("/documents.parquet"))
        ids = pq.read_table(io.BytesIO(store.get(path)), columns=["doc_id"])["doc_id"].to_pylist()
        found |= set(ids) - set(segment.dead)
    return found
