"""Many nights over small segments: readers see the live documents alone, counted exactly, and the same answers as from one segment."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from filingforest import query
from filingforest.config import Settings
from filingforest.current import open_manifest
from filingforest.publish import commands, filesets, ledger
from filingforest.publish.members import live_in
from filingforest.publish.stats import SegmentFolder, corpus_stats
from filingforest.query.publication import open_publication
from filingforest.store_folder import FolderStore
from tests.support.tiny_index import TinyEmbedder, TinyIndex

SMALL = Settings.from_dict({"publish.segment_floor": 6, "publish.segment_ratio": 3, "publish.segment_dead_share": 0.4})
WORDS = ["revenue grew", "liquidity is enough", "backlog of orders", "cash fell by 1.2 percent", "goodwill was written off"]
QUESTIONS = [
    "revenue and backlog",
    "What did Company 0000000002 say about cash in 2022?",
    "goodwill",
    "liquidity of the company",
    "percent",
]


def index_at(folder: Path, settings: Settings = SMALL) -> TinyIndex:
    return TinyIndex(FolderStore(folder / "filings"), settings=settings)


def texts(number: int, count: int) -> list[str]:
    return [f"{WORDS[(number + k) % len(WORDS)]} {'twin' if k % 2 else number}" for k in range(count)]


def stats_agree(index: TinyIndex) -> None:
    """The statistics brought forward are, byte for byte, those counted anew."""
    made = open_manifest(index.store)
    folders = [SegmentFolder(index.store.root / "segments" / segment.id, segment.dead) for segment in made.segments]
    assert index.store.get(made.stats.path) == corpus_stats(folders)


class TinyQuestions:
    """Embeds questions as the tiny embedder does passages; its model cannot be published."""

    missing = ""

    def embed(self, question: str):
        return TinyEmbedder().embed([question])[0]


def answers(index: TinyIndex) -> list:
    reader = query.open(index.store.url)
    reader._publications[0].encoder = TinyQuestions()
    return [[(h.unit_key, h.score, h.why) for h in reader.query(question, k=20).hits] for question in QUESTIONS]


nights = st.lists(
    st.lists(st.tuples(st.sampled_from("abcdefgh"), st.integers(1, 5)), min_size=1, max_size=3, unique_by=lambda pair: pair[0]),
    min_size=2,
    max_size=7,
)


@settings(max_examples=3, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(nights)
def test_any_nights(nights):
    """Documents come, and come again with other texts; segments are masked, merged and written again on the way."""
    with tempfile.TemporaryDirectory() as folder:
        many, one = index_at(Path(folder) / "many"), index_at(Path(folder) / "one", Settings())
        expected: dict[str, str] = {}
        for number, night in enumerate(nights):
            known = f"2024-02-{number + 1:02d}"
            for index in (many, one):
                entries = [
                    index.entry(d, texts(number, count), known_from=known, cik=f"000000000{ord(d) % 3}", year=2021 + ord(d) % 2)
                    for d, count in night
                ]
                index.receipt(known, *entries)
            expected |= {entry["doc_id"]: entry["doc_version"] for entry in entries}
            many.publish()
            assert {d: e.doc_version for d, e in live_in(many.store, open_manifest(many.store)).items()} == expected
            stats_agree(many)
        one.publish()
        assert open_manifest(many.store).counts == open_manifest(one.store).counts
        assert open_manifest(many.store).content_hash() == open_manifest(one.store).content_hash()
        assert not many.publish().changed
        assert commands.verify(many.store).ok
        assert answers(many) == answers(one)


@pytest.fixture(scope="module")
def nights_of_two(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dozen nights of two documents of three units, the seventh with another version of the first one's."""
    index = index_at(folder := tmp_path_factory.mktemp("nights"))
    for number in range(12):
        night(index, number)
        index.publish()
    return folder


def night(index: TinyIndex, number: int) -> None:
    docs = [f"d{number:02d}x", f"d{number:02d}y"] if number != 6 else ["d00x", "d06y"]
    known = f"2024-02-{number + 1:02d}"
    index.receipt(known, *(index.entry(d, texts(number, 3), known_from=known) for d in docs))


@pytest.fixture
def long(nights_of_two: Path, tmp_path: Path) -> TinyIndex:
    shutil.copytree(nights_of_two, tmp_path / "copy")
    return index_at(tmp_path / "copy")


