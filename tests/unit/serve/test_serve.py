"""Served by a real server process: answers as the reader gives them, refusals as problem details, and no mixture while publications change."""

from __future__ import annotations

import json
import signal
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from filingforest import query
from filingforest.config.retrieval import RetrievalSettings
from tests.support.corpus import Doc, Unit, publish
from tests.support.serving import Client, server

FIRST = [Doc("Acme Widgets", units=[Unit("Net sales were 12.5 million in fiscal 2023."), Unit("Backlog grew in 2023.")])]
SECOND = [*FIRST, Doc("Other Gears", units=[Unit("Other Gears sold gears; net sales were 7 million.")])]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Client, Path]]:
    index = tmp_path_factory.mktemp("served")
    publish(index, [SECOND])
    with server(index, max_k=20, max_batch=3, max_body_kb=4) as (client, _):
        yield client, index


def test_answers_are_the_readers_own(served: tuple[Client, Path]) -> None:
    client, index = served
    expected = query.open(index).query("net sales", 5, company="Acme Widgets").to_dict()
    status, kind, found = client.get("/v1/query", q="net sales", k=5, company="Acme Widgets")
    assert (status, kind) == (200, "application/json")
    posted = client.post("/v1/query", {"question": "net sales", "k": 5, "filters": {"company": ["Acme Widgets"]}})[2]
    for answer in (found, posted):
        assert {**answer, "milliseconds": 0} == {**expected, "milliseconds": 0}


def test_a_passage_documents_and_publications(served: tuple[Client, Path]) -> None:
    client, index = served
    hit = client.get("/v1/query", q="backlog", k=1)[2]["hits"][0]
    assert client.get("/v1/show", what=hit["citation"])[2]["text"] == "Backlog grew in 2023."
    assert client.get("/v1/show", what=hit["unit_key"])[2]["node_id"] == hit["node_id"]
    documents = client.get("/v1/documents", company="Other Gears")[2]
    assert (documents["total"], [d["company"] for d in documents["documents"]]) == (1, ["Other Gears"])
    assert [p["id"] for p in client.get("/v1/publications")[2]] == list(query.open(index).publications)


def test_a_batch_answers_what_it_can(served: tuple[Client, Path]) -> None:
    client, _ = served
    asked = [{"id": "a", "question": "net sales"}, {"id": "b", "question": "  "}, {"id": "c", "question": "x", "k": 21}]
    found = client.post("/v1/batch", {"questions": asked})[2]
    assert [(a["id"], a.get("code")) for a in found["answers"]] == [("a", None), ("b", "query"), ("c", "query")]


def test_ordered_as_the_settings_and_flags_say(served: tuple[Client, Path]) -> None:
    _, index = served
    plain = query.open(index).query("net sales", 5, retrieval=RetrievalSettings(rerank="none")).to_dict()
    with server(index, "--rerank", "none") as (client, _):
        found = client.get("/v1/query", q="net sales", k=5)[2]
    assert [(hit["node_id"], hit["score"]) for hit in found["hits"]] == [(hit["node_id"], hit["score"]) for hit in plain["hits"]]
    assert plain["hits"][0]["score"] != query.open(index).query("net sales", 5).to_dict()["hits"][0]["score"]


REFUSED = [
    ("/v1/query", {"q": " "}, 400, "query"),
    ("/v1/query", {"q": "x", "k": 0}, 422, "request"),
    ("/v1/query", {"q": "x", "k": 21}, 400, "query"),
    ("/v1/query", {"q": "x", "compny": "Acme"}, 400, "query"),
    ("/v1/query", {"q": "x", "since": "yesterday"}, 400, "query"),
    ("/v1/query", {"q": "x", "kind": "zzz"}, 400, "query"),
    ("/v1/query", {"q": "x", "at": "000001-abc"}, 400, "query"),
    ("/v1/query", {}, 422, "request"),
    ("/v1/show", {"what": "nothing#1"}, 404, "not_found"),
    ("/v1/show", {"what": "../../etc/passwd"}, 404, "not_found"),
    ("/v1/nothing", {}, 404, "http"),
]


