"""Bytes are kept once with where they came from, and what a disk damaged is noticed and taken away."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from filingforest import raw
from filingforest.bundle import write_bundle
from filingforest.errors import Corrupt, NotFound
from filingforest.repair import repair
from filingforest.sources.base import DocumentRef, RawDocument, hint_for
from filingforest.stages import stage_key
from filingforest.store import open_store

REF = DocumentRef("folder:a", "folder", "a.htm", "a.htm", form="10-K")


def document(content: bytes, **provenance: str) -> RawDocument:
    return RawDocument(REF, content, hint_for(REF, ticker="ABC"), dict(provenance))


def damage(path: Path, content: bytes) -> None:
    path.chmod(0o644)
    path.write_bytes(content)


def test_the_first_origin_of_a_version_stays(tmp_path: Path) -> None:
    store = open_store(str(tmp_path))
    one = document(b"<p>one</p>", fetched_at="2024-01-31T00:00:00+00:00")
    assert raw.keep(store, one)
    assert not raw.keep(store, document(b"<p>one</p>", fetched_at="2025-01-31T00:00:00+00:00"))
    back = raw.load(store, "folder:a", one.doc_version)
    assert (back.ref, back.content, back.hint) == (REF, b"<p>one</p>", one.hint)
    assert raw.known_from(raw.origin(store, "folder:a", one.doc_version)) == "2024-01-31T00:00:00+00:00"


def test_the_version_that_came_last_is_newest(tmp_path: Path) -> None:
    store = open_store(str(tmp_path))
    assert raw.newest(store, "folder:a") is None
    later, earlier = document(b"b", fetched_at="2024-02-01"), document(b"a", fetched_at="2024-01-01")
    raw.keep(store, later)
    raw.keep(store, earlier)
    assert raw.newest(store, "folder:a") == later.doc_version


def test_bytes_without_an_origin_are_not_complete(tmp_path: Path) -> None:
    store, one = open_store(str(tmp_path)), document(b"x")
    store.put_new(raw.content_key("folder:a", one.doc_version), b"half")
    assert raw.newest(store, "folder:a") is None
    with pytest.raises(NotFound):
        raw.load(store, "folder:a", one.doc_version)


@pytest.mark.parametrize("content", [b"no gzip", b"\x1f\x8b\x08\x00", gzip.compress(b"other bytes")], ids=["no gzip", "cut", "other bytes"])
def test_damage_is_noticed_and_repaired(tmp_path: Path, content: bytes) -> None:
    store, one = open_store(str(tmp_path)), document(b"x")
    raw.keep(store, one)
    whole, broken = (stage_key("parsed", "folder:a", one.doc_version, fp) for fp in ("f" * 16, "e" * 16))
    for key in (whole, broken):
        store.put_new(key, write_bundle({}, {"x": b"1"}))
    assert repair(store, "folder:a") == []

    damage(tmp_path / raw.content_key("folder:a", one.doc_version), content)
    damage(tmp_path / broken, b"PK")
    with pytest.raises(Corrupt, match="retry"):
        raw.load(store, "folder:a", one.doc_version)
    assert repair(store, "folder:a") == [broken, *raw.keys("folder:a", one.doc_version)]
    assert list(store.list("")) == [whole]
    assert raw.keep(store, one)
