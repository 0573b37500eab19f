"""One declared Arrow schema a table, so that every Parquet file anywhere has the same types, field ids and descriptions.

Without it a column that is all null in one file becomes another type there. Instants and dates are ISO-8601 text
(`2024-01-31`, `2024-01-31T21:05:11Z`); JSON values are text. Column list: see the design's "Tables" and `schema_columns.py`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from decimal import Context, Decimal, InvalidOperation

import pyarrow as pa

from filingforest.errors import StoreError
from filingforest.schema_columns import COLUMNS, Column
from filingforest.schema_version import MIN_READER, SCHEMA_MAJOR, SCHEMA_MINOR

__all__ = ["MIN_READER", "PARSED_TABLES", "SCHEMA_MAJOR", "SCHEMA_MINOR", "TABLES", "conform", "fingerprint", "without"]

PARSED_TABLES = ("documents", "texts", "nodes", "facts", "fact_mentions")
DECIMAL = pa.decimal128(38, 12)
_EXACT = Context(prec=100)  # the default context would round at 28 digits

_ENTITY = pa.struct([pa.field(name, pa.string()) for name in ("cik", "name", "ticker", "sic")])
_TYPES: dict[str, pa.DataType] = {
    "string": pa.string(),
    "bool": pa.bool_(),
    "int32": pa.int32(),
    "int64": pa.int64(),
    "float32": pa.float32(),
    "double": pa.float64(),
    "decimal": DECIMAL,
    "strings": pa.list_(pa.string()),
    "ints": pa.list_(pa.int32()),
    "doubles": pa.list_(pa.float64()),
    "entities": pa.list_(_ENTITY),
    "vector": pa.list_(pa.float32()),  # becomes a fixed-size list as soon as the model's dimension is known
}


def _field(number: int, column: Column) -> pa.Field:
    metadata = {"PARQUET:field_id": str(number), "description": column.description}
    return pa.field(column.name, _TYPES[column.type], nullable=not column.required, metadata=metadata)


# field ids are places in the table's column list, which only ever grows at its end
TABLES: dict[str, pa.Schema] = {
    table: pa.schema([_field(number, column) for number, column in enumerate(columns, 1)]) for table, columns in COLUMNS.items()
}


def fingerprint() -> str:
    """16 hex digits over every table's columns, types and field ids; the manifest carries it."""
    lines = [f"{table} {n} {c.name} {c.type} {c.required}" for table, columns in COLUMNS.items() for n, c in enumerate(columns, 1)]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def without(table: str, names: Iterable[str]) -> pa.Schema:
    """The schema of `table` less some columns (a segment's nodes carry no text)."""
    left_out = set(names)
    return pa.schema([field for field in TABLES[table] if field.name not in left_out])


def conform(name: str, table: pa.Table, schema: pa.Schema | None = None) -> pa.Table:
    """`table` with exactly the declared columns, in order: missing ones are null, unknown ones an error, types cast safely.

    Decimal columns accept text; a number that does not fit 26 + 12 digits becomes null (its text stands beside it).
    """
    schema = schema if schema is not None else TABLES[name]
    unknown = sorted(set(table.column_names) - set(schema.names))
    if unknown:
        message = f"columns {unknown} are not in the schema of {name}"
        raise StoreError(message, stage="schema", remedy="add them at the end of schema_columns.py")
    fields = [_with_dimension(field, table) for field in schema]
    columns = [_cast(name, table, field) for field in fields]
    return pa.table(columns, schema=pa.schema(fields))


def _with_dimension(field: pa.Field, table: pa.Table) -> pa.Field:
    if field.name == "vector" and field.name in table.column_names and pa.types.is_fixed_size_list(table.schema.field("vector").type):
        return field.with_type(pa.list_(pa.float32(), table.schema.field("vector").type.list_size))
    return field


def _cast(name: str, table: pa.Table, field: pa.Field) -> pa.ChunkedArray | pa.Array:
    if field.name not in table.column_names:
        column: pa.ChunkedArray | pa.Array = pa.nulls(table.num_rows, field.type)
    else:
        column = _to_type(name, table.column(field.name), field)
    if not field.nullable and column.null_count:
        raise StoreError(f"{name}.{field.name} has {column.null_count} null values", stage="schema", remedy="every row needs this id")
    return column


def _to_type(name: str, column: pa.ChunkedArray, field: pa.Field) -> pa.ChunkedArray | pa.Array:
    if column.type == field.type:
        return column
    if pa.types.is_decimal(field.type) and pa.types.is_string(column.type):
        return to_decimal(column.to_pylist())
    try:
        return column.cast(field.type)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError) as error:
        raise StoreError(f"{name}.{field.name}: {error}", stage="schema", remedy=f"give values of type {field.type}") from error


def to_decimal(texts: Iterable[str | None]) -> pa.Array:
    """Exact decimals of `texts`; null where there is none, where it is no number, or where it has more than 26 + 12 digits."""
    return pa.array([_decimal(text) for text in texts], DECIMAL)


def _decimal(text: str | None) -> Decimal | None:
    try:
        value = Decimal(text) if text else None
    except InvalidOperation:
        return None
    if value is None or not value.is_finite():
        return None
    value = value.normalize(_EXACT)
    exponent = value.as_tuple().exponent
    fits = isinstance(exponent, int) and exponent >= -DECIMAL.scale and value.adjusted() < DECIMAL.precision - DECIMAL.scale
    return value if fits else None
