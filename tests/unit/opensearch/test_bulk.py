"""Bulk answers item by item, with a client that answers as told."""

from __future__ import annotations

import io
import json
import re
import threading
from types import SimpleNamespace

import pyarrow.parquet as pq
import pytest
from opensearchpy.exceptions import AuthorizationException, ConnectionError, TransportError

from filingforest.config.opensearch import OpenSearchSettings
from filingforest.errors import LostRace, PermissionDenied, StoreUnavailable
from filingforest.opensearch import bulk
from filingforest.opensearch.acceptance import most_refused, refused_parquet
from filingforest.opensearch.bulk import Action, BulkLoader, BulkReport
from filingforest.opensearch.patience import Patience

SETTINGS = OpenSearchSettings(url="http://nowhere", bulk_items=3, bulk_requests=1, retries=3, backoff_s=0.1)


class Scripted:
    """Answers each request with the next of `answers`: an error to raise, or a status for each item (201 where it says nothing)."""

    def __init__(self, *answers) -> None:
        self.answers, self.requests = list(answers), []

    def bulk(self, body, index, params):
        lines = [json.loads(line) for line in body.splitlines()]
        ids = [next(iter(line.values()))["_id"] for line in lines[::2]]
        self.requests.append(ids)
        assert params == {"require_alias": "true"}
        answer = self.answers.pop(0) if self.answers else {}
        if isinstance(answer, Exception):
            raise answer
        return {"errors": bool(answer), "items": [{"create": {"_id": i, **answer.get(i, {"status": 201})}} for i in ids]}


def load(client, *names: str, **changed):
    waits: list[float] = []
    loader = BulkLoader(client, "alias", SETTINGS, Patience(SETTINGS.retries, SETTINGS.backoff_s, waits.append))
    return loader.load(Action("create", name, {"text": name}, "doc") for name in names), waits


def test_only_the_items_that_were_busy_are_sent_again() -> None:
    client = Scripted({"b": {"status": 429, "error": {"type": "es_rejected_execution_exception"}}})
    report, waits = load(client, "a", "b", "c", "d")
    assert client.requests == [["a", "b", "c"], ["b"], ["d"]]
    assert (report.created, report.refused, len(waits)) == (4, 0, 1)


def test_a_node_that_is_away_is_waited_for_longer_each_time() -> None:
    client = Scripted(ConnectionError("N/A", "gone", None), TransportError(503, "busy", {}), TransportError(429, "busy", {}))
    report, waits = load(client, "a")
    assert report.created == 1
    assert [0.8 <= wait / (0.1 * times) <= 1.2 for wait, times in zip(waits, (1, 2, 4), strict=True)] == [True] * 3


def test_a_node_that_stays_away_is_an_error_that_may_be_tried_again() -> None:
    with pytest.raises(StoreUnavailable) as error:
        load(Scripted(*(TransportError(503, "busy", {}) for _ in range(4))), "a")
    assert error.value.transient


def test_a_document_that_is_refused_is_kept_with_its_reason() -> None:
    refused = {"status": 400, "error": {"type": "mapper_parsing_exception", "reason": "bad date", "caused_by": {"reason": "2024-13-01"}}}
    report, waits = load(Scripted({"b": refused}), "a", "b")
    assert (report.created, waits) == (1, [])
    letter = {
        "id": "b", "document": "doc", "op": "create", "status": 400, "kind": "mapper_parsing_exception", "reason": "bad date; 2024-13-01",
    }  # fmt: skip
    assert rows_of(refused_parquet(report.letters, report.refused)) == [{**letter, "refused_in_all": 1}]


def rows_of(parquet: bytes) -> list[dict]:
    return pq.read_table(io.BytesIO(parquet)).to_pylist()


