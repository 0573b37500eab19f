"""What masked documents hold is counted from their rows, or from their own stage outputs where a segment is large: the same either way."""

from __future__ import annotations

from pathlib import Path

import pytest

from filingforest.config import Settings
from filingforest.current import open_manifest
from filingforest.publish import masked
from filingforest.publish.segment_rows import Rows
from filingforest.publish.stats import SegmentFolder, corpus_stats
from filingforest.store_folder import FolderStore
from tests.support.tiny_index import TinyIndex


@pytest.fixture
def index(tmp_path: Path) -> TinyIndex:
    """A segment of eight documents, the second of which waits to be replaced."""
    index = TinyIndex(FolderStore(tmp_path / "filings"), settings=Settings.from_dict({"publish.segment_floor": 2}))
    index.add("2024-02-01", *"abcdefgh")
    index.publish()
    index.receipt("2024-02-02", index.entry("b", ["b other words", "b revenue fell"], known_from="2024-02-02"))
    return index


def published(index: TinyIndex) -> None:
    """Publishes, and looks whether the statistics are those counted anew."""
    index.publish()
    made = open_manifest(index.store)
    assert [s.dead for s in made.segments if s.dead] == [("b",)]
    folders = [SegmentFolder(index.store.root / "segments" / segment.id, segment.dead) for segment in made.segments]
    assert made.stats
    assert index.store.get(made.stats.path) == corpus_stats(folders)


def never(*_: object, **__: object) -> None:
    raise AssertionError


def test_of_a_small_segment_rows_are_read(index: TinyIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(masked, "_parsed_terms", never)
    published(index)


def test_of_a_large_one_stage_outputs_are_read(index: TinyIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(masked, "FOOTER", 1e9)
    monkeypatch.setattr(Rows, "table", never)
    published(index)


def test_rows_where_the_stage_output_is_gone(index: TinyIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(masked, "FOOTER", 1e9)
    new = set(index.store.list("stages/parsed/b/"))
    old = {key for key in new if _holds(index, key, "liquidity")}
    for key in old:
        index.store.delete(key)
    assert len(old) == 1 < len(new)
    published(index)


def _holds(index: TinyIndex, key: str, word: str) -> bool:
    from filingforest.bundle import read_bundle

    return word in " ".join(text or "" for text in read_bundle(index.store.get(key), key).table("nodes")["text"].to_pylist())