def test_segments_are_few_and_shared(long: TinyIndex):
    made = open_manifest(long.store)
    before = open_manifest(long.store, made.parent)
    assert 1 < len(made.segments) <= 5
    assert {s.id for s in made.segments} & {s.id for s in before.segments}
    assert any(s.dead for p in commands.list_publications(long.store) for s in open_manifest(long.store, p.id).segments)


def test_the_ledger_says_what_receipts_and_segments_say(long: TinyIndex):
    made = open_manifest(long.store)
    read = ledger.load(long.store, made)
    assert ledger.from_bytes(ledger.to_bytes(read), "again") == read or ledger.to_bytes(
        ledger.from_bytes(ledger.to_bytes(read), "x")
    ) == ledger.to_bytes(read)
    assert read.receipts == ledger.all_receipts(long.store, ledger.Ledger({}, {}))
    assert {name: list(placed) for name, placed in read.placed.items()} == {
        s.id: ledger.placed_in(filesets.load(long.store, "segments", s.id)) for s in made.segments
    }


def test_a_lost_ledger_is_told_again(long: TinyIndex):
    made = open_manifest(long.store)
    long.store.delete(made.ledger.path)
    assert not long.publish().changed
    long.add("2024-03-01", "z")
    long.publish()
    stats_agree(long)
    assert open_manifest(long.store).ledger is not None
    assert {s.id for s in open_manifest(long.store).segments} & {s.id for s in made.segments}


def test_a_rollback_over_merged_segments(long: TinyIndex):
    names = [p.id for p in commands.list_publications(long.store)]
    target = set(live_in(long.store, open_manifest(long.store, names[4])))
    commands.rollback(long.store, names[4])
    assert not long.publish().changed
    long.add("2024-03-01", "z")
    long.publish()
    assert set(live_in(long.store, open_manifest(long.store))) == target | {"z"}
    stats_agree(long)
    commands.release(long.store)
    long.publish()
    assert set(live_in(long.store, open_manifest(long.store))) == target | {"z"} | {f"d{n:02d}{c}" for n in range(12) for c in "xy"} - {
        "d06x"
    }
    stats_agree(long)
    assert commands.verify(long.store).ok


def test_a_damaged_segment_with_masked_documents_is_written_again(long: TinyIndex):
    names = [p.id for p in commands.list_publications(long.store)]
    masked = next(n for n in names if any(s.dead for s in open_manifest(long.store, n).segments))
    commands.rollback(long.store, masked)
    made = open_manifest(long.store)
    entry = next(s for s in made.segments if s.dead).files[3]
    data = long.store.get(entry.path)
    long.store.delete(entry.path)
    assert not long.publish().changed
    assert long.store.get(entry.path) == data


def test_a_damaged_segment_whose_past_is_gone_is_made_anew(long: TinyIndex):
    """The masked versions' stage outputs are gone too: the live documents are built again, into another segment of the same content."""
    names = [p.id for p in commands.list_publications(long.store)]
    masked = next(n for n in names if any(s.dead for s in open_manifest(long.store, n).segments))
    commands.rollback(long.store, masked)
    made = open_manifest(long.store)
    segment = next(s for s in made.segments if s.dead)
    live = live_in(long.store, made)
    for key in list(long.store.list(f"stages/parsed/{segment.dead[0]}/")):
        if key not in live[segment.dead[0]].stages.values():
            long.store.delete(key)
    long.store.delete(segment.files[3].path)
    result = long.publish()
    assert result.changed
    assert result.publication.partition("-")[2] == made.id.partition("-")[2]
    assert live_in(long.store, open_manifest(long.store)) == live
    assert commands.verify(long.store).ok


def test_numbers_of_rows_do_not_depend_on_segments(long: TinyIndex, tmp_path: Path):
    one = index_at(tmp_path / "one", Settings())
    for number in range(12):
        night(one, number)
    one.publish()

    def order(index: TinyIndex) -> list[str]:
        publication = open_publication(index.store)
        rows = np.arange(int(publication.base[-1]))
        keys = [row["unit_key"] for s in publication.segments for row in s.read("units", ["unit_key"])]
        live = np.concatenate([np.repeat(s.live, np.diff(s.starts)) for s in publication.segments])
        ordered = np.argsort(publication.numbers(rows))
        return [keys[row] for row in ordered if live[row]]

    assert len(open_manifest(long.store).segments) > 1
    assert order(long) == order(one)
