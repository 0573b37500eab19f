"""A publication of made-up filings of any size, written array by array, so that making a million units costs what a disk costs.

Texts are permutations of a pool with a Zipf vocabulary, a few sentences each, vectors lie in clusters, segments have the sizes that
compaction leaves.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from benchmarks.query import SUBJECTS, word
from filingforest.file_blocks import block_digests
from filingforest.lines import lines_of
from filingforest.manifest import FileEntry, Manifest, ModelEntry, SegmentEntry
from filingforest.models.open import open_embedder
from filingforest.publish.npy import NpyWriter
from filingforest.publish.segment import SEGMENT_FORMAT
from filingforest.publish.segment_files import describe
from filingforest.publish.segment_tables import SCHEMAS, TableWriter
from filingforest.publish.stats import SegmentFolder, corpus_stats
from filingforest.schema_version import MIN_READER, SCHEMA_MAJOR, SCHEMA_MINOR
from filingforest.signs import sign_codes
from filingforest.terms import TERMS_VERSION, term_hash
from filingforest.tokens import TOKENIZER_VERSION, tokenize

UNITS_A_DOCUMENT, YEARS, DIMENSION, CLUSTERS, POOL, WORDS = 250, 5, 384, 2_000, 8_192, 60_000
SHARES = (0.5, 0.25, 0.12, 0.06, 0.04, 0.02, 0.01)  # of units by segment: what merging by ratio leaves
SENTENCE, LENGTH = 18, 92  # words of a sentence and, about, of a unit
_BLOCK = 10_000


class Pool:
    """Texts that units are made of, their terms (`terms[start[i]:start[i + 1]]` are those of text i), and their lines."""

    def __init__(self) -> None:
        random = np.random.default_rng(1)
        vocabulary = [word(n) for n in range(WORDS)]
        ranks = np.minimum(random.zipf(1.15, size=(POOL, 90)), WORDS) - 1
        self.texts = [_text(SUBJECTS[i % len(SUBJECTS)], [vocabulary[r] for r in row]) for i, row in enumerate(ranks)]
        found = [np.unique(np.array([term_hash(t) for t in tokenize(text)], dtype=np.uint64), return_counts=True) for text in self.texts]
        self.terms = np.concatenate([terms for terms, _ in found])
        self.counts = np.concatenate([counts for _, counts in found]).astype(np.uint16)
        self.start = np.cumsum([0, *(len(terms) for terms, _ in found)])
        self.lines = [lines_of(text) for text in self.texts]


def _text(subject: str, words: Sequence[str]) -> str:
    """A few sentences, the last with a number."""
    ends = range(0, len(words), SENTENCE)
    return ". ".join([" ".join([subject, *words[i : i + SENTENCE]][i > 0 :]).capitalize() for i in ends]) + " in 2021"


def vectors_of(first: int, count: int) -> npt.NDArray[np.float32]:
    """Unit vectors of rows [first, first + count): clusters of clusters, as passages of one subject lie in filings."""
    centres = np.random.default_rng(0).standard_normal((CLUSTERS, DIMENSION)).astype(np.float32)
    random = np.random.default_rng([2, first])
    out = centres[random.integers(CLUSTERS, size=count)] + 0.9 * random.standard_normal((count, DIMENSION), dtype=np.float32)
    normed: npt.NDArray[np.float32] = out / np.linalg.norm(out, axis=1, keepdims=True)
    return normed


def build(folder: Path, units: int, model: str) -> None:
    """Writes the publication."""
    _publish(folder, segments(folder, units), model)


def segments(folder: Path, units: int, shares: Sequence[float] = SHARES) -> list[SegmentEntry]:
    """Writes its segments alone, one after another, a block of units in memory; `shares` of the units lie in each."""
    pool, entries, first_document = Pool(), list[SegmentEntry](), 0
    for number, share in enumerate(shares):
        documents = max(1, round(units * share / UNITS_A_DOCUMENT))
        entries.append(_segment(folder, f"s{number}", pool, first_document, documents))
        first_document += documents
    return entries


def _segment(folder: Path, name: str, pool: Pool, first: int, count: int) -> SegmentEntry:
    out = folder / "segments" / name
    out.mkdir(parents=True)
    documents = [_document(first + n) for n in range(count)]
    units = count * UNITS_A_DOCUMENT
    tables = {table: TableWriter(out, table) for table in SCHEMAS}
    tables["documents"].add(pa.Table.from_pylist(documents, schema=SCHEMAS["documents"]))
    bases = np.random.default_rng([3, first]).integers(POOL, size=units)
    for start in range(0, units, _BLOCK):
        rows = _unit_rows(documents, bases[start : start + _BLOCK], start, pool)
        tables["units"].add(pa.Table.from_pylist(list(rows), schema=SCHEMAS["units"]))
    for table in tables.values():
        table.close()
    _postings(out, pool, bases)
    _lines(out, pool, bases)
    _arrays(out, first * UNITS_A_DOCUMENT, documents, units)
    made = describe(out, units, LENGTH * units)
    files = tuple(FileEntry(f"segments/{name}/{f.name}", f.bytes, f.sha256, f.rows) for f in made.files)
    return SegmentEntry(name, made.documents, made.units, files, made.ciks, made.min_year, made.max_year)


def _document(number: int) -> dict[str, Any]:
    company, year = number // YEARS, 2019 + number % YEARS
    about = {"doc_id": f"{number:010d}-24-000001", "doc_version": "0" * 16, "form": "10-K", "form_base": "10-K", "source": "edgar"}
    about |= {"company": f"{word(10_000 + company).title()} Corp", "cik": f"{1000 + company:010d}", "kind": "filing", "fiscal_period": "FY"}
    return about | {"fiscal_year": year, "filed_at": f"{year + 1}-02-01", "known_from": f"{year + 1}-02-01", "period_end": f"{year}-12-31"}


def _unit_rows(documents: Sequence[dict[str, Any]], bases: npt.NDArray[Any], start: int, pool: Pool) -> Iterator[dict[str, Any]]:
    for place, base in enumerate(bases.tolist(), start):
        doc_id, number = documents[place // UNITS_A_DOCUMENT]["doc_id"], place % UNITS_A_DOCUMENT + 1
        text = f"{pool.texts[base]} {place}"
        yield {
            "node_id": f"{doc_id}#{number}", "unit_key": hashlib.blake2b(f"{doc_id} {number}".encode(), digest_size=12).hexdigest(),
            "doc_id": doc_id, "kind": "text", "item": "7", "item_key": "10-K:II.7", "heading_path": ["Management's discussion"],
            "label_path": f"7.{number}", "text": text, "char_start": number * 700, "char_end": number * 700 + len(text),
            "page": number // 4,
        }  # fmt: skip


def _postings(out: Path, pool: Pool, bases: npt.NDArray[Any]) -> None:
    """The postings of all units at once, sorted by term; a segment's 500,000 units need 1 GB here for some seconds."""
    sizes = np.diff(pool.start)[bases]
    where = np.repeat(pool.start[bases], sizes) + np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    hashes, inverse = np.unique(pool.terms, return_inverse=True)
    codes = inverse[where].astype(np.uint32)
    order = np.argsort(codes, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(codes, minlength=len(hashes)))])
    unit = np.repeat(np.arange(len(bases), dtype=np.uint32), sizes)[order]
    arrays = {"terms.hash": ("<u8", hashes), "terms.start": ("<i8", starts), "postings.unit": ("<u4", unit)}
    arrays |= {"postings.body": ("<u2", pool.counts[where[order]]), "postings.head": ("<u1", np.zeros(len(order), np.uint8))}
    for name, (kind, values) in arrays.items():
        with NpyWriter(out / f"{name}.npy", kind) as writer:
            writer.append(values)


