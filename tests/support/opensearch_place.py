"""An index on S3 that OpenSearch carries too, as a person meets it at the command line (the fixture `place`)."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest

from filingforest import cli
from filingforest.config.opensearch import OpenSearchSettings
from filingforest.current import open_manifest, read_current
from filingforest.opensearch.client import connect
from filingforest.opensearch.target import OpenSearchTarget
from filingforest.publish.members import live_in
from filingforest.store import open_store
from infra.servers.seaweedfs import ADMIN, BUCKET
from tests.support.tiny_index import TinyIndex


class Place:
    """An index on S3 whose publications OpenSearch carries too, and the command line as a person types it."""

    def __init__(self, url: str, settings: OpenSearchSettings, capsys: pytest.CaptureFixture[str]) -> None:
        self.url, self.settings, self.client, self._capsys = url, settings, connect(settings), capsys
        self.index = TinyIndex(open_store(url))

    def night(self, day: int, *names: str, texts: tuple[str, ...] = ("revenue grew", "liquidity is enough")) -> str:
        known = f"2024-02-{day:02d}"
        self.index.receipt(known, *(self.index.entry(n, [f"{n} {text}" for text in texts], known_from=known) for n in names))
        made = self.index.publish(targets=[self.target()]).publication
        assert made
        return made

    def type(self, *words: str, code: int = cli.DONE) -> Any:
        """What `filingforest publications WORDS` answers, as JSON; the error where it ends with one."""
        assert cli.main(["publications", *words, "--json", "--index", self.url]) == code
        said = self._capsys.readouterr()
        return said.err if code else json.loads(said.out)

    def register(self, repository: str, **more: Any) -> None:
        """Let OpenSearch know of a repository on the same S3; `more` are settings of it."""
        if self.client.snapshot.get_repository(params={"local": "true"}).get(repository):
            self.client.snapshot.delete_repository(repository=repository)
        keys = dict(zip(("access_key", "secret_key"), ADMIN, strict=True))
        reach = {"endpoint": os.environ["FILINGFOREST_S3_ENDPOINT"], "path_style_access": True, "region": "us-east-1"}
        settings = {"bucket": BUCKET, "base_path": repository, **keys, **reach, **more}
        self.client.snapshot.create_repository(repository=repository, body={"type": "s3", "settings": settings})

    def target(self) -> OpenSearchTarget:
        """As nights have it."""
        return OpenSearchTarget(self.index.store, self.settings)

    def published(self) -> set[str]:
        """Documents of CURRENT, in Parquet."""
        return set(live_in(self.index.store, open_manifest(self.index.store)))

    def shown(self) -> set[str]:
        """Documents under the alias, in OpenSearch."""
        return self._documents(f"{self.settings.prefix}-tiny-units")

    def held(self) -> set[str]:
        """Documents in any index, whatever publication has them."""
        return self._documents(f"{self.settings.prefix}-tiny-units-*")

    def now(self) -> str:
        now = read_current(self.index.store)
        assert now
        return now.id

    def lose(self) -> None:
        """The cluster forgets everything."""
        self.client.indices.delete(index=f"{self.settings.prefix}-*")

    def _documents(self, index: str) -> set[str]:
        body = {"size": 0, "aggs": {"d": {"terms": {"field": "doc_id", "size": 1_000}}}}
        return {bucket["key"] for bucket in self.client.search(index=index, body=body)["aggregations"]["d"]["buckets"]}
