"""What a night costs on a small corpus and on one four times as large: the same twenty changed filings, S3 and OpenSearch behind counters.

    make bench-publish                    100,000 and 400,000 units (some minutes)
    benchmarks/publish.py --units 250000  250,000 and 1,000,000 units
    ... --opensearch                      in OpenSearch too (a node is started): 5 to 6 ms of its CPU a unit, once

The corpora are written array by array (`yesterday.py`; with `--published` they are published, which takes ten times as long), then twenty
filings change, then nothing does. PUT and GET bytes, CPU seconds and peak memory of the night are those of a process of its own; the one
after it must write nothing and embed nothing. `--folder` keeps the corpora: another run measures the next night.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.yesterday import publish_yesterday  # noqa: E402
from filingforest.config import Settings  # noqa: E402
from filingforest.config.opensearch import OpenSearchSettings  # noqa: E402
from filingforest.current import read_current  # noqa: E402
from filingforest.opensearch.client import connect  # noqa: E402
from filingforest.opensearch.target import OpenSearchTarget  # noqa: E402
from filingforest.publish.publish import publish  # noqa: E402
from filingforest.publish.receipts import write_receipt  # noqa: E402
from filingforest.publish.targets import Target  # noqa: E402
from filingforest.store_s3 import S3Store, s3_client  # noqa: E402
from infra.servers.opensearch import OpenSearchServer  # noqa: E402
from infra.servers.seaweedfs import BUCKET, SeaweedFS  # noqa: E402
from tests.support.counting import CountedClient, CountedOpenSearch  # noqa: E402
from tests.support.many_filings import ManyFilings, Shape  # noqa: E402

CHANGED = 20
VOLUMES = 600  # of 64 MB: a million units weigh some 6 GB, stage outputs and segments together
MEASURES = ("put_bytes", "get_bytes", "cpu_s", "peak_mb")
SENT = ("bulk_items", "bulk_bytes", "sent_bytes", "answered_bytes")


def store_at(prefix: str) -> tuple[S3Store, CountedClient]:
    """A store over SeaweedFS (its address comes from the environment) whose requests are counted."""
    client = CountedClient(s3_client(os.environ["FILINGFOREST_S3_ENDPOINT"]))
    return S3Store(client, BUCKET, prefix), client


def target_at(prefix: str, url: str) -> tuple[list[Target], CountedOpenSearch | None]:
    """A corpus's place in OpenSearch, behind a counter; none without an address."""
    if not url:
        return [], None
    settings = OpenSearchSettings(url=url, prefix=f"bench-{prefix.partition('/')[0]}")
    client = connect(settings)
    return [OpenSearchTarget(store_at(prefix)[0], settings, client)], CountedOpenSearch(client)


def load(prefix: str, shape: Shape, settings: Settings, url: str) -> None:
    """The corpus of yesterday into OpenSearch, where it is not there."""
    start = time.perf_counter()
    if publish(store_at(prefix)[0], settings, ManyFilings(shape), targets=target_at(prefix, url)[0]).changed:
        print(f"loaded into OpenSearch in {time.perf_counter() - start:,.0f} s", flush=True)


def fill(prefix: str, filings: int, shape: Shape, settings: Settings) -> None:
    """The corpus of yesterday, published."""
    store, _ = store_at(prefix)
    made, start = ManyFilings(shape), time.perf_counter()
    write_receipt(store, "edgar", "2024-01-01", [made.entry(store, number) for number in range(filings)], filings)
    written = time.perf_counter()
    publish(store, settings, made, targets=[])
    print(f"{filings:,} filings made in {written - start:,.0f} s, published in {time.perf_counter() - written:,.0f} s", flush=True)


def make(prefix: str, units: int, shape: Shape) -> None:
    """The corpus of yesterday, made and not published."""
    store, _ = store_at(prefix)
    start = time.perf_counter()
    publish_yesterday(store, units, ManyFilings(shape).info.as_dict())
    print(f"{units:,} units made in {time.perf_counter() - start:,.0f} s", flush=True)


