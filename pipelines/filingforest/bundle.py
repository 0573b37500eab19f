"""One object a document and stage: a zip of Parquet tables whose bytes depend on the tables alone, so that re-runs are idempotent.

Entries are stored (Parquet compresses by itself), in name order, with a fixed date and mode.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

import pyarrow as pa
import pyarrow.parquet as pq

from filingforest import schema
from filingforest.errors import Corrupt, NotFound

_DATE = (1980, 1, 1, 0, 0, 0)
_SUFFIX = ".parquet"


class Bundle:
    """A bundle's bytes, opened; tables are decoded when asked for.

    Errors: Corrupt when the bytes are no zip, a member's CRC is wrong or a table is no Parquet; NotFound for a name it lacks.
    """

    def __init__(self, data: bytes, name: str = "bundle") -> None:
        self.name = name
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, ValueError) as error:
            raise self._corrupt(str(error)) from error

    def tables(self) -> list[str]:
        """Names of the tables, sorted."""
        return sorted(member[: -len(_SUFFIX)] for member in self._zip.namelist() if member.endswith(_SUFFIX))

    def table(self, name: str) -> pa.Table:
        """The whole table `name`."""
        try:
            return pq.read_table(io.BytesIO(self._read(name + _SUFFIX)))
        except (pa.ArrowException, OSError) as error:
            raise self._corrupt(f"table {name}: {error}") from error

    def extra(self, name: str) -> bytes:
        """The bytes of a member that is not a table."""
        return self._read(name)

    def _read(self, member: str) -> bytes:
        try:
            return self._zip.read(member)
        except KeyError as error:
            raise NotFound(f"no {member} in it", document=self.name, stage="bundle") from error
        except (zipfile.BadZipFile, zipfile.LargeZipFile, ValueError, EOFError, OSError, NotImplementedError) as error:
            raise self._corrupt(f"member {member}: {error}") from error

    def _corrupt(self, why: str) -> Corrupt:
        return Corrupt(why, document=self.name, stage="bundle", remedy="delete this object; the stage will write it again")


def read_bundle(data: bytes, name: str = "bundle") -> Bundle:
    """Open a bundle; `name` is what errors call it. Errors: Corrupt."""
    return Bundle(data, name)


def write_bundle(tables: Mapping[str, pa.Table], extra: Mapping[str, bytes] | None = None) -> bytes:
    """A zip of NAME.parquet members and `extra` members. Tables that the schema knows are cast to it first.

    The same tables give the same bytes under one pyarrow version.
    """
    members = {name + _SUFFIX: parquet_bytes(name, table) for name, table in tables.items()} | dict(extra or {})
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(members):
            archive.writestr(_entry(name), members[name])
    return buffer.getvalue()


def parquet_bytes(name: str, table: pa.Table) -> bytes:
    """`table` as Parquet bytes, conformed to the schema of that name where there is one."""
    if name in schema.TABLES:
        table = schema.conform(name, table)
    sink = io.BytesIO()
    pq.write_table(table.combine_chunks(), sink, compression="zstd", compression_level=3)
    return sink.getvalue()


def _entry(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, date_time=_DATE)
    info.external_attr = 0o644 << 16
    info.create_system = 3  # the same on every platform
    return info
