"""A publication of a million units, made in minutes, and whether a reader of it keeps its promises: opening, answers, recall, memory.

    python benchmarks/reader_scale.py --folder DIR [--units 1000000] [--keep]

How it is made stands in `reader_corpus.py`. The questions run in processes of their own, the last under a memory limit of 1 GB where
this machine lets one be set. Run alone on the machine.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from benchmarks.query import anonymous_mb, questions
from benchmarks.reader_corpus import YEARS, build, vectors_of
from filingforest import query
from filingforest.config.retrieval import RetrievalSettings

MEMORY_LIMIT = 1 << 30


def times_of(reader: query.Reader, asked: Sequence[str], **options: Any) -> npt.NDArray[np.float64]:
    """Milliseconds of each question: as the clock counts, and of CPU."""
    out = []
    for question in asked:
        start, busy = time.perf_counter(), time.process_time()
        reader.query(question, **options)
        out.append((1000 * (time.perf_counter() - start), 1000 * (time.process_time() - busy)))
    return np.array(out)


def recall(reader: query.Reader, asked: int) -> float:
    """recall@10 of the unfiltered vector search against exact search in float32, for vectors like those of the corpus."""
    publication = reader._publications[0]
    wanted = vectors_of(10**9, asked)
    found = [set(_nearest(publication, vector)) for vector in wanted]
    return float(np.mean([len(f & w) / 10 for f, w in zip(found, nearest_exactly(publication, wanted), strict=True)]))


def nearest_exactly(publication: Any, wanted: npt.NDArray[np.float32]) -> list[set[int]]:
    """The ten nearest rows of each of these vectors, by looking at every row in float32."""
    asked = len(wanted)
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
    return [set(rows.tolist()) for rows in where]


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
        asked = [q.partition(" in fiscal")[0] + "?" for q in questions(2 * count, companies, named)]
        for first, rerank in enumerate(("none", "light")):  # each has questions of its own: those that come again are not embedded again
            clock, busy = times_of(reader, asked[first::2], retrieval=RetrievalSettings(rerank=rerank)).T
            for kind, times in (("ms", clock), ("CPU ms", busy)):
                found |= {f"{label}, {rerank}: p{p} {kind}": float(np.percentile(times, p)) for p in (50, 95)}
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
    parser.add_argument("--folder", type=Path, required=True, help="where the publication is made (1.9 GB for a million units)")
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
        print(f"  {name:36s} {value:8.3f}")


if __name__ == "__main__":
    main()
