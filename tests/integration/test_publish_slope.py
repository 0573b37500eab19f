"""A night costs what changed: the same twenty filings on a corpus and on one four times as large, S3 behind a counter."""

from __future__ import annotations

import pytest

from benchmarks.publish import CHANGED, MEASURES, change, compare, fill, measure, settings_of, store_at
from filingforest.current import open_manifest
from tests.support.many_filings import Shape

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