def _lines(out: Path, pool: Pool, bases: npt.NDArray[Any]) -> None:
    sizes = np.array([(len(lines.about), len(lines.words)) for lines in pool.lines])
    with (
        NpyWriter(out / "lines.start.npy", "<i8", (2,)) as starts,
        NpyWriter(out / "lines.about.npy", "<u2", (3,)) as about,
        NpyWriter(out / "lines.word.npy", "<u4") as words,
    ):
        starts.append(np.concatenate([[(0, 0)], np.cumsum(sizes[bases], axis=0)]))
        for block in np.array_split(bases, max(1, len(bases) // _BLOCK)):
            about.append(np.concatenate([pool.lines[base].about for base in block]))
            words.append(np.concatenate([pool.lines[base].words for base in block]))


def _arrays(out: Path, first: int, documents: Sequence[dict[str, Any]], units: int) -> None:
    starts = np.arange(len(documents) + 1) * UNITS_A_DOCUMENT
    flat: dict[str, tuple[str, Any]] = {"documents.units": ("<i8", starts), "documents.nodes": ("<i8", starts * 0)}
    flat |= {"documents.facts": ("<i8", starts * 0), "units.length": ("<u4", np.full(units, LENGTH))}
    flat |= {f"units.{name}": ("<u2", np.full(units, code)) for name, code in (("kind", 1), ("item_key", 1), ("statement", 0))}
    for name, (kind, values) in flat.items():
        with NpyWriter(out / f"{name}.npy", kind) as writer:
            writer.append(values)
    with (
        NpyWriter(out / "vectors.f16.npy", "<f2", (DIMENSION,)) as vectors,
        NpyWriter(out / "vectors.signs.npy", "<u8", (DIMENSION // 64,)) as signs,
    ):
        for start in range(0, units, _BLOCK):
            block = vectors_of(first + start, min(_BLOCK, units - start)).astype(np.float16)
            vectors.append(block)
            signs.append(sign_codes(block))
    names = {"kind": ["", "text"], "item_key": ["", "10-K:II.7"], "statement": [""]}
    about = {"format": SEGMENT_FORMAT, "tokenizer": TOKENIZER_VERSION, "terms": TERMS_VERSION, "documents": len(documents)}
    about |= {"units": units, "dimension": DIMENSION, "names": names, "lines": True}
    about["blocks"] = {path.name: digests for path in sorted(out.iterdir()) if (digests := block_digests(path))}
    (out / "segment.json").write_text(json.dumps(about), encoding="utf-8")


def _publish(folder: Path, segments: Sequence[SegmentEntry], model: str) -> None:
    stats = corpus_stats([SegmentFolder(folder / "segments" / s.id) for s in segments])
    embedder = open_embedder("onnx", model)
    files = {n: d if isinstance(d, bytes) else d.read_bytes() for n, d in embedder.files().items()}
    (folder / "models" / "m").mkdir(parents=True)
    for name, data in files.items():
        (folder / "models" / "m" / name).write_bytes(data)
    encoder = ModelEntry("m", embedder.info.as_dict(), tuple(_entry(f"models/m/{n}", d) for n, d in files.items()))
    schema = {"major": SCHEMA_MAJOR, "minor": SCHEMA_MINOR, "min_reader": MIN_READER}
    made = Manifest("bench", "", schema, tuple(segments), _entry("stats.zip", stats), encoder, TOKENIZER_VERSION).numbered(1, None)
    out = folder / "publications" / made.id
    out.mkdir(parents=True)
    (out / "stats.zip").write_bytes(stats)
    (out / "manifest.json").write_bytes(made.to_bytes())
    (folder / "CURRENT").write_text(f'{made.id}\n{{"entry": 1, "previous": null, "reason": "published"}}\n')


def _entry(path: str, data: bytes) -> FileEntry:
    return FileEntry(path, len(data), hashlib.sha256(data).hexdigest())
