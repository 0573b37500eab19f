"""Grows the trees of every document of an index through the night's own stage: seconds and peak memory a document, shapes of the trees.

    python benchmarks/trees.py --index FOLDER [--forms 10-K]      # a copy: the stage writes its outputs there

Documents that were parsed and embedded are taken from the index's receipts. Run it twice: the second time nothing is grown or written.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from filingforest.bundle import read_bundle
from filingforest.config import Settings
from filingforest.pipeline import Night
from filingforest.progress import ASIDE, NEW, Lines
from filingforest.publish import receipts
from filingforest.runner import Entry
from filingforest.stages import EMBEDDINGS, PARSED, TREES
from filingforest.store import Store, open_store


def entries(store: Store, forms: set[str]) -> Iterator[Entry]:
    """Documents of all receipts, each once."""
    known: dict[str, Entry] = {}
    for receipt in receipts.load_many(store, receipts.names(store)).values():
        for found in receipt.documents:
            stages = {"stages": dict(found.stages), "fingerprints": dict(found.fingerprints), "ref": {}}
            known[found.doc_id] = Entry(doc_id=found.doc_id, doc_version=found.doc_version, known_from=found.known_from, **stages)
    for _, entry in sorted(known.items()):
        row = read_bundle(store.get(entry["stages"][PARSED])).table("documents").to_pylist()[0]
        if EMBEDDINGS in entry["stages"] and (not forms or row["form"] in forms):
            yield entry


def peak_mib() -> float:
    """Of this process since the last call (Linux)."""
    line = next(x for x in Path("/proc/self/status").read_text().splitlines() if x.startswith("VmHWM"))
    Path("/proc/self/clear_refs").write_text("5")
    return int(line.split()[1]) / 1024


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--index", required=True)
    parser.add_argument("--forms", nargs="*", default=[])
    parser.add_argument("--limit", type=int, default=None, metavar="N", help="the first N documents")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    arguments = parser.parse_args()
    store = open_store(arguments.index)
    settings = Settings.load(None, dict(text.split("=", 1) for text in arguments.set))
    times: list[float] = []
    rows: list[list[float]] = []
    with Night(store, settings, Lines(sys.stderr)) as night:
        start = time.perf_counter()
        night.embedder.embed(["warm"])
        print(f"encoder ready in {time.perf_counter() - start:.1f} s; {peak_mib():.0f} MiB")
        for entry in islice(entries(store, set(arguments.forms)), arguments.limit):
            wall, cpu = time.perf_counter(), time.process_time()
            done = night.grow({}, [entry])
            wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
            if done:
                items = read_bundle(store.get(done[0]["stages"][TREES])).table("tree_items").to_pylist()
                shape = [float(sum(item[name] for item in items)) for name in ("leaves", "nodes", "tokens")]
                largest = max((item["leaves"] for item in items), default=0)
                rows.append([wall, cpu, peak_mib(), len(items), largest, *shape, float(len(store.get(done[0]["stages"][TREES])))])
                cost = f"{wall:6.1f} s wall {cpu:6.1f} s CPU {rows[-1][2]:5.0f} MiB {rows[-1][-1] / 1024:5.0f} KiB"
                sizes = f"{len(items):3d} items (to {largest:3d}), {shape[0]:4.0f} chunks, {shape[1]:4.0f} nodes, {shape[2]:7.0f} tokens"
                print(f"{entry['doc_id']:<24} {cost}  {sizes}", flush=True)
            times.append(wall)
        counts = night.progress.counts.get(TREES, {})  # type: ignore[attr-defined]
    print(f"{len(times)} documents: {counts.get(NEW, 0)} grown, {counts.get(ASIDE, 0)} set aside, {sum(times):.1f} s")
    for name, place in (("wall s", 0), ("CPU s", 1), ("MiB", 2), ("chunks", 5), ("nodes", 6)):
        column = sorted(row[place] for row in rows)
        if column:
            print(f"{name:>8}: median {statistics.median(column):.1f}, largest {column[-1]:.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
