"""A cluster is lost with its disks: another, empty one takes its place from the snapshots on S3, and readers and nights go on there.

Done as a team would do it, with two nodes that share nothing but the bucket: the repository is registered again, `publications restore`
brings back the newest snapshot and loads what was published since from Parquet.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from filingforest import cli, query
from filingforest.config.opensearch import OpenSearchSettings
from filingforest.current import open_manifest
from filingforest.errors import StoreUnavailable
from filingforest.opensearch.backend import OpenSearchBackend
from filingforest.opensearch.client import connect
from filingforest.opensearch.target import NAME, OpenSearchTarget
from filingforest.publish.members import live_in
from filingforest.query.encoder import QuestionEncoder
from filingforest.store import open_store
from infra.servers.opensearch import OpenSearchServer
from infra.servers.seaweedfs import ADMIN, BUCKET, SeaweedFS
from tests.support.soak import members, seen
from tests.support.tiny_index import TinyEmbedder, TinyIndex

pytestmark = [pytest.mark.service, pytest.mark.slow]
REPOSITORY = "nights"


class Cluster:
    """A node with a folder of its own, and the settings that point at it."""

    def __init__(self, seaweedfs: SeaweedFS) -> None:
        reach = {"endpoint": seaweedfs.endpoint, "path_style_access": True, "region": "us-east-1"}
        self.node = OpenSearchServer(settings={f"s3.client.default.{name}": value for name, value in reach.items()})
        self.node.start()
        self.settings = OpenSearchSettings(url=self.node.url, prefix="lost", repository=REPOSITORY, retries=1, backoff_s=0.05)
        self.client = connect(self.settings)

    def register(self) -> None:
        """Let the cluster know of the repository. The keys stand in its settings here; a team has them in the keystore or uses a role."""
        keys = dict(zip(("access_key", "secret_key"), ADMIN, strict=True))
        body = {"type": "s3", "settings": {"bucket": BUCKET, "base_path": "snapshots-of-a-lost-cluster", **keys}}
        self.client.snapshot.create_repository(repository=REPOSITORY, body=body)

    def lose(self) -> None:
        """As a fire would: the process and all that it held."""
        self.node.kill()
        shutil.rmtree(self.node.folder, ignore_errors=True)

    def documents(self, index: TinyIndex, publication: str) -> dict[str, int]:
        """How many units this cluster shows of each document of a publication."""
        manifest = open_manifest(index.store, publication)
        body = {"size": 0, "query": {"term": {"live": manifest.sequence}}, "aggs": {"d": {"terms": {"field": "doc_id", "size": 100}}}}
        found = self.client.search(index=manifest.targets[NAME]["index"], body=body)["aggregations"]["d"]["buckets"]
        return {bucket["key"]: bucket["doc_count"] for bucket in found}


@pytest.fixture
def cluster(seaweedfs: SeaweedFS) -> Iterator[Any]:
    """Makes clusters, and ends those that are left."""
    made: list[Cluster] = []

    def make() -> Cluster:
        made.append(Cluster(seaweedfs))
        return made[-1]

    yield make
    for each in made:
        each.lose()


def night(index: TinyIndex, settings: OpenSearchSettings, day: int, *names: str, words: str = "revenue grew") -> str:
    """Two units a filing."""
    known = f"2024-02-{day:02d}"
    texts = (words, "liquidity is enough")
    index.receipt(known, *(index.entry(name, [f"{name} {text}" for text in texts], known_from=known) for name in names))
    made = index.publish(targets=[OpenSearchTarget(index.store, settings)]).publication
    assert made
    return made


def answers(url: str, settings: OpenSearchSettings, publications: list[str]) -> list[str]:
    """What each publication answers through a cluster: with scores where orders are joined here, without where the cluster joins them."""
    looks = [(seen, replace(settings, fusion="client")), (members, replace(settings, fusion="server"))]
    return [look(query.open(url, at=at, backend=OpenSearchBackend(chosen))) for at in publications for look, chosen in looks]


def test_another_cluster_takes_the_place_of_a_lost_one(
    cluster: Any, s3_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(QuestionEncoder, "embed", lambda self, question: TinyEmbedder().embed([question])[0])
    url = f"{s3_url}/tiny"
    index = TinyIndex(open_store(url))

    old = cluster()
    old.register()
    first = night(index, old.settings, 1, "a", "b")
    second = night(index, old.settings, 2, "b", "c", words="revenue fell")  # b is replaced
    third = night(index, replace(old.settings, repository=""), 3, "d")  # no snapshot has it
    publications = [first, second, third]
    expected = [{"a": 2, "b": 2}, {"a": 2, "b": 2, "c": 2}, {"a": 2, "b": 2, "c": 2, "d": 2}]
    assert [old.documents(index, publication) for publication in publications] == expected
    before = answers(url, old.settings, publications)
    reader = query.open(url, backend=OpenSearchBackend(old.settings))
    old.lose()
    assert not old.node.folder.exists()
    with pytest.raises(StoreUnavailable):
        reader.query("revenue")

    new = cluster()
    new.register()
    assert new.client.indices.get_alias(index="lost-*") == {}
    for name in ("url", "prefix", "repository"):
        monkeypatch.setenv(f"FILINGFOREST_OPENSEARCH_{name.upper()}", getattr(new.settings, name))
    assert cli.main(["publications", "restore", "--json", "--index", url]) == cli.DONE
    restored = json.loads(capsys.readouterr().out)
    assert restored == {"snapshot": f"lost-tiny-units-{second}", "publication": third, "units": 8}
    assert [new.documents(index, publication) for publication in publications] == expected
    assert answers(url, new.settings, publications) == before
    assert new.client.count(index="lost-tiny-units")["count"] == 8  # the alias shows CURRENT
    assert new.client.count(index="lost-tiny-units-*")["count"] == 9  # and of b what was replaced, for the first publication

    fourth = night(index, new.settings, 4, "e")
    assert open_manifest(index.store, fourth).targets[NAME]["bulk"] == {"items": 2, "created": 2, "changed": 0, "refused": 0}
    assert new.documents(index, fourth) == dict.fromkeys(live_in(index.store, open_manifest(index.store, fourth)), 2)
    assert answers(url, new.settings, publications) == before
    assert cli.main(["publications", "snapshots", "--json", "--index", url]) == cli.DONE
    assert [(taken["publication"], taken["whole"]) for taken in json.loads(capsys.readouterr().out)] == [
        (first, True),
        (second, True),
        (fourth, True),
    ]
    assert cli.main(["publications", "rollback", first, "--json", "--index", url]) == cli.DONE
    assert new.client.count(index="lost-tiny-units")["count"] == 4
