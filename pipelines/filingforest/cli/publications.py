"""`filingforest publications`: what is published, is it whole, back to an earlier one, and out with the old."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from filingforest.cli import DONE, INCOMPLETE, snapshots
from filingforest.cli import publications_change as change
from filingforest.cli import publications_look as look
from filingforest.cli.common import add_index, index_store, only_for
from filingforest.cli.takedown import takedown
from filingforest.errors import ConfigError

ABOUT = """list      all publications, oldest first
show      one of them (default: the current one): counts, files, checks, holds
diff      documents added, changed and removed from one to another (default: the current one)
verify    hashes every file again and compares the documents with the receipts
rollback  makes an earlier one current (default: the parent) and holds the receipts withdrawn: the next night does not bring them back
release   lifts holds (default: all); the next run publishes their documents again
pin       keeps one, whatever its age; --undo lets it go
prune     removes old ones: not the last publish.keep_last, nor those younger than publish.keep_days, nor the pinned
sweep     removes what crashes and lost races left, older than publish.grace_hours; finishes or undoes a switch that was cut off
takedown  takes a document out of everything for good, old publications too, and keeps a record; without DOC: the records

Where [opensearch] names a server, rollback, prune, sweep and takedown change what it shows, too. And of its index:
snapshots lists the snapshots in the repository that opensearch.repository names
snapshot  takes one of a publication (default: the current one); every night takes its own
restore   brings an index that was lost back from a publication's snapshot (default: the newest), then loads what was published since;
          where there is no snapshot, everything is loaded from the published files"""
EXAMPLES = """  filingforest publications list --index work/filings
  filingforest publications diff 000003-0123456789ab --index work/filings
  filingforest publications diff 000003-0123456789ab --parquet changes.parquet --index work/filings
  filingforest publications verify --index s3://bucket/filings
  filingforest publications rollback --index work/filings
  filingforest publications release --index work/filings
  filingforest publications prune --keep-last 5 --dry-run --index work/filings
  filingforest publications takedown 0001234567-24-000001 --reason "court order 12/34" --index work/filings
  filingforest publications takedown 0001234567-24-000001 --lift --index work/filings
  filingforest publications restore --index s3://bucket/filings --set opensearch.repository=snapshots"""

ACTS = {
    "list": look.list_all, "show": look.show, "diff": look.diff, "verify": look.verify, "rollback": change.rollback,
    "release": change.release, "pin": change.pin, "prune": change.prune, "sweep": change.sweep, "takedown": takedown,
    "snapshots": snapshots.snapshots, "snapshot": snapshots.snapshot, "restore": snapshots.restore,
}  # fmt: skip
MANY = {"diff": 2, "release": 10_000}  # how many ids an act takes; the others take one
NONE = ("list", "prune", "sweep", "snapshots")  # these take none
FLAGS = {
    "parquet": ("diff",), "keep_last": ("prune",), "keep_days": ("prune",), "grace_hours": ("sweep",), "dry_run": ("prune", "sweep"),
    "reason": ("takedown",), "by": ("takedown",), "lift": ("takedown",), "ahead": ("takedown",), "here_only": ("takedown",),
    "undo": ("pin",),
}  # fmt: skip


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("act", choices=tuple(ACTS))
    parser.add_argument("ids", nargs="*", metavar="ID", help="publications; release: receipts; takedown: a document")
    parser.add_argument("--parquet", type=Path, metavar="OUT", help="diff: a table of what changed, documents and units, into this file")
    parser.add_argument("--keep-last", type=int, metavar="N", help="prune (default: publish.keep_last)")
    parser.add_argument("--keep-days", type=int, metavar="D", help="prune (default: publish.keep_days)")
    parser.add_argument("--grace-hours", type=float, metavar="H", help="sweep (default: publish.grace_hours)")
    parser.add_argument("--dry-run", action="store_true", help="prune, sweep: only say what would go")
    parser.add_argument("--reason", metavar="TEXT", help="takedown: why; readers of publications that had the document are told")
    parser.add_argument("--by", metavar="WHO", help="takedown: who says so (default: the user)")
    parser.add_argument("--lift", action="store_true", help="takedown: end it; the next run takes the document in again")
    parser.add_argument("--ahead", action="store_true", help="takedown: of a document that is not here, so that it is never taken in")
    parser.add_argument("--here-only", action="store_true", help="takedown: also where OpenSearch has the index and is not configured here")
    parser.add_argument("--undo", action="store_true", help="pin: let it go again")
    parser.add_argument("--json", action="store_true", help="as one line of JSON")
    add_index(parser)


def run(arguments: argparse.Namespace) -> int:
    most = 0 if arguments.act in NONE else MANY.get(arguments.act, 1)
    if len(arguments.ids) > most:
        raise ConfigError(f"{arguments.act} takes {'no id' if not most else 'fewer ids'}", remedy="see `filingforest publications --help`")
    only_for(arguments, arguments.act, FLAGS)
    found, text = ACTS[arguments.act](index_store(arguments), arguments)
    print(json.dumps(found, ensure_ascii=False, default=str) if arguments.json else text)
    return INCOMPLETE if arguments.act == "verify" and found["problems"] else DONE
