"""Snapshots that fail, break or are under way: no publication waits for them, no takedown passes one over, no restore stumbles."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from filingforest import cli
from filingforest.current import open_manifest
from filingforest.errors import PublicationError
from filingforest.opensearch import snapshots
from filingforest.opensearch.layout import Layout
from filingforest.opensearch.target import NAME
from tests.support.opensearch_place import Place

pytestmark = pytest.mark.service


def about(place: Place, publication: str) -> Any:
    """What its manifest says of OpenSearch."""
    return open_manifest(place.index.store, publication).targets[NAME]


def layout(place: Place) -> Layout:
    return Layout.of("tiny", place.settings, None)


def break_snapshot(place: Place, repository: str, publication: str) -> None:
    """Take one of which a shard is missing."""
    homeless = f"{place.settings.prefix}-homeless"
    shape = {"number_of_replicas": 0, "routing.allocation.require._name": "nobody"}
    place.client.indices.create(index=homeless, body={"settings": {"index": shape}}, params={"wait_for_active_shards": "0"})
    body = {"indices": f"{about(place, publication)['index']},{homeless}", "partial": True}
    place.client.snapshot.create(
        repository=repository, snapshot=snapshots.name_of(layout(place), publication), body=body, params={"wait_for_completion": "true"}
    )
    place.client.indices.delete(index=homeless)


def states(place: Place) -> list[tuple[str, str]]:
    return [(s["publication"], s["state"]) for s in place.type("snapshots")]


def test_a_night_whose_snapshot_fails_is_published_and_says_so(place: Place, repository: str, monkeypatch: pytest.MonkeyPatch) -> None:
    place.settings = replace(place.settings, repository="gone")
    for day, name in ((1, "a"), (2, "b")):
        place.index.add(f"2024-02-0{day}", name)
        made = place.index.publish(targets=[place.target()])
        assert made.changed and made.publication == place.now()
        assert len(made.warnings) == 1 and "opensearch: no snapshot of it in gone: " in made.warnings[0]
    assert place.published() == place.shown() == {"a", "b"}
    assert list(place.index.store.list("intents/")) == []
    assert "no snapshot of it in gone" in place.index.publish(targets=[place.target()]).warnings[0]  # nothing new, and none yet
    place.settings = replace(place.settings, repository=repository)
    again = place.index.publish(targets=[place.target()])
    assert (again.changed, again.warnings) == (False, ())
    assert states(place) == [(place.now(), "SUCCESS")]


def test_pruning_does_not_wait_for_a_repository(place: Place, repository: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = place.night(1, "a"), place.night(2, "b")
    monkeypatch.setattr(snapshots, "forget", lambda *words: (_ for _ in ()).throw(PublicationError("the bucket is gone")))
    assert place.type("prune", "--keep-last", "1", "--keep-days", "0")["publications"] == [first]
    assert place.now() == second


def test_half_a_snapshot_is_not_one(place: Place, repository: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first = place.night(1, "a")
    break_snapshot(place, repository, first)
    assert states(place) == [(first, "PARTIAL")]
    place.type("snapshot")  # it is taken again
    assert states(place) == [(first, "SUCCESS")]
    second, create = place.night(2, "b"), place.client.snapshot.create

    def half(**words: Any) -> Any:
        words["body"] = {**words["body"], "indices": words["body"]["indices"] + f",{place.settings.prefix}-homeless", "partial": True}
        return create(**words)

    shape = {"number_of_replicas": 0, "routing.allocation.require._name": "nobody"}
    place.client.indices.create(
        index=f"{place.settings.prefix}-homeless", body={"settings": {"index": shape}}, params={"wait_for_active_shards": "0"}
    )
    monkeypatch.setattr(place.client.snapshot, "create", half)
    with pytest.raises(PublicationError, match=r"1 of 4 shards failed \(PARTIAL\)"):
        snapshots.take(place.client, layout(place), repository, second, about(place, second)["generation"])
    assert states(place) == [(first, "SUCCESS"), (second, "PARTIAL")]


def test_a_takedown_leaves_no_snapshot_broken_or_under_way(place: Place, repository: str) -> None:
    many = tuple(" ".join(f"w{text}x{word * 7919 % 10_007}" for word in range(3_000)) for text in range(3))
    first = place.night(1, "a", "b")
    break_snapshot(place, repository, first)
    second = place.night(2, "c", texts=many)
    place.register(repository, max_snapshot_bytes_per_sec="20kb")
    name = snapshots.name_of(layout(place), second)
    place.client.snapshot.create(repository=repository, snapshot=name, body={"indices": about(place, second)["index"]})
    assert states(place) == [(first, "PARTIAL"), (second, "IN_PROGRESS")]
    snapshots.forget_all(place.client, layout(place), repository)
    assert states(place) == []


def test_restore_after_its_own_remedy(place: Place, repository: str) -> None:
    """The index of units is deleted by hand, as `restore` says; nodes, state and another generation are still there."""
    plain = place.settings
    first = place.night(1, "a")
    place.settings = replace(plain, m=8)
    second = place.night(2, "b")
    place.type("snapshot", second)
    said = place.type("restore", second, code=cli.STOPPED)
    assert f"delete the index first (DELETE /{about(place, second)['index']})" in said
    place.client.indices.delete(index=about(place, second)["index"])
    restored = place.type("restore", "--set", "opensearch.m=8")
    assert restored == {"snapshot": snapshots.name_of(layout(place), second), "publication": second, "units": 4}
    assert place.published() == place.shown() == {"a", "b"}
    there = place.client.search(index=layout(place).state)["hits"]["hits"]
    assert {hit["_id"]: hit["_source"]["loaded"]["id"] for hit in there} == {
        about(place, first)["generation"]: first,
        about(place, second)["generation"]: second,
    }
    place.night(3, "c")
    assert place.published() == place.shown() == {"a", "b", "c"}