class Refusing:
    """Refuses all that it is sent."""

    requests = 0

    def bulk(self, body, index, params):
        self.requests += 1
        refused = {"create": {"status": 400, "error": {"type": "mapper_parsing_exception", "reason": "no such field"}}}
        return {"items": [refused] * (body.count(b"\n") // 2)}


def refuse(count: int, **options):
    client, read = Refusing(), []

    def actions():
        for number in range(count):
            read.append(number)
            yield Action("create", str(number), {}, "doc")

    settings = OpenSearchSettings(url="http://nowhere", bulk_items=500, bulk_requests=1)
    return BulkLoader(client, "alias", settings).load(actions(), **options), client.requests, len(read)


def test_a_load_that_cannot_be_accepted_any_more_ends_then() -> None:
    report, requests, read = refuse(50_000, most_refused=0)
    assert (report.refused, requests, read) == (500, 1, 1_001)  # the second request was made up, and the third begun
    report, requests, _ = refuse(50_000, most_refused=2_500)  # a share of .05, say
    assert (report.refused, requests) == (3_000, 6)


def test_however_many_are_refused_the_first_are_kept_and_all_are_counted() -> None:
    report, requests, _ = refuse(50_000)
    assert (report.refused, len(report.letters), requests) == (50_000, 1_000, 100)
    assert [letter.id for letter in report.letters[::999]] == ["0", "999"]
    twice = BulkReport()
    twice.add(report)
    twice.add(report)
    assert (twice.refused, len(twice.letters)) == (100_000, 1_000)
    rows = rows_of(refused_parquet(report.letters, report.refused))
    assert (len(rows), {row["refused_in_all"] for row in rows}) == (1_000, {50_000})


def test_how_many_may_be_refused_is_told_by_what_the_publication_has() -> None:
    segments = (SimpleNamespace(units=600), SimpleNamespace(units=300))
    manifest = SimpleNamespace(segments=segments, counts={"units": 880, "tree_nodes": 100})
    assert (most_refused(manifest, 0.0), most_refused(manifest, 0.05), most_refused(manifest, 1.0)) == (0, 50, 1_000)


def test_a_document_that_an_earlier_try_had_brought_counts_as_there() -> None:
    report, _ = load(Scripted({"a": {"status": 409, "error": {"type": "version_conflict_engine_exception"}}}), "a")
    assert (report.created, report.refused) == (1, 0)


def test_a_fence_that_was_taken_away_ends_the_load() -> None:
    with pytest.raises(LostRace):
        load(Scripted({"a": {"status": 404, "error": {"type": "index_not_found_exception"}}}), "a")


def test_a_wrong_password_is_not_tried_again() -> None:
    client = Scripted(AuthorizationException(403, "no", {}))
    with pytest.raises(PermissionDenied):
        load(client, "a")
    assert len(client.requests) == 1


def test_requests_are_bounded_in_bytes() -> None:
    client = Scripted()
    loader = BulkLoader(client, "alias", OpenSearchSettings(url="http://nowhere", bulk_mb=0.001, bulk_requests=1))
    loader.load(Action("create", str(i), {"text": "x" * 400}, "doc") for i in range(5))
    assert [len(ids) for ids in client.requests] == [2, 2, 1]


class Together(Scripted):
    """Answers when as many requests have come as are expected at once."""

    def __init__(self, at_once: int, *answers) -> None:
        super().__init__(*answers)
        self.door = threading.Barrier(at_once, timeout=30)

    def bulk(self, body, index, params):
        self.door.wait()
        return super().bulk(body, index, params)


def test_requests_are_under_way_together_as_many_as_settings_say() -> None:
    client = Together(2)
    settings = OpenSearchSettings(url="http://nowhere", bulk_items=1, bulk_requests=2)
    report = BulkLoader(client, "alias", settings).load(Action("create", name, {"text": name}, "doc") for name in "abcdef")
    assert sorted(client.requests) == [["a"], ["b"], ["c"], ["d"], ["e"], ["f"]]
    assert (report.created, report.requests) == (6, 6)


class Locked(Scripted):
    """Refuses whoever brings the document `a`."""

    def bulk(self, body, index, params):
        answer = super().bulk(body, index, params)
        if answer["items"][0]["create"]["_id"] == "a":
            raise AuthorizationException(403, "no", {})
        return answer


def test_a_request_that_fails_ends_the_load_after_the_others_and_no_more_is_read() -> None:
    read: list[str] = []

    def actions():
        for name in "abcdef":
            read.append(name)
            yield Action("create", name, {"text": name}, "doc")

    client = Locked()
    with pytest.raises(PermissionDenied):
        BulkLoader(client, "alias", OpenSearchSettings(url="http://nowhere", bulk_items=1, bulk_requests=2)).load(actions())
    assert sorted(client.requests) == [["a"], ["b"]]
    assert read == ["a", "b", "c", "d"]


def test_a_long_load_says_how_far_it_is(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk, "_TELL_S", 0.0)
    with caplog.at_level("INFO"):
        load(Scripted(), "a", "b", "c", "d")
    said = re.findall(r"opensearch(?:, so far)?: \d+ documents", caplog.text)
    assert said == ["opensearch, so far: 3 documents", "opensearch, so far: 4 documents", "opensearch: 4 documents"]
