"""Asks a new publication's files questions before it is switched to; each question is an SQL file in `sql/checks/`.

A query returns the rows that are wrong. Level `fail` keeps yesterday's publication, `warn` goes into the manifest's report. A night looks
into what is new: the tables are views over the files of the segments that were made now; those that were kept were asked when they were
made. What is asked of the whole corpus is asked of summaries that the publisher keeps. Beside the segments' tables there are

    live, before     one row a document of this publication and of its parent: doc_id, doc_version, segment, and its `Summary`
    planned          doc_id, doc_version of the documents that the new segments were made from
    vectors          segment, unit, norm
    intervals        interval, expected, entered (the fullest receipt of each)
    limits           max_missing_share, max_lost_share
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from filingforest.errors import ChecksFailed, Corrupt
from filingforest.publish.ledger import Placed
from filingforest.publish.receipts import Receipt
from filingforest.publish.segment_tables import SCHEMAS
from filingforest.publish.segments import Segment
from filingforest.publish.summary import NAMES

if TYPE_CHECKING:
    import duckdb

FOLDER = Path(__file__).parents[1] / "sql" / "checks"
_SHOWN = 5
_HEADER = re.compile(r"^-- (name|level|takedown|what): *(.+)$", re.M)


@dataclass(frozen=True)
class Check:
    """One question. `level` is fail or warn; `what` says in words what a returned row means. `takedown` is the level where a publication
    is made for a takedown: what readers had already, and law wants gone, waits for little."""

    name: str
    level: str
    what: str
    sql: str
    takedown: str = "warn"


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


@dataclass(frozen=True)
class Asked:
    """What the checks are asked of: all segments of a publication in the making, the documents of its parent, receipts, limits."""

    segments: Sequence[Segment]
    before: Sequence[Placed]
    receipts: Mapping[str, Receipt]
    max_missing_share: float = 0.2
    max_lost_share: float = 0.5
    is_takedown: bool = False

    @property
    def new(self) -> list[tuple[Segment, Path]]:
        """Segments whose files were made now, and where they lie."""
        return [(segment, segment.folder) for segment in self.segments if segment.folder is not None]


def run_checks(asked: Asked, checks: Sequence[Check] | None = None) -> list[Finding]:
    """Every check's finding. Errors: Corrupt where a file of a segment cannot be read."""
    import duckdb  # here and not above: who looks at publications with the `query` extra has none

    with duckdb.connect(":memory:", config={"threads": 1, "memory_limit": "1GB", "enable_external_access": True}) as db:
        try:
            _give(db, asked)
            return [_ask(db, check, asked.is_takedown) for check in (load_checks() if checks is None else checks)]
        except (duckdb.IOException, duckdb.InvalidInputException, duckdb.SerializationException, OSError, ValueError) as error:
            names = ", ".join(segment.entry.id for segment, _ in asked.new)
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
    return Check(header["name"], header["level"], header["what"], text, header.get("takedown", "warn"))


def _ask(db: duckdb.DuckDBPyConnection, check: Check, is_takedown: bool) -> Finding:
    rows = db.execute(f"SELECT * FROM ({check.sql.strip().rstrip(';')}\n) ORDER BY ALL").fetchall()
    examples = tuple(" ".join(str(value) for value in row) for row in rows[:_SHOWN])
    level = check.takedown if is_takedown else check.level
    return Finding(check.name, level, not rows, len(rows), check.what, examples)


def _give(db: duckdb.DuckDBPyConnection, asked: Asked) -> None:
    for table in SCHEMAS:
        files = [str(folder / f"{table}.parquet") for _, folder in asked.new]
        db.execute(f"CREATE VIEW {table} AS {_union(files, table)}")
    documents = [placed.entry for segment, _ in asked.new for placed in segment.placed]
    db.register("vectors", _vectors(asked.new))
    db.register("planned", _table(("doc_id", "doc_version"), [(d.doc_id, d.doc_version) for d in documents]))
    db.register("live", _documents([(segment.entry.id, placed) for segment in asked.segments for placed in segment.live]))
    db.register("before", _documents([("", placed) for placed in asked.before]))
    db.register("intervals", _intervals(asked.receipts))
    limits = {name: [getattr(asked, name)] for name in ("max_missing_share", "max_lost_share")}
    db.register("limits", pa.table(limits))


def _documents(rows: Sequence[tuple[str, Placed]]) -> pa.Table:
    """One row a document, with its summary."""
    texts = {"doc_id": [p.entry.doc_id for _, p in rows], "doc_version": [p.entry.doc_version for _, p in rows]}
    columns = {**texts, "segment": [name for name, _ in rows]} | {n: [getattr(p.summary, n) for _, p in rows] for n in NAMES}
    kinds = {n: pa.string() if n in (*texts, "segment", "source", "kind", "form", "form_base") else pa.int64() for n in columns}
    return pa.table({name: pa.array(values, kinds[name]) for name, values in columns.items()})


def _union(files: Sequence[str], table: str) -> str:
    if not files:
        columns = ", ".join(f"NULL AS {_quoted(name)}" for name in SCHEMAS[table].names)
        return f"SELECT {columns} WHERE false"
    return f"SELECT * FROM read_parquet([{', '.join(_text(file) for file in files)}])"


def _vectors(segments: Sequence[tuple[Segment, Path]]) -> pa.Table:
    tables = [_norms(segment.entry.id, folder / "vectors.f16.npy") for segment, folder in segments if (folder / "vectors.f16.npy").exists()]
    return pa.concat_tables([*tables, _norms_table("", np.empty(0, np.float32))])


def _norms(segment: str, path: Path) -> pa.Table:
    vectors = np.load(path, mmap_mode="r")
    norms = [np.linalg.norm(vectors[i : i + 4096].astype(np.float32), axis=1) for i in range(0, len(vectors), 4096)]
    return _norms_table(segment, np.concatenate(norms) if norms else np.empty(0, np.float32))


def _norms_table(segment: str, norms: Any) -> pa.Table:
    return pa.table({"segment": pa.array([segment] * len(norms), pa.string()), "unit": np.arange(len(norms)), "norm": norms})


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
