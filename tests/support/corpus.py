"""A small made-up corpus as stage bundles and as a published index, for tests of segments and of the reader."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from filingforest.bundle import Bundle, read_bundle, write_bundle
from filingforest.current import Current
from filingforest.manifest import FileEntry, Manifest, ModelEntry, SegmentEntry
from filingforest.models.passages import text_sha, unit_passages
from filingforest.publish.segment import SegmentInput, build_segment
from filingforest.publish.stats import SegmentFolder, corpus_stats
from filingforest.schema import TABLES
from filingforest.schema_version import MIN_READER, SCHEMA_MAJOR, SCHEMA_MINOR
from filingforest.tokens import TOKENIZER_VERSION, count_tokens

DIMENSION = 8


@dataclass
class Unit:
    """A unit of a made-up document."""

    text: str
    item: str = "7"
    path: Sequence[str] = ("Management's discussion",)
    kind: str = "text"
    table: Mapping[str, Any] | None = None
    statement: str | None = None


@dataclass
class Doc:
    """A made-up filing."""

    company: str
    year: int = 2023
    units: Sequence[Unit] = ()
    form: str = "10-K"
    period: str = "FY"
    cik: str | None = None
    ticker: str | None = None
    doc_id: str = ""
    filed_at: str = ""
    facts: Sequence[Mapping[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        slug = "".join(c for c in self.company if c.isalnum()).lower()
        self.cik = self.cik or str(int(hashlib.sha256(slug.encode()).hexdigest()[:6], 16)).zfill(10)
        self.doc_id = self.doc_id or f"{slug}-{self.year}-{self.form.lower().replace('/', '')}-{self.period.lower()}"
        self.filed_at = self.filed_at or f"{self.year + 1}-02-15"

    @property
    def doc_version(self) -> str:
        return hashlib.sha256(repr((self.doc_id, self.units)).encode()).hexdigest()[:16]

    def document(self) -> dict[str, Any]:
        entity = {"cik": self.cik, "name": self.company, "ticker": self.ticker, "sic": None}
        return {
            "doc_id": self.doc_id,
            "doc_version": self.doc_version,
            "source": "edgar",
            "kind": "filing",
            "form": self.form,
            "form_base": self.form.removesuffix("/A"),
            "is_amendment": self.form.endswith("/A"),
            "entities": [entity],
            "company": self.company,
            "cik": self.cik,
            "ticker": self.ticker,
            "fiscal_year": self.year,
            "fiscal_period": self.period,
            "period_end": f"{self.year}-12-31",
            "filed_at": self.filed_at,
            "known_from": self.filed_at,
            "language": "en",
        }

    def nodes(self) -> list[dict[str, Any]]:
        root = {"node_id": f"{self.doc_id}#0", "doc_id": self.doc_id, "kind": "document", "clause_id": 0, "clause_path": "0", "depth": 0}
        return [root, *(self._node(place, unit) for place, unit in enumerate(self.units, 1))]

    def _node(self, place: int, unit: Unit) -> dict[str, Any]:
        return {
            "node_id": f"{self.doc_id}#{place}",
            "unit_key": hashlib.sha256(f"{self.doc_id}{place}{unit.text}".encode()).hexdigest()[:24],
            "doc_id": self.doc_id,
            "kind": unit.kind,
            "clause_id": place,
            "clause_path": str(place),
            "label_path": f"{unit.item}.{place}",
            "ancestor_ids": [0],
            "depth": 1,
            "item": unit.item,
            "item_key": f"{self.form}:II.{unit.item}",
            "heading_path": list(unit.path),
            "header": f"{self.company} | {self.form} | FY{self.year}",
            "text": unit.text,
            "table": json.dumps(unit.table) if unit.table else None,
            "statement": unit.statement,
            "page": place,
            "page_end": place,
            "char_start": 1_000 * place,
            "char_end": 1_000 * place + len(unit.text),
            "token_count": count_tokens(unit.text),
        }

    def parsed(self) -> Bundle:
        facts = [
            {"fact_id": f"f{i}", "doc_id": self.doc_id, "is_nil": False, "dimensions": "{}"} | dict(f) for i, f in enumerate(self.facts)
        ]
        tables = {
            "documents": _table("documents", [self.document()]),
            "texts": _table(
                "texts", [{"doc_id": self.doc_id, "doc_version": self.doc_version, "text": "\n".join(u.text for u in self.units)}]
            ),
            "nodes": _table("nodes", self.nodes()),
            "facts": _table("facts", facts),
            "fact_mentions": _table("fact_mentions", []),
        }
        return read_bundle(write_bundle(tables))

    def embeddings(self) -> Bundle:
        passages = unit_passages(_table("nodes", self.nodes()))
        shas = sorted({text_sha(text) for text in passages.values()})
        vectors = np.stack([vector_of(sha) for sha in shas]) if shas else np.zeros((0, DIMENSION), np.float32)
        column = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel(), pa.float32()), DIMENSION)
        constant = {name: [name] * len(shas) for name in ("role", "model", "revision", "method")}
        return read_bundle(write_bundle({"embeddings": pa.table({"text_sha": shas, **constant, "vector": column})}))

    def input(self, vectors: bool = True) -> SegmentInput:
        load: Callable[[], Bundle] | None = self.embeddings if vectors else None
        return SegmentInput(self.doc_id, self.doc_version, self.parsed, None, load)


def vector_of(text: str) -> np.ndarray:
    """A unit vector that depends on the text alone."""
    seed = int(hashlib.sha256(text.encode()).hexdigest()[:8], 16)
    vector = np.random.default_rng(seed).standard_normal(DIMENSION)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def table_unit(title: str, columns: Sequence[str], rows: Mapping[str, Sequence[str]], statement: str | None = None, **more: Any) -> Unit:
    """A table unit with one text a column; `concepts` may give a concept by label."""
    concepts = more.pop("concepts", {})
    body = [{"label": label, "level": 0, "text": list(texts), "concept": concepts.get(label)} for label, texts in rows.items()]
    table = {"title": title, "scale_note": "in millions", "columns": list(columns), "rows": body}
    lines = [f"{label} | " + " | ".join(f"{c}: {t}" for c, t in zip(columns, texts, strict=True)) for label, texts in rows.items()]
    return Unit("\n".join([title, *lines]), "8", ("Financial statements",), "table", table, statement, **more)


def publish(root: Path, segments: Sequence[Sequence[Doc]], dead: Sequence[str] = (), vectors: bool = False, name: str = "s") -> str:
    """Writes an index with one segment a list of documents into a folder; `dead` are masked, `name` begins the segments' names.

    Returns its address.
    """
    return publish_inputs(root, [[d.input(vectors) for d in documents] for documents in segments], dead, name)


def publish_inputs(root: Path, segments: Sequence[Sequence[SegmentInput]], dead: Sequence[str] = (), prefix: str = "s") -> str:
    """The same from stage outputs."""
    entries, folders = [], []
    for number, documents in enumerate(segments):
        name = f"{prefix}{number}"
        out = root / "segments" / name
        made = build_segment(documents, out)
        files = tuple(FileEntry(f"segments/{name}/{f.name}", f.bytes, f.sha256, f.rows) for f in made.files)
        masked = tuple(d for d in dead if d in made.doc_ids)
        entries.append(SegmentEntry(name, made.documents, made.units, files, made.ciks, made.min_year, made.max_year, dead=masked))
        folders.append(SegmentFolder(out, masked))
    return _write(root, tuple(entries), corpus_stats(folders), None)


def _write(root: Path, segments: tuple[SegmentEntry, ...], stats: bytes, model: ModelEntry | None) -> str:
    sha = hashlib.sha256(stats).hexdigest()
    schema = {"major": SCHEMA_MAJOR, "minor": SCHEMA_MINOR, "min_reader": MIN_READER}
    inputs = hashlib.sha256(repr(segments).encode()).hexdigest()[:16]
    made = Manifest("test", inputs, schema, segments, FileEntry("stats.zip", len(stats), sha), model, TOKENIZER_VERSION).numbered(1, None)
    folder = root / "publications" / made.id
    folder.mkdir(parents=True)
    (folder / "stats.zip").write_bytes(stats)
    (folder / "manifest.json").write_bytes(made.to_bytes())
    (root / "CURRENT").write_bytes(Current(made.id, 1).to_bytes())
    return str(root)


def _table(name: str, rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist([dict(row) for row in rows], schema=TABLES[name])
