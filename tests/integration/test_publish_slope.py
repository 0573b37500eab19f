"""A night costs what changed: the same twenty filings on a corpus and on one four times as large, S3 behind a counter."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from benchmarks.publish import CHANGED, MEASURES, change, compare, fill, measure, settings_of, store_at
from filingforest.config.opensearch import OpenSearchSettings
from filingforest.current import open_manifest
from filingforest.opensearch.client import connect
from filingforest.opensearch.target import NAME, OpenSearchTarget
from filingforest.publish.publish import publish
from filingforest.publish.receipts import write_receipt
from tests.support.many_filings import ManyFilings, Shape

pytestmark = pytest.mark.service
SHAPE = Shape(units=25, words=40, dimension=64, vocabulary=8_000, centres=40)
FLOOR = 1_000
TINY = Shape(units=12, words=20, dimension=64, vocabulary=4_000, centres=20)


@pytest.mark.slow
def test_the_slope_of_a_night(seaweedfs, s3_url, monkeypatch):
    """5,000 and 20,000 units; bytes, CPU and peak memory within 1.3 times of each other, and a second run that writes nothing."""
    found = compare(5_000, SHAPE, FLOOR)
    assert {name: ratio for name, ratio in found["ratios"].items() if not ratio <= 1.3} == {}
    assert set(found["ratios"]) == set(MEASURES)
    for again in (found["n again"], found["4n again"]):
        assert (again["changed"], again["put_bytes"], again["requests"].get("PUT", 0)) == (False, 0, 0)


def test_bytes_of_a_night(s3_url):
    """The same on 1,440 and 5,760 units, bytes and requests alone: what is read of old segments is rows of masked documents."""
    costs = []
    for filings in (120, 480):
        prefix = f"{s3_url.rpartition('/')[2]}-{filings}/filings"
        fill(prefix, filings, TINY, settings_of(500))
        store, client = store_at(prefix)
        old = open_manifest(store)
        before = {entry.path: store.stat(entry.path) for entry in old.files()}
        change(prefix, filings, TINY)
        costs.append(measure(prefix, TINY, settings_of(500)))
        made = open_manifest(store)
        assert {s.id for s in old.segments} < {s.id for s in made.segments}
        assert sum(len(s.dead) for s in made.segments) == CHANGED
        assert {path: store.stat(path) for path in before} == before
        client.reset()
        again = measure(prefix, TINY, settings_of(500))
        assert (again["changed"], again["put_bytes"], again["requests"].get("PUT", 0)) == (False, 0, 0)
    small, large = costs
    assert large["put_bytes"] <= 1.3 * small["put_bytes"]
    assert large["get_bytes"] <= 1.3 * small["get_bytes"]


class Asked:
    """What an OpenSearch client sends, counted: requests and bytes by the last word of the path, "_bulk" and the others."""

    def __init__(self, client: Any) -> None:
        self.requests: Counter[str] = Counter()
        self.bytes: Counter[str] = Counter()
        send = client.transport.perform_request

        def counted(method: str, url: str, *more: Any, **options: Any) -> Any:
            word, body = url.rpartition("/")[2], options.get("body")
            self.requests[word] += 1
            self.bytes[word] += len(body if isinstance(body, str | bytes) else json.dumps(body)) if body else 0
            return send(method, url, *more, **options)

        client.transport.perform_request = counted


def test_what_a_night_sends_to_opensearch(s3_url: str, opensearch: OpenSearchSettings) -> None:
    """The same five filings on 480 and 1,920 units: as many bulk items, requests and bytes; and none in a second run."""
    costs = []
    for filings in (40, 160):
        prefix = f"{s3_url.rpartition('/')[2]}-{filings}/filings{filings}"
        store, made = store_at(prefix)[0], ManyFilings(TINY)
        client = connect(opensearch)
        target = OpenSearchTarget(store, opensearch, client)
        write_receipt(store, "edgar", "2024-01-01", [made.entry(store, number) for number in range(filings)], filings)
        publish(store, settings_of(200), made, targets=[target])
        write_receipt(store, "edgar", "2024-02-01", [made.entry(store, n * (filings // 5), edition=1) for n in range(5)], 5)
        asked = Asked(client)
        publish(store, settings_of(200), made, targets=[target])
        assert open_manifest(store).targets[NAME]["bulk"] == {"items": 120, "created": 60, "changed": 60, "refused": 0}
        costs.append((asked.requests["_bulk"], asked.bytes["_bulk"], sum(asked.requests.values()), sum(asked.bytes.values())))
        asked.requests.clear()
        assert not publish(store, settings_of(200), made, targets=[target]).changed
        assert asked.requests["_bulk"] == 0
    small, large = costs
    assert [max(a, b) <= 1.3 * min(a, b) for a, b in zip(small, large, strict=True)] == [True] * 4
