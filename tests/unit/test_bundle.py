"""Bundles are deterministic, and damage to them is found and named."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from filingforest.bundle import read_bundle, write_bundle
from filingforest.errors import Corrupt, NotFound

TEXTS = pa.table({"doc_id": ["a", "b"], "doc_version": ["1", "2"], "text": ["x", None]})


def test_same_tables_same_bytes_in_any_order_and_chunking():
    other = pa.concat_tables([TEXTS.slice(0, 1), TEXTS.slice(1)])
    chunks = pa.table({"chunk_id": ["c"], "doc_id": ["a"]})
    one = write_bundle({"texts": TEXTS, "chunks": chunks}, {"note.json": b"{}"})
    two = write_bundle({"chunks": chunks, "texts": other.select(["text", "doc_version", "doc_id"])}, {"note.json": b"{}"})
    assert one == two


def test_round_trip():
    bundle = read_bundle(write_bundle({"texts": TEXTS}, {"note.json": b"{}"}))
    assert bundle.tables() == ["texts"]
    assert bundle.table("texts").to_pylist() == TEXTS.to_pylist()
    assert bundle.extra("note.json") == b"{}"
    with pytest.raises(NotFound):
        bundle.table("nodes")


@given(st.lists(st.text(max_size=8), max_size=6))
def test_any_text_survives(texts):
    columns = [[str(n) for n in range(len(texts))], ["v"] * len(texts), texts]
    table = pa.table([pa.array(column, pa.string()) for column in columns], names=["doc_id", "doc_version", "text"])
    assert read_bundle(write_bundle({"texts": table})).table("texts").column("text").to_pylist() == texts


def test_damage_is_typed():
    data = write_bundle({"texts": TEXTS})
    with pytest.raises(Corrupt, match="stages/parsed/x"):
        read_bundle(data[:50], "stages/parsed/x")
    middle = len(data) // 3
    with pytest.raises(Corrupt):
        read_bundle(data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]).table("texts")
    with pytest.raises(Corrupt):
        read_bundle(write_bundle({}, {"texts.parquet": b"not parquet"})).table("texts")
