"""The declared schemas hold what others rely on, and `conform` casts without losing anything silently."""

from decimal import Decimal

import pyarrow as pa
import pytest

from filingforest import schema
from filingforest.errors import StoreError


def test_every_field_has_an_id_and_a_description():
    for table in schema.TABLES.values():
        ids = [field.metadata[b"PARQUET:field_id"] for field in table]
        assert ids == [str(n).encode() for n in range(1, len(table) + 1)]
        assert all(field.metadata[b"description"] for field in table)


def test_all_null_column_keeps_its_declared_type():
    table = schema.conform("texts", pa.table({"doc_id": ["a"], "doc_version": ["v"], "text": pa.nulls(1)}))
    assert table.schema.field("text").type == pa.string()


def test_missing_columns_become_null_and_unknown_ones_are_refused():
    table = schema.conform("chunks", pa.table({"chunk_id": ["c"], "doc_id": ["d"]}))
    assert table.column_names == schema.TABLES["chunks"].names
    with pytest.raises(StoreError, match="surprise"):
        schema.conform("chunks", pa.table({"chunk_id": ["c"], "doc_id": ["d"], "surprise": [1]}))


def test_a_required_id_may_not_be_null():
    with pytest.raises(StoreError, match="doc_id"):
        schema.conform("texts", pa.table({"doc_id": pa.nulls(1, pa.string()), "doc_version": ["v"]}))


def test_vector_keeps_its_dimension():
    vectors = pa.array([[1.0, 0.0]], pa.list_(pa.float32(), 2))
    table = schema.conform("embeddings", pa.table({"text_sha": ["s"], "vector": vectors}))
    assert table.schema.field("vector").type == pa.list_(pa.float32(), 2)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("391035000000", "391035000000"),
        ("-0.5", "-0.5"),
        ("1.500", "1.5"),
        ("12345678901234567890123456.123456789012", "12345678901234567890123456.123456789012"),
        ("0.1234567890123", None),  # 13 digits after the point
        ("1e30", None),
        (None, None),
        ("", None),
        ("n/a", None),
        ("NaN", None),
    ],
)
def test_decimals_are_exact_or_null(text, expected):
    assert schema.to_decimal([text]).to_pylist() == [Decimal(expected) if expected else None]


def test_fingerprint_is_stable_within_a_version():
    assert schema.fingerprint() == schema.fingerprint()
    assert len(schema.fingerprint()) == 16
