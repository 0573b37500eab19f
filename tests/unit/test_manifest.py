"""Manifests: what goes in comes out, the id covers the content and nothing else, and what cannot be read is typed."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from filingforest import current, manifest
from filingforest.current import Current
from filingforest.errors import Corrupt, SchemaTooNew
from filingforest.manifest import FileEntry, Manifest, ModelEntry, SegmentEntry

names = st.text("abcdef0123456789-._:", min_size=1, max_size=12)
words = st.text(max_size=8)
files = st.builds(FileEntry, path=names, bytes=st.integers(0, 2**40), sha256=names, rows=st.none() | st.integers(0, 10**9))
segments = st.builds(
    SegmentEntry,
    id=names,
    documents=st.integers(0, 9),
    units=st.integers(0, 9),
    files=st.lists(files, max_size=3).map(tuple),
    ciks=st.lists(names, max_size=2).map(tuple),
    min_year=st.none() | st.integers(1990, 2030),
    max_year=st.none() | st.integers(1990, 2030),
    min_filed=st.none() | names,
    max_filed=st.none() | names,
    dead=st.lists(names, max_size=2).map(tuple),
)
manifests = st.builds(
    Manifest,
    corpus=names,
    inputs=names,
    schema=st.just({"major": 1, "minor": 0, "min_reader": 1}),
    segments=st.lists(segments, max_size=2).map(tuple),
    stats=st.none() | st.builds(FileEntry, path=st.just("stats.zip"), bytes=st.integers(0, 99), sha256=names),
    model=st.none()
    | st.builds(ModelEntry, id=names, info=st.dictionaries(words, words, max_size=2), files=st.lists(files, max_size=2).map(tuple)),
    tokenizer_version=words,
    stage_versions=st.dictionaries(words, st.lists(words, max_size=2), max_size=2),
    counts=st.dictionaries(words, st.integers(0, 10**9), max_size=2),
    receipts=st.lists(names, max_size=2).map(tuple),
    holds=st.lists(names, max_size=2).map(tuple),
    report=st.dictionaries(words, words, max_size=2),
    run=st.dictionaries(words, words, max_size=2),
)
EXAMPLE = Manifest("filings", "0123", {"major": 1, "minor": 0, "min_reader": 1}, (), FileEntry("stats.zip", 3, "abc"), None, "1").numbered(
    7, "000006-x"
)


@given(manifests, st.integers(1, 10**7), st.none() | names)
def test_round_trip(made, sequence, parent):
    made = made.numbered(sequence, parent)
    assert manifest.load(made.to_bytes()) == made
    assert made.id == f"{sequence:06d}-{made.content_hash()}"


@given(manifests, st.integers(1, 99), st.integers(1, 99))
def test_the_hash_is_of_the_content_alone(made, one, other):
    away = {"receipts": ("r",), "holds": ("h",), "report": {"x": 1}, "run": {"dag_run": "today"}}
    assert made.numbered(one, "p").content_hash() == replace(made, **away).numbered(other, None).content_hash()


def test_how_documents_are_cut_into_segments_is_no_content():
    other = replace(EXAMPLE, segments=(SegmentEntry("s", 1, 1, ()),), stats=FileEntry("stats.zip", 3, "abd"))
    assert other.numbered(7, None).id == EXAMPLE.id
    assert other.numbered(7, None).layout != EXAMPLE.layout


def test_a_changed_list_of_files_is_noticed():
    document = json.loads(EXAMPLE.to_bytes())
    document["stats"]["sha256"] = "abd"
    with pytest.raises(Corrupt, match="files are not those"):
        manifest.load(json.dumps(document).encode())


def test_manifests_of_before_layouts_are_read():
    """Then segments and statistics were part of the content."""
    document = {name: value for name, value in json.loads(EXAMPLE.to_bytes()).items() if name not in ("layout", "ledger", "targets")}
    document["id"] = f"000007-{manifest.content_hash(document)}"
    assert manifest.load(json.dumps(document).encode()).stats == EXAMPLE.stats
    assert manifest.content_hash(document | {"stats": {**document["stats"], "sha256": "abd"}}) != manifest.content_hash(document)


@pytest.mark.parametrize(
    "change",
    [
        {"corpus": "news"},
        {"inputs": "4"},
        {"counts": {"units": 1}},
        {"tokenizer_version": "2"},
        {"stage_versions": {"parsed": ["0"]}},
    ],
)
def test_content_changes_the_hash(change):
    assert replace(EXAMPLE, **change).content_hash() != EXAMPLE.content_hash()


def test_statistics_lie_below_the_id():
    assert EXAMPLE.stats.path == f"publications/{EXAMPLE.id}/stats.zip"
    assert EXAMPLE.files() == [EXAMPLE.stats]
    assert manifest.key(EXAMPLE.id) == f"publications/{EXAMPLE.id}/manifest.json"


def test_a_newer_reader_is_asked_for():
    document = json.loads(EXAMPLE.to_bytes()) | {"schema": {"major": 9, "minor": 0, "min_reader": 9}, "segments": "of another shape"}
    with pytest.raises(SchemaTooNew, match=r"publications/x.*pip install --upgrade"):
        manifest.load(json.dumps(document).encode(), "publications/x/manifest.json")


def test_a_newer_minor_version_is_read():
    document = json.loads(EXAMPLE.to_bytes()) | {"mirror": {"iceberg": True}, "schema": {"major": 1, "minor": 9, "min_reader": 1}}
    document["id"] = f"000007-{manifest.content_hash(document)}"
    assert manifest.load(json.dumps(document).encode()).sequence == 7


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b"{}", b"null", b"\xff\xfe", b'{"schema": {"min_reader": "x"}}', EXAMPLE.to_bytes()[:-40]]
)
def test_damage_is_typed(data):
    with pytest.raises(Corrupt, match="manifest"):
        manifest.load(data)


def test_changed_content_is_found():
    with pytest.raises(Corrupt, match="not what its id says"):
        manifest.load(EXAMPLE.to_bytes().replace(b'"filings"', b'"filinks"'))


@given(st.integers(1, 10**6), names, st.none() | names, words)
def test_current_round_trip(entry, name, previous, reason):
    now = Current(name, entry, reason, previous)
    assert current.parse(now.to_bytes()) == now
    assert now.to_bytes().decode().splitlines()[0] == name


@pytest.mark.parametrize("data", [b"", b"000001-a", b"000001-a\n{}", b"000001-a\n[]", b"000001-a\nnull", b"\xff\n{}"])
def test_a_damaged_current_is_typed(data):
    with pytest.raises(Corrupt, match="CURRENT"):
        current.parse(data)


def test_readers_import_nothing_heavy():
    heavy = "('pyarrow', 'numpy', 'boto3', 'duckdb')"
    code = f"import sys, filingforest.current, filingforest.store_folder; print([m for m in {heavy} if m in sys.modules])"
    place = {"PYTHONPATH": str(Path(manifest.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=place)
    assert done.stdout.strip() == "[]"
