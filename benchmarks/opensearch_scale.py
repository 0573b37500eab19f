"""A publication of a million units in a real OpenSearch: what loading it costs, how fast it answers, and whether it finds the nearest.

    python benchmarks/opensearch_scale.py --folder DIR [--units 1000000] [--heap 2048] [--merge 1]

The publication is that of `reader_corpus.py` and the questions are those of `reader_scale.py`, so that figures can be laid beside the
embedded reader's. The node is one of our own (`infra/servers`), on free ports, its data below DIR: a second run asks again without
loading. Loading and asking run in processes of their own. Each question is asked once; its rows say

- clock: what the caller waits, question embedding and all requests included;
- client, node: CPU of this process, and of the node (Java's compilers apart: they rest after some thousand questions). On a busy machine
  these are what can be compared.

`recall@10` is of the vector search as the backend asks it, against exact search in float32 over the published vectors. `--merge N` merges
Lucene's segments to N of them before asking, as after a first load may be worth it (docs/opensearch.md).
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import psutil

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from benchmarks.query import questions
from benchmarks.reader_corpus import YEARS, build, vectors_of
from benchmarks.reader_scale import nearest_exactly
from filingforest import query
from filingforest.config.opensearch import OpenSearchSettings
from filingforest.config.retrieval import RetrievalSettings
from filingforest.current import open_manifest
from filingforest.manifest import key
from filingforest.opensearch.backend import OpenSearchBackend
from filingforest.opensearch.client import connect
from filingforest.opensearch.target import NAME, OpenSearchTarget
from filingforest.publish.targets import Change
from filingforest.query.backend import Preference, Wanted
from filingforest.query.filters import Filters
from filingforest.query.intent import read_question
from filingforest.store import open_store
from infra.servers.opensearch import OpenSearchServer

WAYS = [(fusion, rerank) for fusion in ("client", "server") for rerank in ("none", "light")]
HOUR_S = 3_600
WARM = 100  # questions of each kind that are not counted


def settings_of(url: str) -> OpenSearchSettings:
    """The default ones, with patience for a busy machine."""
    return OpenSearchSettings(url=url, prefix="bench-scale", timeout_s=600)


def load(folder: Path, url: str, pid: int) -> dict[str, float]:
    """Bring the publication in through the project's own loader, and let its manifest say so."""
    store, (client, busy) = open_store(str(folder)), (time.process_time(), node_s(pid))
    manifest, start = open_manifest(store), time.perf_counter()
    about = OpenSearchTarget(store, settings_of(url)).prepare(manifest, Change())
    seconds = time.perf_counter() - start
    (folder / key(manifest.id)).write_bytes(replace(manifest, targets={NAME: dict(about)}).to_bytes())
    return {
        "units": about["units"],
        "load s": seconds,
        "units a second": about["units"] / seconds,
        "loader CPU s": time.process_time() - client,
        "node CPU s": node_s(pid) - busy,
        "loader peak MB": int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1]) / 1024,  # ru_maxrss has the parent's
    }


def node_s(pid: int) -> float:
    """CPU of a node so far, threads that have ended (merges) included."""
    spent = psutil.Process(pid).cpu_times()
    return float(spent.user + spent.system)


def node_ms(pid: int) -> float:
    """CPU of a node's threads so far, to the microsecond (the process's own count has steps of 10 ms), less Java's compilers'."""
    spent = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        try:
            compiles = (task / "comm").read_text().startswith(("C1 ", "C2 "))
            spent += 0 if compiles else int((task / "schedstat").read_text().split()[0])
        except OSError:  # it ended meanwhile
            continue
    return spent / 1e6


def times_of(reader: query.Reader, asked: Sequence[str], pid: int, **options: Any) -> npt.NDArray[np.float64]:
    """Milliseconds of each question: as the clock counts, of CPU here, of CPU there."""
    out = []
    for question in asked:
        node, start, busy = node_ms(pid), time.perf_counter(), time.process_time()
        reader.query(question, **options)
        clock, busy = time.perf_counter() - start, time.process_time() - busy
        out.append((1000 * clock, 1000 * busy, node_ms(pid) - node))
    return np.array(out)


