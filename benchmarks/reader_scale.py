"""A publication of a million units, made in minutes, and whether a reader of it keeps its promises: opening, answers, recall, memory.

    python benchmarks/reader_scale.py --folder DIR [--units 1000000] [--keep]

Texts are permutations of a pool with a Zipf vocabulary, vectors lie in clusters, segments have the sizes that compaction leaves. The
files are written directly, array by array, so that making them costs what a disk costs. The questions run in processes of their own,
the last under a memory limit of 1 GB where this machine lets one be set. Run alone on the machine.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from benchmarks.query import SUBJECTS, anonymous_mb, questions, word
from filingforest import query
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
MEMORY_LIMIT = 1 << 30
_BLOCK = 10_000


class Pool:
    """Texts that units are made of, and their terms: `terms[start[i]:start[i + 1]]` are those of text i."""

    def __init__(self) -> None:
        random = np.random.default_rng(1)
        vocabulary = [word(n) for n in range(WORDS)]
        ranks = np.minimum(random.zipf(1.15, size=(POOL, 90)), WORDS) - 1
        self.texts = [f"{SUBJECTS[i % len(SUBJECTS)]} {' '.join(vocabulary[r] for r in row)} in 2021" for i, row in enumerate(ranks)]
        found = [np.unique(np.array([term_hash(t) for t in tokenize(text)], dtype=np.uint64), return_counts=True) for text in self.texts]
        self.terms = np.concatenate([terms for terms, _ in found])
        self.counts = np.concatenate([counts for _, counts in found]).astype(np.uint16)
        self.start = np.cumsum([0, *(len(terms) for terms, _ in found)])


def vectors_of(first: int, count: int) -> npt.NDArray[np.float32]:
    """Unit vectors of rows [first, first + count): clusters of clusters, as passages of one subject lie in filings."""
    centres = np.random.default_rng(0).standard_normal((CLUSTERS, DIMENSION)).astype(np.float32)
    random = np.random.default_rng([2, first])
    out = centres[random.integers(CLUSTERS, size=count)] + 0.9 * random.standard_normal((count, DIMENSION), dtype=np.float32)
    normed: npt.NDArray[np.float32] = out / np.linalg.norm(out, axis=1, keepdims=True)
    return normed


def build(folder: Path, units: int, model: str) -> None:
    """Writes the publication: segments one after another, a block of units in memory."""
    pool, entries, first_document = Pool(), [], 0
    for number, share in enumerate(SHARES):
        documents = max(1, round(units * share / UNITS_A_DOCUMENT))
        entries.append(_segment(folder, f"s{number}", pool, first_document, documents))
        first_document += documents
    _publish(folder, entries, model)


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
    _arrays(out, first * UNITS_A_DOCUMENT, documents, units, tables)
    made = describe(documents, units, {n: t.rows for n, t in tables.items()}, out)
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


def _arrays(out: Path, first: int, documents: Sequence[dict[str, Any]], units: int, tables: dict[str, TableWriter]) -> None:
    starts = np.arange(len(documents) + 1) * UNITS_A_DOCUMENT
    flat: dict[str, tuple[str, Any]] = {"documents.units": ("<i8", starts), "documents.nodes": ("<i8", starts * 0)}
    flat |= {"documents.facts": ("<i8", starts * 0), "units.length": ("<u4", np.full(units, 92))}
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
    about |= {"units": units, "dimension": DIMENSION, "names": names}
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


def times_of(reader: query.Reader, asked: Sequence[str], **filters: Any) -> npt.NDArray[np.float64]:
    """Milliseconds of each question."""
    out = []
    for question in asked:
        start = time.perf_counter()
        reader.query(question, **filters)
        out.append(1000 * (time.perf_counter() - start))
    return np.array(out)


def recall(reader: query.Reader, asked: int) -> float:
    """recall@10 of the unfiltered vector search against exact search in float32, for vectors like those of the corpus."""
    publication = reader._publications[0]
    wanted = vectors_of(10**9, asked)
    best = np.full((asked, 10), -2.0, np.float32)
    where = np.full((asked, 10), -1, np.int64)
    for base, segment in zip(publication.base, publication.segments, strict=False):
        assert segment.vectors is not None
        for start in range(0, segment.units, 50_000):
            block = segment.vectors.vectors[start : start + 50_000].astype(np.float32)
            scores = np.concatenate([best, (block @ wanted.T).T], axis=1)
            rows = np.concatenate([where, np.broadcast_to(np.arange(len(block)) + base + start, (asked, len(block)))], axis=1)
            top = np.argpartition(-scores, 9, axis=1)[:, :10]
            best, where = np.take_along_axis(scores, top, 1), np.take_along_axis(rows, top, 1)
    found = [set(_nearest(publication, vector)) for vector in wanted]
    return float(np.mean([len(f & set(w.tolist())) / 10 for f, w in zip(found, where, strict=True)]))


def _nearest(publication: Any, vector: npt.NDArray[np.float32]) -> list[int]:
    from filingforest.query.filters import Filters

    found = []
    for base, segment in zip(publication.base, publication.segments, strict=False):
        rows, cosines = segment.vectors.nearest(vector, segment.select(segment.live, Filters()), 10)
        found += [(-float(c), int(base + r)) for r, c in zip(rows, cosines, strict=True)]
    return [row for _, row in sorted(found)[:10]]


def measure(folder: Path, count: int, with_recall: bool) -> dict[str, float]:
    """What one process sees."""
    start = time.perf_counter()
    reader = query.open(folder)
    found = {"open s": time.perf_counter() - start}
    publication = reader._publications[0]
    companies = len(publication.documents) // YEARS
    start = time.perf_counter()
    reader.query(questions(1, companies, True)[0])
    found["first question s"] = time.perf_counter() - start
    times_of(reader, questions(20, companies, False))
    for label, named in (("one company", True), ("unfiltered", False)):
        asked = [q.partition(" in fiscal")[0] + "?" for q in questions(count, companies, named)]
        busy = time.process_time()
        times = times_of(reader, asked)
        found[f"{label} CPU ms"] = 1000 * (time.process_time() - busy) / count
        found |= {f"{label} p{p} ms": float(np.percentile(times, p)) for p in (50, 95)}
    found["RssAnon MB"] = anonymous_mb()
    return found | ({"recall@10": recall(reader, 200)} if with_recall else {})


def in_process(folder: Path, count: int, *flags: str, limit: Path | None = None) -> dict[str, float]:
    """`measure` in a new process, in the memory group `limit` where one is given."""
    command = [sys.executable, __file__, "--folder", str(folder), "--questions", str(count), "--measure", *flags]
    if limit is not None:
        command = ["sh", "-c", f'echo $$ > {limit}/cgroup.procs && exec "$@"', "sh", *command]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def memory_group() -> Path | None:
    """A memory control group of 1 GB below this process's own, where the machine lets one be made (version 1 or 2)."""
    for parent, limit in ((Path("/sys/fs/cgroup/memory"), "memory.limit_in_bytes"), (Path("/sys/fs/cgroup"), "memory.max")):
        group = parent / f"reader-scale-{os.getpid()}"
        try:
            group.mkdir()
            (group / limit).write_text(str(MEMORY_LIMIT))
            return group
        except OSError:
            shutil.rmtree(group, ignore_errors=True)
    return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="where the publication is made (1.6 GB for a million units)")
    parser.add_argument("--units", type=int, default=1_000_000)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--model", default="all-MiniLM-L6-v2")
    parser.add_argument("--keep", action="store_true", help="leave the publication there")
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--recall", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        print(json.dumps(measure(arguments.folder, arguments.questions, arguments.recall)))
        return
    if not (arguments.folder / "CURRENT").exists():
        start = time.perf_counter()
        build(arguments.folder, arguments.units, arguments.model)
        print(f"built in {time.perf_counter() - start:.0f} s")
    show("free", in_process(arguments.folder, arguments.questions, "--recall"))
    group = memory_group()
    if group:
        show("under a memory group of 1 GB", in_process(arguments.folder, arguments.questions, limit=group))
        group.rmdir()
    else:
        print("no memory group can be made here: RssAnon above is the measure")
    if not arguments.keep:
        shutil.rmtree(arguments.folder)


def show(title: str, found: dict[str, float]) -> None:
    print(title)
    for name, value in found.items():
        print(f"  {name:24s} {value:8.3f}")


if __name__ == "__main__":
    main()
