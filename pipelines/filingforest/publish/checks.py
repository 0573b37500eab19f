"""Asks a new publication's files questions before it is switched to; each question is an SQL file in `sql/checks/`.

A query returns the rows that are wrong. Level `fail` keeps yesterday's publication, `warn` goes into the manifest's report. The
segments' tables are views over their Parquet files; `vectors` (unit, norm), `planned` (doc_id,
doc_version), `intervals` (interval, expected, entered) and `limits` (max_missing_share) are given beside them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from filingforest.errors import ChecksFailed, Corrupt
from filingforest.publish.receipts import Receipt
from filingforest.publish.segment_tables import SCHEMAS
from filingforest.publish.segments import Segment

FOLDER = Path(__file__).parents[1] / "sql" / "checks"
_SHOWN = 5
_HEADER = re.compile(r"^-- (name|level|what): *(.+)$", re.M)


@dataclass(frozen=True)
class Check:
    """One question. `level` is fail or warn; `what` says in words what a returned row means."""

    name: str
    level: str
    what: str
    sql: str


@dataclass(frozen=True)
class Finding:
    """What a check found: how many rows, and the first few."""

    name: str
    level: str
    ok: bool
    rows: int
    what: str
    examples: tuple[str, ...] = ()


def load_checks(folder: Path = FOLDER) -> list[Check]:
    """The checks, by name."""
    checks = [_check(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.sql"))]
    return sorted(checks, key=lambda check: check.name)


def run_checks(
    segments: Sequence[Segment], receipts: Mapping[str, Receipt], max_missing_share: float, checks: Sequence[Check] | None = None
) -> list[Finding]:
    """Every check's finding. Errors: Corrupt where a file of a segment cannot be read."""
    with duckdb.connect(":memory:", config={"threads": 1, "memory_limit": "1GB", "enable_external_access": True}) as db:
        try:
            _give(db, segments, receipts, max_missing_share)
            return [_ask(db, check) for check in (load_checks() if checks is None else checks)]
        except (duckdb.IOException, duckdb.InvalidInputException, duckdb.SerializationException, OSError, ValueError) as error:
            names = ", ".join(segment.entry.id for segment in segments)
            remedy = "delete the damaged file; publishing again writes it again"
            raise Corrupt(str(error), document=f"segments {names}", stage="checks", remedy=remedy) from error


def report_of(findings: Sequence[Finding]) -> dict[str, Any]:
    """For the manifest."""
    return {"checks": [asdict(finding) for finding in findings]}


def refuse_failures(findings: Sequence[Finding]) -> None:
    """Errors: ChecksFailed, naming rows, when a check of level `fail` found any."""
    failed = [finding for finding in findings if not finding.ok and finding.level == "fail"]
    if failed:
        text = "; ".join(f"{f.name}: {f.rows} rows, {f.what} ({', '.join(f.examples)})" for f in failed)
        error = ChecksFailed(
            text, stage="checks", remedy="yesterday's publication stays; correct or set aside the documents named, then publish"
        )
        error.report = tuple(asdict(finding) for finding in findings)
        raise error


def _check(text: str) -> Check:
    header = dict(_HEADER.findall(text))
    return Check(header["name"], header["level"], header["what"], text)


def _ask(db: duckdb.DuckDBPyConnection, check: Check) -> Finding:
    rows = db.execute(f"SELECT * FROM ({check.sql.strip().rstrip(';')}\n) ORDER BY ALL").fetchall()
    examples = tuple(" ".join(str(value) for value in row) for row in rows[:_SHOWN])
    return Finding(check.name, check.level, not rows, len(rows), check.what, examples)


def _give(db: duckdb.DuckDBPyConnection, segments: Sequence[Segment], receipts: Mapping[str, Receipt], max_missing_share: float) -> None:
    for table in SCHEMAS:
        files = [str(segment.folder / f"{table}.parquet") for segment in segments]
        db.execute(f"CREATE VIEW {table} AS {_union(files, table)}")
    documents = [document for segment in segments for document in segment.documents]
    db.register("vectors", _vectors(segments))
    db.register("planned", _table(("doc_id", "doc_version"), [(d.doc_id, d.doc_version) for d in documents]))
    db.register("intervals", _intervals(receipts))
    db.register("limits", pa.table({"max_missing_share": [max_missing_share]}))


def _union(files: Sequence[str], table: str) -> str:
    if not files:
        columns = ", ".join(f"NULL AS {_quoted(name)}" for name in SCHEMAS[table].names)
        return f"SELECT {columns} WHERE false"
    return f"SELECT * FROM read_parquet([{', '.join(_text(file) for file in files)}])"


def _vectors(segments: Sequence[Segment]) -> pa.Table:
    norms: list[Any] = []
    for segment in segments:
        path = segment.folder / "vectors.f16.npy"
        if path.exists():
            vectors = np.load(path, mmap_mode="r")
            norms += [np.linalg.norm(vectors[i : i + 4096].astype(np.float32), axis=1) for i in range(0, len(vectors), 4096)]
    flat = np.concatenate(norms) if norms else np.empty(0, np.float32)
    return pa.table({"unit": np.arange(len(flat)), "norm": flat})


def _intervals(receipts: Mapping[str, Receipt]) -> pa.Table:
    """The fullest receipt of each interval."""
    best: dict[str, tuple[int, int]] = {}
    for receipt in receipts.values():
        interval = f"{receipt.source} {receipt.interval}"
        best[interval] = max(best.get(interval, (-1, 0)), (len(receipt.documents), receipt.expected))
    columns = [list(best), [expected for _, expected in best.values()], [entered for entered, _ in best.values()]]
    return pa.table([pa.array(columns[0], pa.string()), pa.array(columns[1], pa.int64()), pa.array(columns[2], pa.int64())],
                    names=["interval", "expected", "entered"])  # fmt: skip


def _table(names: Sequence[str], rows: Sequence[tuple[str, ...]]) -> pa.Table:
    return pa.table([pa.array([row[i] for row in rows], pa.string()) for i in range(len(names))], names=list(names))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