@pytest.mark.parametrize(("path", "parameters", "status", "code"), REFUSED)
def test_refusals_are_problem_details(
    served: tuple[Client, Path], path: str, parameters: Mapping[str, Any], status: int, code: str
) -> None:
    found, kind, body = served[0].get(path, **parameters)
    assert (found, kind, body["code"], body["status"]) == (status, "application/problem+json", code, status)
    assert str(served[1]) not in json.dumps(body)  # nothing of the server's own paths


def test_bodies_are_bounded_and_strict(served: tuple[Client, Path]) -> None:
    client, _ = served
    assert client.post("/v1/query", {"question": "x", "query": {"match_all": {}}})[0] == 422
    assert client.post("/v1/query", {"question": {"match_all": {}}})[0] == 422
    assert client.post("/v1/query", b"{not json")[0] == 422
    assert client.post("/v1/query", {"question": "x" * 5_000})[0] == 413
    assert client.post("/v1/batch", {"questions": [{"question": "x"}] * 4})[0] == 400


def test_without_the_token_only_its_health_is_told(served: tuple[Client, Path]) -> None:
    for token in (None, "another"):
        stranger = Client(int(served[0].base.rpartition(":")[2]), token)
        assert [stranger.get(path)[0] for path in ("/health", "/ready")] == [200, 200]
        assert stranger.get("/v1/query", q="net sales")[0] == 401


def test_openapi_names_every_route(served: tuple[Client, Path]) -> None:
    described = served[0].get("/openapi.json")[2]
    paths = {"/health", "/ready", "/v1/query", "/v1/batch", "/v1/show", "/v1/documents", "/v1/publications"}
    assert set(described["paths"]) == paths
    names = {p["name"] for p in described["paths"]["/v1/query"]["get"]["parameters"]}
    assert {"q", "k", "company", "year", "as_of"} <= names


def test_openapi_names_the_fields_that_answers_have(served: tuple[Client, Path]) -> None:
    shown = served[0].get("/openapi.json")[2]["components"]["schemas"]
    answer = served[0].get("/v1/query", q="net sales")[2]
    document = served[0].get("/v1/documents")[2]["documents"][0]
    for name, found in (("AnswerOut", answer), ("HitOut", answer["hits"][0]), ("DocumentOut", document)):
        assert set(shown[name]["required"]) == set(shown[name]["properties"]) == set(found)
    assert "hash of the passage" in shown["HitOut"]["properties"]["citation"]["description"]


def test_under_load_every_answer_is_of_one_publication_or_the_other(tmp_path: Path) -> None:
    index, asked = tmp_path / "switched", "net sales of gears and widgets"
    publish(index, [FIRST])
    frozen = {_current(index): _hits(query.open(index).query(asked).to_dict())}
    seen: list[tuple[str, Any]] = []
    problems: list[Any] = []
    stop = threading.Event()
    with server(index, refresh_s=0.05) as (client, process):

        def ask() -> None:
            while not stop.is_set():
                status, _, found = client.get("/v1/query", q=asked)
                if status == 200:
                    seen.append((found["publication"], _hits(found)))
                else:
                    problems.append(found)

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        _until(lambda: len(seen) > 20)
        publish(index, [SECOND], name="t")
        second = _current(index)
        frozen[second] = _hits(query.open(index).query(asked).to_dict())
        _until(lambda: sum(publication == second for publication, _ in seen) > 20)
        stop.set()
        for thread in threads:
            thread.join()
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0  # a container's stop is no failure
    assert not problems
    assert {publication for publication, _ in seen} == set(frozen)
    assert all(hits == frozen[publication] for publication, hits in seen)


def _hits(answer: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    return [(h["publication"], h["node_id"], h["score"], h["text"]) for h in answer["hits"]]


def _current(index: Path) -> str:
    return (index / "CURRENT").read_text().splitlines()[0]


def _until(done: Any) -> None:
    end = time.monotonic() + 60
    while not done():
        assert time.monotonic() < end
        time.sleep(0.02)
