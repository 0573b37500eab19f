"""A takedown and OpenSearch: nothing of the document stays, neither of a load that was cut off nor in the index's files."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from filingforest.current import open_manifest
from filingforest.opensearch import erasing, indexes, load
from filingforest.opensearch.target import NAME, OpenSearchTarget
from tests.support.opensearch_place import Place

pytestmark = pytest.mark.service
REASON = ("--reason", "court order 12/34")


def cut_off(place: Place, monkeypatch: pytest.MonkeyPatch, day: int, name: str) -> None:
    """A night with a document of four units that dies at the last of them; it has refreshed nothing."""
    whole = load.Load.actions

    def cut(self: load.Load) -> Any:
        for number, action in enumerate(whole(self)):
            if number == 3:
                raise KeyboardInterrupt
            yield action

    with monkeypatch.context() as patch:
        patch.setattr(load.Load, "actions", cut)
        settings = place.settings
        place.settings = replace(settings, bulk_items=1, bulk_requests=1)
        with pytest.raises(KeyboardInterrupt):
            place.night(day, name, texts=("one", "two", "three", "four"))
        place.settings = settings


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next loader takes one that was cut off for dead at once."""
    whole = OpenSearchTarget.__init__

    def init(self: OpenSearchTarget, *words: Any) -> None:
        whole(self, *words)
        self.patience_s = 0.1

    monkeypatch.setattr(OpenSearchTarget, "__init__", init)


def test_what_a_load_that_was_cut_off_had_sent_is_taken_down_too(place: Place, hasty: None, monkeypatch: pytest.MonkeyPatch) -> None:
    place.night(1, "a")
    cut_off(place, monkeypatch, 2, "q")
    place.type("takedown", "q", *REASON)
    place.client.indices.refresh(index=f"{place.settings.prefix}-*")
    assert place.held() == {"a"}


def test_what_nobody_has_refreshed_is_counted_and_pruned(place: Place) -> None:
    place.night(1, "a")
    index = open_manifest(place.index.store).targets[NAME]["index"]
    unit = place.client.search(index=index)["hits"]["hits"][0]["_source"]
    for number in (7, 8):
        place.client.index(index=index, body={**unit, "live": [{"gte": number}]})
        assert indexes.count(place.client, index, number) == number - 4  # both units of a, and one, then two that came since
    place.client.index(index=index, body={**unit, "live": [{"gte": 9}]})
    assert indexes.delete_hidden(place.client, index, {1}) == 3
    assert indexes.count(place.client, index, 1) == 2


@pytest.mark.slow
def test_deleted_text_leaves_the_files(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """One of forty documents: so few that Lucene would not merge for them by itself."""
    monkeypatch.setattr(erasing, "PATIENCE_S", 120.0)
    place.night(1, *(f"d{number}" for number in range(40)))
    place.type("takedown", "d7", *REASON)
    stats = place.client.indices.stats(index=f"{place.settings.prefix}-tiny-units-*", metric="docs")["_all"]["total"]["docs"]
    assert stats == {"count": 78, "deleted": 0}
