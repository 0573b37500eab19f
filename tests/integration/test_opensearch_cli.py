"""`filingforest publications` with OpenSearch configured: each act that changes what readers follow changes it in both places."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from filingforest import cli, query
from filingforest.current import open_manifest
from filingforest.models.llm.cache import Answer, ResponseCache
from filingforest.opensearch.backend import OpenSearchBackend
from filingforest.opensearch.target import NAME, OpenSearchTarget
from tests.support.opensearch_place import Place
from tests.support.serving import server
from tests.support.tiny_index import TinyEmbedder

pytestmark = pytest.mark.service


def test_rollback_and_prune(place: Place) -> None:
    first, second, third = place.night(1, "a"), place.night(2, "b"), place.night(3, "b", texts=("other words", "of b"))
    assert place.type("rollback")["publication"] == second == place.now()
    assert place.published() == place.shown() == {"a", "b"}
    assert place.type("rollback", first)["publication"] == first
    assert place.published() == place.shown() == {"a"}
    place.type("rollback", third)
    assert place.client.count(index=f"{place.settings.prefix}-tiny-units-*")["count"] == 6  # a, b and b as it was
    gone = place.type("prune", "--keep-last", "1", "--keep-days", "0", "--dry-run")["publications"]
    assert place.type("prune", "--keep-last", "1", "--keep-days", "0")["publications"] == gone == [first, second]
    assert place.client.count(index=f"{place.settings.prefix}-tiny-units-*")["count"] == 4
    assert [p["id"] for p in place.type("list")] == [third]
    assert place.published() == place.shown() == {"a", "b"}


def test_sweep_finishes_a_switch_that_was_cut_off(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.night(1, "a")
    with monkeypatch.context() as patch:
        patch.setattr(OpenSearchTarget, "switch", lambda self, publication: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            place.night(2, "b")
    assert (place.published(), place.shown()) == ({"a", "b"}, {"a"})
    place.type("sweep", "--dry-run")
    assert place.shown() == {"a"}
    place.type("sweep", "--grace-hours", "0")
    assert place.published() == place.shown() == {"a", "b"}


def test_takedown(place: Place, tmp_path: Path) -> None:
    first = place.night(1, "a", "b")
    answers = ResponseCache(tmp_path / "llm")
    answers.put("0" * 32, Answer({"summary": "a grew"}), "a")
    answers.close()
    done = place.type("takedown", "a", "--reason", "court order 12/34", "--by", "ann")
    assert done["gone"] == [first]
    assert done["answers"] == {"records": 1, "busy": 0, "unnamed": 0}
    assert place.published() == place.shown() == place.held() == {"b"}
    assert [(r["doc_id"], r["by"]) for r in place.type("takedown")] == [("a", "ann")]
    assert place.type("takedown", "a", "--lift") == {"doc_id": "a", "lifted": True}


def test_an_index_that_was_lost_comes_back_from_its_snapshot(place: Place, repository: str) -> None:
    first = place.night(1, "a", "b")
    assert place.type("snapshots") == []
    name = f"{place.settings.prefix}-tiny-units-{first}"
    assert place.type("snapshot") == {"snapshot": name} == place.type("snapshot", first)
    assert [(s["publication"], s["whole"]) for s in place.type("snapshots")] == [(first, True)]
    assert "is there already" in place.type("restore", code=cli.STOPPED)
    second = place.night(2, "c")
    place.lose()
    assert place.type("restore") == {"snapshot": name, "publication": second, "units": 6}
    assert place.published() == place.shown() == {"a", "b", "c"}
    third = place.night(3, "d")  # the night goes on from there
    assert open_manifest(place.index.store, third).targets[NAME]["bulk"]["created"] == 2
    assert "000009-000000000000" in place.type("restore", "000009-000000000000", code=cli.STOPPED)


def test_what_was_taken_down_does_not_come_back_with_a_snapshot(place: Place, repository: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first = place.night(1, "a", "b")
    place.type("snapshot", first)
    with monkeypatch.context() as patch:
        patch.delenv("FILINGFOREST_OPENSEARCH_REPOSITORY")  # the snapshot is left, as a copy elsewhere would be
        place.type("takedown", "a", "--reason", "court order 12/34")
    second = place.now()
    place.type("snapshot")
    place.lose()
    assert place.type("restore", code=cli.DONE)["publication"] == second
    assert place.shown() == place.held() == {"b"}


def test_without_a_snapshot_everything_is_loaded_from_parquet(place: Place) -> None:
    first, second = place.night(1, "a"), place.night(2, "b")
    place.lose()
    assert place.type("restore") == {"snapshot": None, "publication": second, "units": 4}
    assert place.published() == place.shown() == {"a", "b"}
    place.type("rollback", first)
    assert place.published() == place.shown() == {"a"}


def test_an_index_deleted_by_hand_is_loaded_anew_by_the_next_night(place: Place) -> None:
    place.night(1, "a", "b")
    place.client.indices.delete(index=f"{place.settings.prefix}-tiny-units-*")
    place.night(2, "c")
    assert place.published() == place.shown() == {"a", "b", "c"}


def test_what_cannot_be_done_is_said(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.night(1, "a")
    assert "opensearch.repository" in place.type("snapshot", code=cli.USAGE)
    assert "opensearch.repository" in place.type("snapshots", code=cli.USAGE)
    monkeypatch.setenv("FILINGFOREST_OPENSEARCH_REPOSITORY", "nowhere")
    assert "PUT _snapshot/nowhere" in place.type("snapshots", code=cli.STOPPED)
    monkeypatch.setenv("FILINGFOREST_OPENSEARCH_PREFIX", "another")
    assert "not in OpenSearch" in place.type("snapshot", code=cli.STOPPED)
    monkeypatch.setenv("FILINGFOREST_OPENSEARCH_PREFIX", place.settings.prefix)
    place.lose()
    assert "not in OpenSearch" in place.type("snapshot", code=cli.STOPPED)
    monkeypatch.setenv("FILINGFOREST_OPENSEARCH_URL", "")
    assert "opensearch.url" in place.type("restore", code=cli.USAGE)


class Unpublished(TinyEmbedder):
    """Vectors from an encoder that is not published, so that readers ask by words alone."""

    def files(self) -> dict[str, bytes]:
        return {}


def test_what_is_served_is_searched_in_opensearch(place: Place) -> None:
    place.index.embedder = Unpublished()
    place.night(1, "a", "b")
    with server(place.url, "--backend", "opensearch", refresh_s=0.1) as (client, _):
        reader = query.open(place.url, backend=OpenSearchBackend(place.settings))
        found, expected = client.get("/v1/query", q="b revenue", k=2)[2], reader.query("b revenue", 2).to_dict()
        assert {**found, "milliseconds": 0} == {**expected, "milliseconds": 0}
        second = place.night(2, "c")
        end = time.monotonic() + 60
        while client.get("/v1/query", q="c revenue", k=1)[2]["publication"] != second:
            assert time.monotonic() < end
            time.sleep(0.1)
        assert client.get("/v1/query", q="c revenue", k=1)[2]["hits"][0]["doc_id"] == "c"
        place.lose()
        status, _, problem = client.get("/v1/query", q="c revenue")
        assert (status, problem["code"]) == (503, "publication_gone")