def measure(folder: Path, url: str, pid: int, count: int) -> dict[str, Any]:
    """What one process sees: p50 and p95 of each way of asking, then recall."""
    backends = {fusion: OpenSearchBackend(replace(settings_of(url), fusion=fusion)) for fusion in ("client", "server")}
    readers = {fusion: query.open(folder, backend=backend) for fusion, backend in backends.items()}
    companies = len(readers["client"].opened[0].documents) // YEARS
    found: dict[str, Any] = {}
    for reader in readers.values():  # until the encoder is loaded and Java has compiled what it runs; a cold node takes far longer
        times_of(reader, questions(WARM, companies, True) + questions(WARM, companies, False), pid)
    for label, named in (("one company", True), ("unfiltered", False)):
        asked = [q.partition(" in fiscal")[0] + "?" for q in questions(len(WAYS) * count, companies, named)]
        for place, (fusion, rerank) in enumerate(WAYS):  # questions of its own: those that come again are not embedded again
            times = times_of(readers[fusion], asked[place :: len(WAYS)], pid, retrieval=RetrievalSettings(rerank=rerank))
            found[f"{label}, {fusion}, {rerank}"] = np.round(np.percentile(times, (50, 95), axis=0).T, 1).tolist()
    assert backends["server"].fuses, "the search pipeline was not used"
    return found | {"recall@10": recall(readers["client"], backends["client"], 200)}


def recall(reader: query.Reader, backend: OpenSearchBackend, asked: int) -> float:
    """Of the unfiltered vector search, for vectors like those of the corpus."""
    publication = reader.opened[0]
    everything = Wanted(read_question("anything", {}), publication.live, Filters(), Preference())
    wanted = vectors_of(10**9, asked)
    found = [{row for row, _ in backend.search(publication, everything).dense(vector, 200)[:10]} for vector in wanted]
    return float(np.mean([len(f & w) / 10 for f, w in zip(found, nearest_exactly(publication, wanted), strict=True)]))


def in_process(step: str, folder: Path, node: OpenSearchServer, count: int) -> dict[str, Any]:
    """`load` or `measure` in a new process."""
    command = [sys.executable, __file__, "--folder", str(folder), "--questions", str(count), "--step", step, node.url, str(node.pid)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def shape_of(node: OpenSearchServer) -> str:
    """Lucene's segments and the size of the index."""
    client = connect(settings_of(node.url))
    about = client.indices.stats(index="bench-scale-*-units-*", metric="store,segments,docs")["_all"]["primaries"]
    size = about["store"]["size_in_bytes"] / 1e9
    return f"{about['docs']['count']:,} units in {about['segments']['count']} segments of Lucene, {size:.2f} GB, heap {node.heap_mb} MB"


def merge(node: OpenSearchServer, most: int) -> None:
    """Merge Lucene's segments to at most that many."""
    client, start, busy = connect(settings_of(node.url)), time.perf_counter(), node_s(node.pid)
    client.indices.forcemerge(index="bench-scale-*-units-*", params={"max_num_segments": most}, request_timeout=HOUR_S)
    client.indices.refresh(index="bench-scale-*-units-*")
    print(f"merged in {time.perf_counter() - start:.0f} s, node CPU {node_s(node.pid) - busy:.0f} s; {shape_of(node)}", flush=True)


def show(found: dict[str, Any]) -> None:
    """A table of what `measure` found, in Markdown."""
    print("| p50 / p95, ms | clock | client CPU | node CPU |\n|---|---:|---:|---:|")
    for name, value in found.items():
        if isinstance(value, list):
            print(f"| {name} | {' | '.join(f'{p50:.0f} / {p95:.0f}' for p50, p95 in value)} |")
    print(f"recall@10 {found['recall@10']:.4f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="where publication and node lie (6 GB for a million units)")
    parser.add_argument("--units", type=int, default=1_000_000)
    parser.add_argument("--heap", type=int, default=2_048, help="MB")
    parser.add_argument("--questions", type=int, default=100, help="of each kind")
    parser.add_argument("--merge", type=int, help="Lucene's segments at most, merged before asking")
    parser.add_argument("--model", default="all-MiniLM-L6-v2")
    parser.add_argument("--step", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the node is ended too
    made = arguments.folder / "bench"
    if arguments.step:
        step, url, pid = arguments.step
        folder, count = arguments.folder, arguments.questions
        print(json.dumps(load(folder, url, int(pid)) if step == "load" else measure(folder, url, int(pid), count)))
        return
    if not (made / "CURRENT").exists():
        build(made, arguments.units, arguments.model)
    with OpenSearchServer(arguments.folder / "node", heap_mb=arguments.heap) as node:
        if NAME not in open_manifest(open_store(str(made))).targets:
            for name, value in in_process("load", made, node, 0).items():
                print(f"  {name:16s} {value:12,.1f}", flush=True)
        print(shape_of(node), flush=True)
        if arguments.merge:
            merge(node, arguments.merge)
        show(in_process("measure", made, node, arguments.questions))


if __name__ == "__main__":
    main()
