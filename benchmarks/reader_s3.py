"""What a first question costs a reader that has nothing but an address: requests, bytes and seconds against a real S3 server.

    python benchmarks/reader_s3.py [--folder DIR] [--units 100000]

The publication of `reader_corpus.py` is put into SeaweedFS; readers begin with an empty cache, ask about one company, ask again about
another, and about none. What is fetched is counted at the client. The server lies on this machine: add the network's time.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from benchmarks.query import questions
from benchmarks.reader_corpus import UNITS_A_DOCUMENT, YEARS, build
from filingforest import query
from filingforest.query import files as places
from filingforest.query import reader as readers
from filingforest.store_s3 import S3Store, s3_client
from infra.servers.seaweedfs import BUCKET, SeaweedFS
from tests.support.counting import CountedClient


def upload(folder: Path, store: S3Store) -> None:
    """Everything but CURRENT first."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    for path in sorted(paths, key=lambda path: path.name == "CURRENT"):
        key = path.relative_to(folder).as_posix()
        if key == "CURRENT":
            store.swap(key, path.read_bytes(), None)
        else:
            store.put_new(key, path)


def told(label: str, client: CountedClient, start: float) -> None:
    """One line, and the counters begin again."""
    spent = time.perf_counter() - start
    mb = client.bytes["GET"] / 1e6
    print(f"  {label:38s} {client.requests['GET']:5d} GET {mb:8.1f} MB {spent:7.2f} s")
    kinds = Counter(key.rpartition("/")[2] for _, key in client.keys)
    print(f"    {', '.join(f'{name} {count}' for name, count in kinds.most_common(4))}")
    client.reset()


def measure(store: S3Store, client: CountedClient, companies: int) -> None:
    """One reader with an empty cache, four questions; then another with what the first one kept."""
    readers.open_store = lambda url: store  # the client that counts
    asked = [q.partition(" in fiscal")[0] + "?" for q in questions(3, companies, True)]
    steps = [("first question, one company", asked[0]), ("the same again", asked[0]), ("another company", asked[1])]
    steps += [("no company", questions(1, companies, False)[0]), ("a third company", asked[2])]
    with tempfile.TemporaryDirectory() as cache:
        for title in ("empty cache", "the same cache, another process's view"):
            print(title)
            client.reset()
            start = time.perf_counter()
            reader = query.open(store.url, cache=Path(cache))
            told("opened", client, start)
            for label, question in steps:
                start = time.perf_counter()
                reader.query(question)
                told(label, client, start)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, help="where the publication is made, or lies already")
    parser.add_argument("--units", type=int, default=100_000)
    parser.add_argument("--model", default="all-MiniLM-L6-v2")
    parser.add_argument("--whole", action="store_true", help="fetch large tables whole, for comparison")
    arguments = parser.parse_args()
    if arguments.whole:
        places.WHOLE = 1 << 60
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.folder or Path(scratch) / "publication"
        if not (folder / "CURRENT").exists():
            build(folder, arguments.units, arguments.model)
        with SeaweedFS(Path(scratch) / "seaweedfs") as server:
            os.environ.update(server.environment())
            client = CountedClient(s3_client(server.endpoint))
            store = S3Store(client, BUCKET, "made-up")
            upload(folder, store)
            measure(store, client, max(1, arguments.units // UNITS_A_DOCUMENT // YEARS))


if __name__ == "__main__":
    main()