def change(prefix: str, filings: int, shape: Shape, changed: int = CHANGED) -> None:
    """Some of the filings in another edition (the publication's number), spread over the corpus, wait to be published."""
    store, _ = store_at(prefix)
    made, now = ManyFilings(shape), read_current(store)
    assert now
    numbers = [n * (filings // changed) for n in range(changed)]
    entries = [made.entry(store, number, edition=now.entry) for number in numbers]
    write_receipt(store, "edgar", entries[0]["known_from"], entries, changed)


def measure(prefix: str, shape: Shape, settings: Settings, url: str = "") -> dict[str, Any]:
    """Publish what waits: what it cost."""
    store, client = store_at(prefix)
    targets, asked = target_at(prefix, url)
    busy, start = time.process_time(), time.perf_counter()
    result = publish(store, settings, ManyFilings(shape), targets=targets)
    return {
        "changed": result.changed,
        "put_bytes": client.bytes["PUT"],
        "get_bytes": client.bytes["GET"],
        "requests": dict(client.requests),
        "cpu_s": round(time.process_time() - busy, 2),
        "wall_s": round(time.perf_counter() - start, 2),
        "peak_mb": peak_mb(),
        **(_sent(asked) if asked else {}),
    }


def _sent(asked: CountedOpenSearch) -> dict[str, int]:
    sums = (asked.items, asked.bytes["_bulk"], sum(asked.bytes.values()), sum(asked.answered.values()))
    return dict(zip(SENT, sums, strict=True))


def peak_mb() -> int:
    """Of this process since it began; `ru_maxrss` would be its parent's where that was larger when it forked."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(re.findall(r"VmHWM:\s+(\d+) kB", status)[0]) // 1024


def in_a_process(prefix: str, shape: Shape, floor: int, url: str) -> dict[str, Any]:
    """`measure` in a process of its own, so that peak memory is this publication's."""
    command = [sys.executable, __file__, "--measure", prefix, "--shape", json.dumps(vars_of(shape)), "--floor", str(floor), "--at", url]
    out = subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    return dict(json.loads(out.stdout.splitlines()[-1]))


def vars_of(shape: Shape) -> dict[str, int]:
    return {name: getattr(shape, name) for name in Shape.__dataclass_fields__}


def settings_of(floor: int) -> Settings:
    return Settings.from_dict({"publish.segment_floor": floor})


def compare(units: int, shape: Shape, floor: int, made: bool = False, opensearch: str = "") -> dict[str, Any]:
    """The cost of the same night on `units` and on four times as many, and of a second run; prints as it goes. `made`: see `make`;
    `opensearch`: the address of a node, which carries the corpora too."""
    found: dict[str, Any] = {}
    for name, size in (("n", units), ("4n", 4 * units)):
        prefix, filings = f"bench-{size}{'-os' if opensearch else ''}/filings", size // shape.units
        store, _ = store_at(prefix)
        if store.stat("CURRENT") is None:
            make(prefix, size, shape) if made else fill(prefix, filings, shape, settings_of(floor))
        if opensearch:
            load(prefix, shape, settings_of(floor), opensearch)
        before = {key: store.stat(key) for key in store.list("segments/")}
        change(prefix, filings, shape)
        found[name], found[f"{name} again"] = (in_a_process(prefix, shape, floor, opensearch) for _ in range(2))
        assert {key: store.stat(key) for key in before} == before, "a file of the old publication was written"
        print(f"{size:>9,} units: {found[name]}\n{'again':>15}: {found[f'{name} again']}", flush=True)
    found["ratios"] = {m: round(found["4n"][m] / found["n"][m], 3) for m in (*MEASURES, *(SENT if opensearch else ()))}
    print("4n / n:", found["ratios"])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--units", type=int, default=100_000, help="of the small corpus (50,000 or more, unless --published)")
    parser.add_argument("--floor", type=int, default=5_000)
    parser.add_argument("--published", action="store_true", help="publish the corpora too instead of writing them array by array")
    parser.add_argument("--folder", type=Path, help="where SeaweedFS keeps the corpora between runs")
    parser.add_argument("--opensearch", action="store_true", help="start a node and publish to it too")
    parser.add_argument("--at", default="", help=argparse.SUPPRESS)
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    parser.add_argument("--shape", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        shape = Shape(**json.loads(arguments.shape))
        print(json.dumps(measure(arguments.measure, shape, settings_of(arguments.floor), arguments.at)))
        return
    with tempfile.TemporaryDirectory() as scratch, ExitStack() as running:
        server = running.enter_context(SeaweedFS(arguments.folder or Path(scratch), VOLUMES))
        os.environ.update(server.environment())
        folder = arguments.folder and arguments.folder / "opensearch"
        node = running.enter_context(OpenSearchServer(folder)) if arguments.opensearch else None
        compare(arguments.units, Shape(), arguments.floor, not arguments.published, node.url if node else "")


if __name__ == "__main__":
    main()
