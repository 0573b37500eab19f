"""A segment's Parquet files: which tables, which columns, how long their row groups, written document by document."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from filingforest.schema import TABLES, conform, without

UNIT_COLUMNS = (
    "node_id",
    "unit_key",
    "doc_id",
    "kind",
    "label_path",
    "item",
    "item_key",
    "heading_path",
    "header",
    "statement",
    "page",
    "page_end",
    "char_start",
    "char_end",
    "text",
    "table",
)
# rows a row group: hits are read ten rows at a time, analytic columns by the million
ROW_GROUPS = {"units": 256, "texts": 16, "chunks": 256, "facts": 4_096, "fact_mentions": 65_536, "nodes": 65_536, "documents": 65_536}
ROW_GROUPS |= {"tree_nodes": 256, "flam_counts": 65_536}
SCHEMAS: dict[str, pa.Schema] = {
    "documents": TABLES["documents"],
    "texts": TABLES["texts"],
    "nodes": without("nodes", ["text", "table"]),
    "units": pa.schema([TABLES["nodes"].field(name) for name in UNIT_COLUMNS]),
    "facts": TABLES["facts"],
    "fact_mentions": TABLES["fact_mentions"],
    "chunks": TABLES["chunks"],
    "tree_nodes": TABLES["tree_nodes"],
    "flam_counts": TABLES["flam_counts"],
}


class TableWriter:
    """One Parquet file, fed a document at a time; row groups do not depend on how the rows came in, so neither do the bytes."""

    def __init__(self, folder: Path, name: str) -> None:
        self.path, self.schema, self.group = folder / f"{name}.parquet", SCHEMAS[name], ROW_GROUPS[name]
        self.name, self.rows = name, 0
        # hits are read by place, a few rows of a few groups: dictionaries and statistics would only be more pages to decode
        hits = name == "units"
        # pages carry checksums, since a reader of a few of them cannot compare the file's hash
        how = {"compression": "zstd", "compression_level": 3, "write_page_checksum": True}
        self._writer = pq.ParquetWriter(self.path, self.schema, write_statistics=not hits, use_dictionary=not hits, **how)
        self._waiting: list[pa.Table] = []
        self._count = 0

    def add(self, table: pa.Table) -> None:
        """Rows of one document, conformed to the file's schema (extra columns are left out)."""
        kept = [column for column in table.column_names if column in self.schema.names]
        rows = conform(self.name, table.select(kept), self.schema)
        self._waiting.append(rows)
        self._count += rows.num_rows
        self.rows += rows.num_rows
        if self._count >= self.group:
            self._flush(self._count - self._count % self.group)

    def close(self) -> None:
        self._flush(self._count)
        self._writer.close()

    def _flush(self, count: int) -> None:
        if not count:
            return
        rows = pa.concat_tables(self._waiting).combine_chunks()
        self._writer.write_table(rows.slice(0, count), row_group_size=self.group)
        self._waiting = [rows.slice(count)] if count < self._count else []
        self._count -= count
