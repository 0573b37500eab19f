"""Readers through OpenSearch and a publisher at once: every answer is one of the two frozen ones, never a mixture, and nothing fails.

The publisher changes a filing to and fro, and goes back a publication now and then. So units come and go in the index while it is asked:
their `live` ranges end and begin again, night by night. Where orders are joined here, scores must be the frozen ones to the last digit; where
OpenSearch joins them, the members.
"""

from __future__ import annotations

import datetime as dt
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from filingforest import query
from filingforest.config import Settings
from filingforest.config.opensearch import OpenSearchSettings
from filingforest.current import open_manifest
from filingforest.opensearch.backend import OpenSearchBackend
from filingforest.opensearch.client import connect
from filingforest.opensearch.target import NAME, OpenSearchTarget
from filingforest.publish import commands
from filingforest.query.encoder import QuestionEncoder
from filingforest.store_folder import FolderStore
from tests.support.soak import QUESTIONS, ReaderThread, members, seen
from tests.support.tiny_index import TinyEmbedder, TinyIndex

pytestmark = pytest.mark.service
LOOKS = {"client": seen, "server": members}
CONTENTS = (("revenue grew", "liquidity is enough"), ("revenue fell", "nothing is enough", "revenue and liquidity"))
FIRST_DAY = dt.date(2024, 2, 1)


class Publisher:
    """Publishes a filing in two contents in turn, in Parquet and in OpenSearch. `content` says which of the two a publication has."""

    def __init__(self, folder: Path, settings: OpenSearchSettings) -> None:
        self.index = TinyIndex(FolderStore(folder / "filings"), settings=Settings.from_dict({"publish.segment_floor": 4}))
        self.target = OpenSearchTarget(self.index.store, settings)
        self.content: dict[str, int] = {}
        self.nights = self.rollbacks = 0
        self.index.add(FIRST_DAY.isoformat(), "b", "c")

    def night(self) -> None:
        """The filing again, with its other content."""
        day = (FIRST_DAY + dt.timedelta(self.nights)).isoformat()
        self.index.receipt(day, self.index.entry("a", CONTENTS[self.nights % 2], known_from=day))
        self._publish(self.nights % 2)
        self.nights += 1

    def there_and_back(self) -> None:
        """To the publication before, and on again under a new number."""
        now = open_manifest(self.index.store)
        commands.rollback(self.index.store, now.parent, [self.target])
        commands.release(self.index.store)
        self._publish(self.content[now.id])
        self.rollbacks += 1

    def _publish(self, content: int) -> None:
        made = self.index.publish(targets=[self.target])
        assert made.changed and made.publication
        self.content[made.publication] = content

    def frozen(self, backend: OpenSearchBackend, look) -> dict[int, str]:
        """What each content answers, while nobody publishes."""
        ids = {content: publication for publication, content in self.content.items()}
        return {content: look(query.open(self.index.store.url, at=at, backend=backend)) for content, at in ids.items()}


@pytest.fixture(autouse=True)
def encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Questions get vectors of the tiny embedder: what is published beside the index is no real model."""
    monkeypatch.setattr(QuestionEncoder, "embed", lambda self, question: TinyEmbedder().embed([question])[0])


def soak(folder: Path, settings: OpenSearchSettings, seconds: float) -> None:
    publisher = Publisher(folder, settings)
    publisher.night()
    publisher.night()
    backends = {fusion: OpenSearchBackend(replace(settings, fusion=fusion)) for fusion in LOOKS}
    frozen = {look: publisher.frozen(backends[fusion], look) for fusion, look in LOOKS.items()}
    assert all(len(set(answers.values())) == 2 for answers in frozen.values())  # the two contents answer differently
    done = threading.Event()
    readers = [
        ReaderThread(
            lambda fusion=fusion: query.open(publisher.index.store.url, backend=OpenSearchBackend(replace(settings, fusion=fusion))),
            done,
            LOOKS[fusion],
        )
        for fusion in ("client", "client", "server")
    ]
    for reader in readers:
        reader.start()
    end = time.monotonic() + seconds
    while time.monotonic() < end or not (publisher.rollbacks and all(contents_seen(publisher, reader) for reader in readers)):
        publisher.night()
        if publisher.nights % 3 == 0:
            publisher.there_and_back()
        if any(reader.errors for reader in readers):
            break
    done.set()
    for reader in readers:
        reader.join()
    rounds = sum(reader.count for reader in readers)
    print(
        f"{rounds} rounds of {len(QUESTIONS)} questions by {len(readers)} readers; {publisher.nights} nights, {publisher.rollbacks} rollbacks"
    )
    assert [error for reader in readers for error in reader.errors] == []
    for reader in readers:
        allowed = {(publication, frozen[reader.look][content]) for publication, content in publisher.content.items()}
        assert reader.answers <= allowed
    assert ranges_of(publisher, settings) > 1


def contents_seen(publisher: Publisher, reader: ReaderThread) -> bool:
    """Whether a reader has answered from publications of both contents."""
    return {publisher.content.get(publication) for publication, _ in reader.answers.copy()} >= {0, 1}


def ranges_of(publisher: Publisher, settings: OpenSearchSettings) -> int:
    """How often the unit that came and went most often did."""
    index = open_manifest(publisher.index.store).targets[NAME]["index"]
    hits = connect(settings).search(index=index, body={"size": 100, "_source": ["live"]})["hits"]["hits"]
    return max(len(hit["_source"]["live"]) for hit in hits)


def test_readers_and_a_publisher(tmp_path: Path, opensearch: OpenSearchSettings) -> None:
    soak(tmp_path, opensearch, 20)


@pytest.mark.slow
def test_readers_and_a_publisher_for_ten_minutes(tmp_path: Path, opensearch: OpenSearchSettings) -> None:
    soak(tmp_path, opensearch, 600)
