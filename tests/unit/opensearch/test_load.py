"""Which segments a load opens: those that hold what differs, however many others there are."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from filingforest.config import Settings
from filingforest.current import open_manifest
from filingforest.manifest import Manifest
from filingforest.opensearch.load import Differs, Load, unit_rows
from filingforest.store_folder import FolderStore
from tests.support.tiny_index import TinyIndex

WHOLE = {"failed": 0, "total": 1, "successful": 1, "skipped": 0}


class Node:
    """An index that is not empty and has no unit of what is asked for; `traces` are documents of a load that never counted."""

    def __init__(self, *traces: str) -> None:
        self.traces, self.indices = traces, self

    def refresh(self, index: str) -> Any:
        return {"_shards": WHOLE}

    def count(self, index: str) -> Any:
        return {"_shards": WHOLE, "count": 1}

    def search(self, index: str = "", body: Any = None, **more: Any) -> Any:
        buckets = [{"key": {"doc_id": name}} for name in self.traces]
        return {"_shards": WHOLE, "hits": {"hits": []}, "aggregations": {"documents": {"buckets": buckets}}}


class Watched:
    """A store that counts what is read, by segment."""

    def __init__(self, store: FolderStore) -> None:
        self._store, self.read = store, Counter[str]()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def get_range(self, key: str, start: int, length: int) -> bytes:
        self.read[key.split("/")[1]] += 1
        return self._store.get_range(key, start, length)


@pytest.fixture
def index(tmp_path: Path) -> TinyIndex:
    """Three nights, three segments."""
    made = TinyIndex(FolderStore(tmp_path / "filings"), settings=Settings.from_dict({"publish.segment_floor": 1}))
    for night, name in enumerate("abc", 1):
        made.add(f"2024-02-0{night}", name)
        made.publish()
    return made


def place_of(manifest: Manifest, store: FolderStore, name: str) -> str:
    """The segment that holds a document."""
    from filingforest.publish import filesets
    from filingforest.publish.ledger import SEGMENTS
    from filingforest.publish.members import documents_of

    return next(s.id for s in manifest.segments if name in {d.doc_id for d in documents_of(filesets.load(store, SEGMENTS, s.id))})


def loaded(index: TinyIndex, node: Node, differs: Differs | None, **options: Any) -> tuple[set[str], set[str]]:
    """Segments read, documents written."""
    store = Watched(index.store)  # type: ignore[arg-type]
    load = Load(node, "units", store, open_manifest(index.store), 2, unit_rows, differs=differs, **options)  # type: ignore[arg-type]
    return {action.document for action in load.actions()}, set(store.read)


def test_a_night_opens_the_segments_of_what_differs(index: TinyIndex) -> None:
    manifest = open_manifest(index.store)
    assert len(manifest.segments) == 3
    b = place_of(manifest, index.store, "b")
    assert loaded(index, Node(), Differs({"b"}, {b})) == ({"b"}, {b})
    assert loaded(index, Node(), Differs({"gone"}, set())) == (set(), set())


def test_what_a_load_that_never_counted_has_touched_is_looked_for_everywhere(index: TinyIndex) -> None:
    manifest = open_manifest(index.store)
    b = place_of(manifest, index.store, "b")
    assert loaded(index, Node("b"), Differs({"b"}, {b})) == ({"b"}, {b})  # it was this one's
    assert loaded(index, Node("c"), Differs({"b"}, {b})) == ({"b", "c"}, {s.id for s in manifest.segments})


def test_where_nothing_is_known_everything_is_looked_at(index: TinyIndex) -> None:
    assert loaded(index, Node(), None) == ({"a", "b", "c"}, {s.id for s in open_manifest(index.store).segments})


def test_segments_without_trees_are_not_opened_for_trees(index: TinyIndex) -> None:
    assert loaded(index, Node(), None, has=lambda reader: reader.has_trees) == (set(), set())
