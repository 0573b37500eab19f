"""Times questions over a publication of made-up filings: p50 and p95 with and without a company, opening, and memory.

    python benchmarks/query.py --units 20000 [--folder DIR] [--model NAME]
    python benchmarks/query.py --units 1000000 --folder DIR     # minutes to build, kept in the folder

Texts have a Zipf vocabulary, vectors lie in clusters (both as in filings, unlike uniform noise). Run alone on the machine.
"""

from __future__ import annotations

import argparse
import hashlib
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from filingforest import query
from filingforest.bundle import Bundle, read_bundle, write_bundle
from filingforest.manifest import FileEntry, Manifest, ModelEntry, SegmentEntry
from filingforest.models.open import open_embedder
from filingforest.models.passages import text_sha, unit_passages
from filingforest.publish.segment import SegmentInput, build_segment
from filingforest.publish.stats import SegmentFolder, corpus_stats
from filingforest.schema import TABLES
from filingforest.schema_version import MIN_READER, SCHEMA_MAJOR, SCHEMA_MINOR
from filingforest.tokens import TOKENIZER_VERSION

TIME_IMPORT = "import time; t = time.perf_counter(); import filingforest.query; print(f'import {time.perf_counter() - t:.2f} s')"
UNITS_A_DOCUMENT, WORDS, DIMENSION, CLUSTERS = 250, 60_000, 384, 500
SUBJECTS = [
    "net sales",
    "backlog",
    "capital expenditures",
    "operating income",
    "liquidity",
    "goodwill",
    "supply chain",
    "inventory",
    "cash flow",
    "segment margin",
]


def word(number: int) -> str:
    """A pronounceable word for a number, so that tokens look like words."""
    letters = ""
    while True:
        number, rest = divmod(number, 100)
        letters += "bcdfghjklmnprstvwxyz"[rest % 20] + "aeiou"[rest // 20]
        if not number:
            return letters + "n"


class Filing:
    """One made-up filing; its texts and vectors depend on its number alone."""

    def __init__(self, number: int, words: Sequence[str]) -> None:
        self.number, self.words = number, words
        self.company, self.year = f"{word(10_000 + number // 5).title()} Corp", 2019 + number % 5
        self.doc_id = f"{number:010d}-24-000001"

    def parsed(self) -> Bundle:
        cik = f"{1000 + self.number // 5:010d}"
        document = {
            "doc_id": self.doc_id,
            "doc_version": "0" * 16,
            "form": "10-K",
            "form_base": "10-K",
            "company": self.company,
            "cik": cik,
        }
        document |= {
            "fiscal_year": self.year,
            "fiscal_period": "FY",
            "filed_at": f"{self.year + 1}-02-01",
            "source": "edgar",
            "kind": "filing",
        }
        rows = {"documents": [document], "texts": [], "nodes": list(self._nodes()), "facts": [], "fact_mentions": []}
        return read_bundle(write_bundle({name: pa.Table.from_pylist(found, schema=TABLES[name]) for name, found in rows.items()}))

    def _nodes(self) -> Iterator[dict[str, object]]:
        random = np.random.default_rng(self.number)
        for place in range(1, UNITS_A_DOCUMENT + 1):
            ranks = np.minimum(random.zipf(1.15, size=90), WORDS) - 1
            subject = SUBJECTS[int(random.integers(len(SUBJECTS)))]
            text = f"{subject} {' '.join(self.words[r] for r in ranks)} {random.integers(1_000, 99_999):,} million in {self.year}"
            node = {
                "node_id": f"{self.doc_id}#{place}",
                "unit_key": f"{self.number:012d}{place:012d}",
                "doc_id": self.doc_id,
                "kind": "text",
            }
            node |= {
                "clause_id": place,
                "clause_path": str(place),
                "depth": 1,
                "item": "7",
                "item_key": "10-K:II.7",
                "header": self.company,
            }
            yield node | {
                "heading_path": ["Management's discussion"],
                "text": text,
                "char_start": place * 700,
                "char_end": place * 700 + len(text),
            }

    def embeddings(self) -> Bundle:
        nodes = self.parsed().table("nodes")
        shas = sorted(text_sha(text) for text in unit_passages(nodes).values())
        random, centres = np.random.default_rng(self.number), np.random.default_rng(0).standard_normal((CLUSTERS, DIMENSION))
        vectors = centres[random.integers(CLUSTERS, size=len(shas))] + 0.7 * random.standard_normal((len(shas), DIMENSION))
        vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
        column = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), DIMENSION)
        constant = {name: [name] * len(shas) for name in ("role", "model", "revision", "method")}
        return read_bundle(write_bundle({"embeddings": pa.table({"text_sha": shas, **constant, "vector": column})}))

    def input(self) -> SegmentInput:
        return SegmentInput(self.doc_id, "0" * 16, self.parsed, None, self.embeddings)


