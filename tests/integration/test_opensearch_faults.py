"""What happens to OpenSearch and must not happen to a publication: killed in mid-bulk, lost altogether and restored from S3."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from filingforest.config import Settings
from filingforest.config.opensearch import OpenSearchSettings
from filingforest.current import open_manifest
from filingforest.opensearch import snapshots
from filingforest.opensearch.client import connect
from filingforest.opensearch.layout import Layout
from filingforest.opensearch.target import NAME, OpenSearchTarget
from filingforest.publish.publish import publish
from filingforest.store import open_store
from infra.servers.opensearch import OpenSearchServer
from infra.servers.seaweedfs import ADMIN, SeaweedFS
from tests.support.tiny_index import TinyIndex

pytestmark = [pytest.mark.service, pytest.mark.slow]
REPOSITORY = "snapshots"


@pytest.fixture(scope="module")
def own_node(seaweedfs: SeaweedFS) -> Iterator[OpenSearchServer]:
    """A node that this module may kill, which reaches the S3 server."""
    s3 = {
        "s3.client.default.endpoint": seaweedfs.endpoint,
        "s3.client.default.path_style_access": True,
        "s3.client.default.region": "us-east-1",
    }
    with OpenSearchServer(settings=s3) as node:
        yield node


def test_a_node_killed_in_mid_bulk_comes_back_and_nothing_is_lost(own_node: OpenSearchServer, tmp_path: Path) -> None:
    settings = OpenSearchSettings(url=own_node.url, prefix="kill", bulk_items=20, retries=40, backoff_s=0.2)
    index = TinyIndex(open_store(str(tmp_path / "tiny")))
    index.receipt("2024-02-01", *(index.entry(f"d{i}", [f"d{i} text {j} grew" for j in range(10)]) for i in range(60)))
    target = OpenSearchTarget(index.store, settings)
    seen = 0
    bulk = target._client.bulk

    def counted(**options):
        nonlocal seen
        seen += 1
        if seen == 10:
            own_node.kill()
            threading.Timer(2, own_node.start).start()
        return bulk(**options)

    target._client.bulk = counted
    made = publish(index.store, Settings(), index.embedder, targets=[target])
    about = open_manifest(index.store, made.publication or "").targets[NAME]
    assert seen > 31  # 30 requests, and some more than once
    assert about["units"] == 600
    assert about["bulk"]["created"] == 600
    assert connect(settings).count(index="kill-tiny-units")["count"] == 600


def test_a_node_killed_while_it_is_asked_what_it_holds_comes_back_and_the_night_goes_on(own_node: OpenSearchServer, tmp_path: Path) -> None:
    settings = OpenSearchSettings(url=own_node.url, prefix="asked", retries=40, backoff_s=0.2)
    index = TinyIndex(open_store(str(tmp_path / "tiny")))
    target = OpenSearchTarget(index.store, settings)

    def night(day: str, count: int, verb: str) -> dict[str, int]:
        texts = {f"d{i}": [f"d{i} text {j} {verb}" for j in range(10)] for i in range(count)}
        index.receipt(day, *(index.entry(name, said, known_from=day) for name, said in texts.items()))
        made = publish(index.store, Settings(), index.embedder, targets=[target])
        return open_manifest(index.store, made.publication or "").targets[NAME]

    night("2024-02-01", 30, "grew")
    search, killed = target._client.search, list[bool]()

    def asked(**options):
        if "scroll" in options and not killed:  # units of some documents
            killed.append(True)
            own_node.kill()
            threading.Timer(2, own_node.start).start()
        return search(**options)

    target._client.search = asked
    about = night("2024-02-02", 10, "fell")
    assert killed
    assert (about["units"], about["bulk"]) == (300, {"items": 200, "created": 100, "changed": 100, "refused": 0})
    assert connect(settings).count(index="asked-tiny-units")["count"] == 300


def test_a_cluster_that_lost_everything_is_restored_and_brought_up_to_date(own_node: OpenSearchServer, tmp_path: Path) -> None:
    settings = OpenSearchSettings(url=own_node.url, prefix="lost", repository=REPOSITORY)
    client = connect(settings)
    keys = dict(zip(("access_key", "secret_key"), ADMIN, strict=True))
    client.snapshot.create_repository(
        repository=REPOSITORY, body={"type": "s3", "settings": {"bucket": "publications", "base_path": "opensearch", **keys}}
    )
    index = TinyIndex(open_store(str(tmp_path / "tiny")))
    target = OpenSearchTarget(index.store, settings)

    def night(day: str, *names: str) -> str:
        index.add(day, *names)
        made = publish(index.store, Settings(), index.embedder, targets=[target]).publication
        assert made
        return made

    first, second = night("2024-02-01", "a", "b"), night("2024-02-02", "c")
    layout = Layout.of("tiny", settings, open_manifest(index.store, first).model.info)  # type: ignore[union-attr]
    assert snapshots.listed(client, layout, REPOSITORY) == [f"lost-tiny-units-{first}", f"lost-tiny-units-{second}"]

    client.indices.delete(index="lost-*")
    about = open_manifest(index.store, first).targets[NAME]
    state = snapshots.restore(client, layout, REPOSITORY, first, about["generation"], about["sequence"])
    assert state.loaded and state.loaded.id == first
    assert client.count(index="lost-tiny-units")["count"] == 4
    target.switch(second)  # CURRENT names it and the index lacks it
    assert client.count(index="lost-tiny-units")["count"] == 6

    target.erase("a")  # a takedown: out of the index, and out of every snapshot
    assert client.count(index="lost-tiny-units")["count"] == 4
    assert snapshots.listed(client, layout, REPOSITORY) == [f"lost-tiny-units-{second}"]
    client.indices.delete(index="lost-*")
    snapshots.restore(client, layout, REPOSITORY, second, about["generation"], 2)
    assert client.count(index="lost-tiny-units")["count"] == 4


def test_a_node_that_stays_away_keeps_yesterdays_publication(own_node: OpenSearchServer, tmp_path: Path) -> None:
    from filingforest.current import read_current
    from filingforest.errors import StoreUnavailable

    settings = OpenSearchSettings(url=own_node.url, prefix="away", retries=1, backoff_s=0.05)
    index = TinyIndex(open_store(str(tmp_path / "tiny")))
    index.add("2024-02-01", "a")
    first = publish(index.store, Settings(), index.embedder, targets=[OpenSearchTarget(index.store, settings)]).publication
    index.add("2024-02-02", "b")
    nowhere = OpenSearchTarget(index.store, replace(settings, url="http://127.0.0.1:9"))
    with pytest.raises(StoreUnavailable):
        publish(index.store, Settings(), index.embedder, targets=[nowhere])
    now = read_current(index.store)
    assert now and now.id == first
