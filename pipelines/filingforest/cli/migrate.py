"""`filingforest migrate`: what a new version means for an index, its cost, and doing it."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from filingforest.cli.common import add_index, index_store, settings_of

if TYPE_CHECKING:
    from filingforest.migrate import Cost, Plan
    from filingforest.pipeline import Night
    from filingforest.progress import Progress

ABOUT = """Compares the stages as this installation and its settings would run them with those that the current publication was made by.
Without --run it only says which documents are touched; --trial N takes N of them through and says from that what all would cost.
Nothing is fetched again, and old publications stay as they are. Readers see the outcome when it is published, at once."""
EXAMPLES = """  filingforest migrate --index work/filings
  filingforest migrate --trial 5 --index work/filings
  filingforest migrate --run --index s3://bucket/filings"""


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--trial", type=int, default=0, metavar="N", help="take N documents through, and tell the cost of all from them")
    parser.add_argument("--run", action="store_true", help="do it, and publish")
    parser.add_argument("--no-publish", action="store_true", help="with --run: leave publishing to the next night")
    parser.add_argument("--quiet", action="store_true", help="no progress")
    parser.add_argument("--json", action="store_true", help="as one line of JSON")
    add_index(parser)


def run(arguments: argparse.Namespace) -> int:
    from filingforest import migrate
    from filingforest.pipeline import Night
    from filingforest.progress import for_terminal

    with for_terminal(arguments.quiet) as progress, Night(index_store(arguments), settings_of(arguments), progress) as night:
        planned = migrate.plan(night)
        cost = migrate.trial(night, planned, arguments.trial).times(planned.touched) if arguments.trial > 0 and planned.touched else None
        found = _found(planned, cost)
        if arguments.run and (planned.touched or planned.schema_changed):
            found["receipt"] = migrate.run(night, planned) if planned.touched else None
            found["published"] = None if arguments.no_publish else _publish(night, progress)
    print(json.dumps(found) if arguments.json else pretty(found))
    return 0


def _publish(night: Night, progress: Progress) -> dict[str, Any]:
    progress.note("publishing")
    return night.publish()


def _found(planned: Plan, cost: Cost | None) -> dict[str, Any]:
    stale = {stage: len(ids) for stage, ids in planned.stale.items()}
    about = {"publication": planned.publication, "documents": planned.documents, "touched": planned.touched, "stale": stale}
    sizes = {"raw_bytes": planned.raw_bytes, "segment_bytes": planned.segment_bytes, "schema_changed": planned.schema_changed}
    return {**about, **sizes, "cost": asdict(cost) if cost else None}


def pretty(found: dict[str, Any]) -> str:
    """For a person."""
    lines = [f"{found['publication']}: {found['touched']} of {found['documents']} documents would go through again"]
    lines += [f"  {stage:<11}{count:>8} were made by another version" for stage, count in found["stale"].items() if count]
    if found["schema_changed"]:
        lines.append("  the tables' schema is another: every segment is written again")
    if found["touched"] or found["schema_changed"]:
        lines.append(
            f"  reads {found['raw_bytes'] / 1e6:,.1f} MB of raw documents, writes segments of up to {found['segment_bytes'] / 1e6:,.1f} MB"
        )
    if found["cost"]:
        lines.append("  by the trial: {wall_s:,.0f} s on this machine, {cpu_s:,.0f} s of CPU".format(**found["cost"]))
    if found.get("published"):
        lines.append(f"  published: {found['published']['publication']}")
    return "\n".join(lines)