def build(folder: Path, units: int, model: str) -> None:
    """Publishes `units` made-up units as one segment."""
    vocabulary = [word(n) for n in range(WORDS)]
    filings = [Filing(n, vocabulary) for n in range(max(1, units // UNITS_A_DOCUMENT))]
    made = build_segment([f.input() for f in filings], folder / "segments" / "s0")
    files = tuple(FileEntry(f"segments/s0/{f.name}", f.bytes, f.sha256, f.rows) for f in made.files)
    stats = corpus_stats([SegmentFolder(folder / "segments" / "s0")])
    embedder = open_embedder("onnx", model)
    published = {name: data if isinstance(data, bytes) else data.read_bytes() for name, data in embedder.files().items()}
    (folder / "models" / "m").mkdir(parents=True)
    for name, data in published.items():
        (folder / "models" / "m" / name).write_bytes(data)
    entries = tuple(FileEntry(f"models/m/{n}", len(d), hashlib.sha256(d).hexdigest()) for n, d in published.items())
    schema = {"major": SCHEMA_MAJOR, "minor": SCHEMA_MINOR, "min_reader": MIN_READER}
    segment = SegmentEntry("s0", made.documents, made.units, files, made.ciks, made.min_year, made.max_year)
    counted = FileEntry("stats.zip", len(stats), hashlib.sha256(stats).hexdigest())
    encoder = ModelEntry("m", embedder.info.as_dict(), entries)
    draft = Manifest("bench", "", schema, (segment,), counted, encoder, TOKENIZER_VERSION)
    made_manifest = draft.numbered(1, None)
    out = folder / "publications" / made_manifest.id
    out.mkdir(parents=True)
    (out / "stats.zip").write_bytes(stats)
    (out / "manifest.json").write_bytes(made_manifest.to_bytes())
    (folder / "CURRENT").write_text(f"{made_manifest.id}\n{{}}\n")


def ask(reader: query.Reader, questions: Sequence[str]) -> np.ndarray:
    times = []
    for question in questions:
        start = time.perf_counter()
        reader.query(question)
        times.append(1000 * (time.perf_counter() - start))
    return np.array(times)


def questions(count: int, companies: int, named: bool) -> list[str]:
    random = np.random.default_rng(7)
    out = []
    for _ in range(count):
        subject, year = SUBJECTS[int(random.integers(len(SUBJECTS)))], int(random.integers(2019, 2024))
        name = word(10_000 + int(random.integers(companies))).title()
        extra = word(int(random.integers(200, 5_000)))
        out.append(
            f"What did {name} say about {subject} and {extra} in fiscal {year}?" if named else f"why did {subject} and {extra} change"
        )
    return out


def anonymous_mb() -> float:
    """RssAnon of this process: what cannot be paged back from files."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("RssAnon")) / 1024


def measure(folder: Path, count: int) -> None:
    start = time.perf_counter()
    reader = query.open(folder)
    opened = time.perf_counter() - start
    total = sum(s.units for p in reader._publications for s in p.segments)
    companies = max(1, total // UNITS_A_DOCUMENT // 5)
    ask(reader, questions(5, companies, True) + questions(5, companies, False))  # first questions load arrays and encoder
    print(f"{total} units, opened in {opened:.2f} s")
    for label, named in (("one company and year", True), ("unfiltered", False)):
        busy = time.process_time()
        times = ask(reader, questions(count, companies, named))
        busy = 1000 * (time.process_time() - busy) / count
        p50, p95 = np.percentile(times, [50, 95])
        print(f"  {label:22s} p50 {p50:6.1f} ms   p95 {p95:6.1f} ms   CPU {busy:5.1f} ms   ({count} questions, embedding included)")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"  memory: {anonymous_mb():.0f} MB anonymous, {peak:.0f} MB peak with mapped pages")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--units", type=int, default=20_000)
    parser.add_argument("--folder", type=Path, help="where the index is kept between runs")
    parser.add_argument("--model", default="all-MiniLM-L6-v2")
    parser.add_argument("--questions", type=int, default=200)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.folder or Path(scratch)
        if not (folder / "CURRENT").exists():
            start = time.perf_counter()
            build(folder, arguments.units, arguments.model)
            print(f"built in {time.perf_counter() - start:.0f} s")
        subprocess.run([sys.executable, "-c", TIME_IMPORT], check=True)
        measure(folder, arguments.questions)


if __name__ == "__main__":
    main()
