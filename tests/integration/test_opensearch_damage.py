"""Manifests that are damaged or gone, and indexes that somebody deleted: the next night mends it in OpenSearch as it does in Parquet."""

from __future__ import annotations

import pytest

from filingforest import manifest
from filingforest.current import open_manifest
from filingforest.opensearch.target import NAME, OpenSearchTarget
from tests.support.opensearch_place import Place

pytestmark = pytest.mark.service


def damage(place: Place, publication: str) -> None:
    place.index.store.delete(manifest.key(publication))
    place.index.store.put_new(manifest.key(publication), b"{")


def test_a_night_over_a_damaged_manifest_is_published_in_both_places(place: Place) -> None:
    place.night(1, "a")
    damage(place, place.night(2, "b"))
    third = place.night(3, "c")
    assert third == place.now()
    assert place.published() == place.shown() == {"a", "b", "c"}


def test_a_rollback_behind_a_damaged_manifest_and_the_night_after_it(place: Place) -> None:
    first = place.night(1, "a")
    damage(place, place.night(2, "b"))
    assert place.type("rollback", first)["publication"] == first
    assert list(place.index.store.list("intents/")) == []
    assert place.shown() == {"a"}
    place.night(3, "c")
    assert place.published() == place.shown() == {"a", "c"}


@pytest.mark.parametrize("damaged", [False, True])
def test_the_manifest_of_what_was_loaded_last_is_gone(place: Place, damaged: bool) -> None:
    """Deleted, as `prune` says of a damaged one: it is still known that this index had it."""
    place.night(1, "a")
    second = place.night(2, "b")
    if damaged:
        damage(place, second)
        place.night(3, "c")
    place.index.store.delete(manifest.key(second))
    place.night(4, "d")
    assert place.published() == place.shown() == {"a", "b", "d"} | ({"c"} if damaged else set())


def test_a_switch_that_was_cut_off_before_its_manifest_was_damaged(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.night(1, "a")
    with monkeypatch.context() as patch:
        patch.setattr(OpenSearchTarget, "switch", lambda self, publication: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            place.night(2, "b")
    damage(place, place.now())
    place.night(3, "c")
    assert place.published() == place.shown() == {"a", "b", "c"}
    assert list(place.index.store.list("intents/")) == []


def test_what_a_damaged_publication_may_have_is_not_pruned(place: Place) -> None:
    """Nothing else has the first edition of b; the manifest may be put back from a copy."""
    first = place.night(1, "a", "b")
    second = place.night(2, "b", texts=("other words", "of b"))
    place.night(3, "c")
    damage(place, first)
    place.target().drop(second)
    assert place.client.count(index=f"{place.settings.prefix}-tiny-units-*")["count"] == 8


@pytest.mark.parametrize("kind", ["units", "trees", "*"])
def test_an_index_deleted_by_hand_is_loaded_anew_though_nothing_else_changed(place: Place, kind: str) -> None:
    first = place.night(1, "a", "b")
    assert place.index.publish(targets=[place.target()]).changed is False
    place.client.indices.delete(index=f"{place.settings.prefix}-tiny-{kind}*")
    made = place.index.publish(targets=[place.target()])
    lost = kind != "trees"  # tiny documents have none, so nothing is missed
    assert made.changed is lost
    assert place.published() == place.shown() == {"a", "b"}
    now = open_manifest(place.index.store)
    assert now.content_hash() == open_manifest(place.index.store, first).content_hash()
    assert place.client.count(index=now.targets[NAME]["index"])["count"] == 4
    assert place.index.publish(targets=[place.target()]).changed is False
