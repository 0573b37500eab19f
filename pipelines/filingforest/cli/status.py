"""`filingforest status`: what was done, interval by interval, what is published, and what waits for somebody."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from filingforest.cli.common import add_index, index_store, table

if TYPE_CHECKING:
    from filingforest.current import Current
    from filingforest.manifest import Manifest
    from filingforest.publish.receipts import Receipt
    from filingforest.store import Store

ABOUT = """An interval is a filing date, a span of histories, or a set of files; each run of one leaves a receipt. `expected` documents
were listed by the source, `entered` came through; the others stand in `failures list`."""
EXAMPLES = """  filingforest status --index work/filings
  filingforest status --index s3://bucket/filings --last 30 --json"""


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--last", type=int, default=20, metavar="N", help="intervals to show, newest last (default: 20; 0: all)")
    parser.add_argument("--all", action="store_true", help="receipts too that a fuller one of the same interval has outdone")
    parser.add_argument("--json", action="store_true", help="as one line of JSON")
    add_index(parser)


def run(arguments: argparse.Namespace) -> int:
    found = status(index_store(arguments), arguments.all)
    found["intervals"] = found["intervals"][-arguments.last :] if arguments.last else found["intervals"]
    print(json.dumps(found, ensure_ascii=False) if arguments.json else pretty(found))
    return 0


def status(store: Store, outdone: bool = False) -> dict[str, Any]:
    """Publication, intervals, failures by stage and code, holds; JSON-able. `outdone`: every receipt, not the fullest of each interval."""
    from filingforest import current, failures
    from filingforest.errors import Corrupt
    from filingforest.publish import holds, receipts

    problem = None
    try:
        now = current.read_current(store)
        manifest = current.open_manifest(store) if now else None
    except Corrupt as error:
        now, manifest, problem = *_told_from_manifests(store), str(error)
    held = {hold.receipt for hold in holds.active(store)}
    every = receipts.load_many(store, receipts.names(store))
    aside = Counter(f"{f.stage} {f.code}" for f in failures.each(store))
    return {
        "index": store.url,
        "publication": {"id": now.id, "entry": now.entry, "reason": now.reason, "counts": manifest.counts} if now and manifest else None,
        "problem": problem,
        "intervals": [_interval(name, receipt, name in held, manifest) for name, receipt in _by_interval(every, outdone)],
        "failures": dict(sorted(aside.items())),
        "holds": sorted(held),
    }


def _told_from_manifests(store: Store) -> tuple[Current | None, Manifest | None]:
    """Beside a CURRENT that cannot be read: what it probably named, if that can be read."""
    from filingforest import current
    from filingforest.errors import FilingForestError
    from filingforest.publish.listing import PROBABLE, probably_current

    try:
        stands = current.damaged_current(store)
        name = probably_current(store)
        manifest = current.open_manifest(store, name) if name else None
    except FilingForestError:
        return None, None
    return (current.Current(manifest.id, stands.entry, PROBABLE), manifest) if manifest else (None, None)


def _by_interval(every: dict[str, Receipt], outdone: bool) -> list[tuple[str, Receipt]]:
    order = sorted(every.items(), key=lambda pair: (pair[1].source, pair[1].interval, len(pair[1].documents), pair[0]))
    return order if outdone else list({(receipt.source, receipt.interval): (name, receipt) for name, receipt in order}.values())


def _interval(name: str, receipt: Receipt, held: bool, manifest: Any) -> dict[str, Any]:
    state = "held" if held else "published" if manifest and name in manifest.receipts else "waiting"
    about = {"source": receipt.source, "interval": receipt.interval, "expected": receipt.expected, "entered": len(receipt.documents)}
    return {**about, "state": state, "receipt": name}


def pretty(found: dict[str, Any]) -> str:
    """For a person."""
    now = found["publication"]
    counts = ", ".join(f"{n:,} {what}" for what, n in now["counts"].items()) if now else ""
    named = f"{now['id']} ({now['reason']}): {counts}" if now else ""
    lines = [f"{found['index']}: " + (named or found["problem"] or "nothing is published yet")]
    if named and found["problem"]:
        lines.insert(0, found["problem"])
    rows = [[i["source"], i["interval"], str(i["expected"]), str(i["entered"]), i["state"], i["receipt"]] for i in found["intervals"]]
    lines += (
        ["", table(rows, ["source", "interval", "expected", "entered", "state", "receipt"])] if rows else ["no run has left a receipt yet"]
    )
    if found["failures"]:
        lines += ["", "set aside: " + ", ".join(f"{n} {what}" for what, n in found["failures"].items()) + " (`filingforest failures list`)"]
    if found["holds"]:
        lines += ["", f"{len(found['holds'])} receipts are held by a rollback (`filingforest publications release`)"]
    return "\n".join(lines)
