"""A night costs what changed: the same twenty filings on a corpus and on one four times as large, S3 behind a counter."""

from __future__ import annotations

import pytest

from benchmarks.publish import CHANGED, MEASURES, SENT, change, compare, fill, measure, settings_of, store_at
from filingforest.config.opensearch import OpenSearchSettings
from filingforest.current import open_manifest
from filingforest.opensearch.client import connect
from filingforest.opensearch.target import NAME, OpenSearchTarget
from filingforest.publish.publish import publish
from filingforest.publish.receipts import write_receipt
from tests.support.counting import CountedClient, CountedOpenSearch
from tests.support.many_filings import ManyFilings, Shape

pytestmark = pytest.mark.service
SHAPE = Shape(units=25, words=40, dimension=64, vocabulary=8_000, centres=40)
FLOOR = 1_000
SMALL = Shape(units=4, words=20, dimension=16, vocabulary=2_000, centres=10)
TINY = Shape(units=12, words=20, dimension=64, vocabulary=4_000, centres=20)


@pytest.mark.slow
@pytest.mark.parametrize("place", ["S3", "S3 and OpenSearch"])
def test_the_slope_of_a_night(place, s3_url, request):
    """5,000 and 20,000 units; bytes, CPU and peak memory within 1.3 times of each other, and a second run that writes nothing."""
    url = request.getfixturevalue("opensearch_url") if place.endswith("OpenSearch") else ""
    found = compare(5_000, SHAPE, FLOOR, opensearch=url)
    assert {name: ratio for name, ratio in found["ratios"].items() if not ratio <= 1.3} == {}
    assert set(found["ratios"]) == {*MEASURES, *(SENT if url else ())}
    for again in (found["n again"], found["4n again"]):
        assert (again["changed"], again["put_bytes"], again["requests"].get("PUT", 0)) == (False, 0, 0)
        assert not url or (again["bulk_items"], again["bulk_bytes"]) == (0, 0)


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


def test_a_night_with_opensearch(s3_url: str, opensearch: OpenSearchSettings) -> None:
    """Five filings on 160 and 640 units, S3 and OpenSearch behind counters: what they are asked for, and nothing in a second run."""
    costs = []
    for filings in (40, 160):
        prefix = f"{s3_url.rpartition('/')[2]}-{filings}/f{filings:03d}"
        store, s3 = store_at(prefix)
        client, made = connect(opensearch), ManyFilings(SMALL)
        target = OpenSearchTarget(store, opensearch, client)
        write_receipt(store, "edgar", "2024-01-01", [made.entry(store, number) for number in range(filings)], filings)
        publish(store, settings_of(100), made, targets=[target])
        old = {segment.id for segment in open_manifest(store).segments}
        change(prefix, filings, SMALL, 5)
        s3.reset()
        asked = CountedOpenSearch(client)
        publish(store, settings_of(100), made, targets=[target])
        assert open_manifest(store).targets[NAME]["bulk"] == {"items": 40, "created": 20, "changed": 20, "refused": 0}
        assert asked.items == 40
        read = {key.split("/segments/")[1].split("/")[0] for verb, key in s3.keys if verb == "GET" and key.endswith("/documents.parquet")}
        assert not read & old  # a list of all documents is as long as the corpus
        costs.append(costs_of(s3, asked))
        s3.reset()
        asked.reset()
        assert not publish(store, settings_of(100), made, targets=[target]).changed
        assert (s3.requests["PUT"], asked.requests["_bulk"]) == (0, 0)
    small, large = costs
    assert {name: (small[name], large[name]) for name in small if not large[name] <= 1.3 * small[name]} == {}


def costs_of(s3: CountedClient, asked: CountedOpenSearch) -> dict[str, int]:
    """Requests and bytes: of S3 by verb, of OpenSearch bulk requests and all."""
    found = {f"S3 {kind} {verb}": getattr(s3, kind)[verb] for kind in ("requests", "bytes") for verb in ("GET", "PUT")}
    sums = {f"OpenSearch {kind}": sum(getattr(asked, kind).values()) for kind in ("requests", "bytes", "answered")}
    return {**found, **sums, "bulk requests": asked.requests["_bulk"], "bulk bytes": asked.bytes["_bulk"]}
