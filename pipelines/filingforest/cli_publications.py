"""`filingforest publications`: what is published, is it whole, back to an earlier one, and out with the old."""

from __future__ import annotations

import argparse
import getpass
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filingforest.cli import DONE, INCOMPLETE
from filingforest.cli_common import add_index, bold, complain, index_store, settings_of, table
from filingforest.cli_takedown import takedown
from filingforest.errors import ConfigError

if TYPE_CHECKING:
    from filingforest.publish.targets import Target
    from filingforest.store import Store

ABOUT = """list      all publications, oldest first
show      one of them (default: the current one): counts, files, checks, holds
diff      documents added, changed and removed from one to another (default: the current one)
verify    hashes every file again and compares the documents with the receipts
rollback  makes an earlier one current (default: the parent) and holds the receipts withdrawn: the next night does not bring them back
release   lifts holds (default: all); the next run publishes their documents again
pin       keeps one, whatever its age; --undo lets it go
prune     removes old ones: not the last publish.keep_last, nor those younger than publish.keep_days, nor the pinned
sweep     removes what crashes and lost races left, older than publish.grace_hours; finishes or undoes a switch that was cut off
takedown  takes a document out of everything for good, old publications too, and keeps a record; without DOC: the records"""
EXAMPLES = """  filingforest publications list --index work/filings
  filingforest publications diff 000003-0123456789ab --index work/filings
  filingforest publications diff 000003-0123456789ab --parquet changes.parquet --index work/filings
  filingforest publications verify --index s3://bucket/filings
  filingforest publications rollback --index work/filings
  filingforest publications release --index work/filings
  filingforest publications prune --keep-last 5 --dry-run --index work/filings
  filingforest publications takedown 0001234567-24-000001 --reason "court order 12/34" --index work/filings
  filingforest publications takedown 0001234567-24-000001 --lift --index work/filings"""

MANY = {"diff": 2, "release": 10_000}  # how many ids an act takes; the others take one


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("act", choices=tuple(ACTS))
    parser.add_argument("ids", nargs="*", metavar="ID", help="publications; release: receipts; takedown: a document")
    parser.add_argument("--parquet", type=Path, metavar="OUT", help="diff: a table of what changed, documents and units, into this file")
    parser.add_argument("--keep-last", type=int, metavar="N", help="prune (default: publish.keep_last)")
    parser.add_argument("--keep-days", type=int, metavar="D", help="prune (default: publish.keep_days)")
    parser.add_argument("--grace-hours", type=float, metavar="H", help="sweep (default: publish.grace_hours)")
    parser.add_argument("--dry-run", action="store_true", help="prune, sweep: only say what would go")
    parser.add_argument("--reason", metavar="TEXT", help="takedown: why; readers of publications that had the document are told")
    parser.add_argument("--by", metavar="WHO", default=getpass.getuser(), help="takedown: who says so (default: the user)")
    parser.add_argument("--lift", action="store_true", help="takedown: end it; the next run takes the document in again")
    parser.add_argument("--undo", action="store_true", help="pin: let it go again")
    parser.add_argument("--json", action="store_true", help="as one line of JSON")
    add_index(parser)


def run(arguments: argparse.Namespace) -> int:
    if len(arguments.ids) > MANY.get(arguments.act, 1):
        raise ConfigError(f"{arguments.act} takes fewer ids", remedy="see `filingforest publications --help`")
    found, text = ACTS[arguments.act](index_store(arguments), arguments)
    print(json.dumps(found, ensure_ascii=False, default=str) if arguments.json else text)
    return INCOMPLETE if arguments.act == "verify" and found["problems"] else DONE


def _one(arguments: argparse.Namespace) -> str | None:
    return arguments.ids[0] if arguments.ids else None


def _needed(arguments: argparse.Namespace) -> str:
    if not arguments.ids:
        raise ConfigError(f"{arguments.act} needs an id", remedy="`filingforest publications list` names them")
    return str(arguments.ids[0])


def _list(store: Store, arguments: argparse.Namespace) -> tuple[Any, str]:
    from filingforest.publish import commands

    found = [asdict(p) for p in commands.list_publications(store)]
    rows = [
        [p["id"], p["state"], "pinned" if p["pinned"] else "", p["published_at"] or "", p["problem"] or _counts(p["counts"])] for p in found
    ]
    return found, table(rows, ["publication", "state", "", "published", "counts"]) or "nothing is published yet"


def _show(store: Store, arguments: argparse.Namespace) -> tuple[Any, str]:
    from filingforest.publish import commands

    shown = commands.show(store, _one(arguments))
    made = shown.manifest
    about: dict[str, Any] = {
        "state": shown.listed.state + (", pinned" if shown.listed.pinned else ""),
        "published": made.run.get("published_at"),
        "parent": made.parent,
        "counts": _counts(made.counts),
        "size": f"{shown.bytes / 1e6:,.1f} MB in {len(made.files())} files, {len(made.segments)} segments",
        "schema": "{major}.{minor}".format(**made.schema),
        "encoder": "{model} {revision}, {dimension} dimensions".format(**made.model.info) if made.model else None,
        "stages": ", ".join(f"{stage} {' '.join(fps)}" for stage, fps in made.stage_versions.items()),
        "receipts": len(made.receipts),
        "holds": ", ".join(hold.receipt for hold in shown.holds) or None,
    }
    lines = [bold(made.id), *(f"  {name:<10} {value}" for name, value in about.items() if value is not None)]
    return asdict(made) | {"state": shown.listed.state, "pinned": shown.listed.pinned}, "\n".join([*lines, *_checks(made.report)])


def _checks(report: Mapping[str, Any]) -> list[str]:
    wrong = [c for c in report.get("checks", ()) if not c["ok"]]
    passed = len(report.get("checks", ())) - len(wrong)
    return [f"  checks     {passed} passed", *(f"  {c['level']:<10} {c['name']}: {c['rows']} rows, {c['what']}" for c in wrong)]


def _diff(store: Store, arguments: argparse.Namespace) -> tuple[Any, str]:
    from filingforest.publish import commands

    second = arguments.ids[1] if len(arguments.ids) > 1 else None
    if arguments.parquet:
        from filingforest.publish.diff_table import write_diff

        found = write_diff(store, _needed(arguments), second, arguments.parquet)
    else:
        found = commands.diff(store, _needed(arguments), second)
    lines = [f"{found.first} -> {found.second}"]
    for sign, documents in (("+", found.added), ("~", found.changed), ("-", found.removed)):
        lines += [f"{sign} {doc_id}" for doc_id in documents]
    return asdict(found), "\n".join([*lines, f"{len(found.added)} added, {len(found.changed)} changed, {len(found.removed)} removed"])


def _verify(store: Store, arguments: argparse.Namespace) -> tuple[Any, str]:
    from filingforest.publish import commands

    found = commands.verify(store, _one(arguments))
    for p in found.problems:
        complain(f"[corrupt] {p.path}: {p.what} -> {p.remedy}")
    state = "clean" if found.ok else f"{len(found.problems)} problems"
    return asdict(found), f"{found.publication}: {found.files} files, {found.bytes / 1e6:,.1f} MB, {found.documents} documents: {state}"


def _rollback(store: Store, arguments: argparse.Namespace) -> tuple[Any, str]:
    from filingforest.publish import commands

    found = commands.rollback(store, _one(arguments), _targets(store, arguments))
    text = f"{found.publication} is current" + (f" (was {found.previous})" if found.changed else " already")
    held = [f"held: {name}" for name in found.held] + [f"released: {name}" for name in found.released]
    return asdict(found), "\n".join([text, *held])


def _release(store: Store, arguments: argparse.Namespace) -> tuple[Any, str]:
    from filingforest.publish import commands

    found = commands.release(store, arguments.ids or None)
    text = f"{len(found)} released; the next run publishes their documents again" if found else "nothing is held"
    return [asdict(hold) for hold in found], "\n".join([*(hold.receipt for hold in found), text])


def _pin(store: Store, arguments: argparse.Namespace) -> tuple[Any, str]:
    from filingforest.publish import commands

    name = _needed(arguments)
    if arguments.undo:
        commands.unpin(store, name)
    else:
        commands.pin(store, name)
    return {"publication": name, "pinned": not arguments.undo}, f"{name} is {'no longer ' if arguments.undo else ''}pinned"


def _targets(store: Store, arguments: argparse.Namespace) -> list[Target]:
    """Other places that carry the publications."""
    from filingforest.publish.targets import open_targets

    return open_targets(store, settings_of(arguments))


def _prune(store: Store, arguments: argparse.Namespace) -> tuple[Any, str]:
    from filingforest.publish import commands

    limits = settings_of(arguments, publish__keep_last=arguments.keep_last, publish__keep_days=arguments.keep_days).publish
    return _gone(commands.prune(store, limits.keep_last, limits.keep_days, dry_run=arguments.dry_run, targets=_targets(store, arguments)))


def _sweep(store: Store, arguments: argparse.Namespace) -> tuple[Any, str]:
    from filingforest.publish import commands

    limits = settings_of(arguments, publish__grace_hours=arguments.grace_hours).publish
    return _gone(commands.sweep(store, limits.grace_hours, dry_run=arguments.dry_run, targets=_targets(store, arguments)))


def _gone(found: Any) -> tuple[Any, str]:
    verb = "would be removed" if found.dry_run else "removed"
    text = f"{len(found.publications)} publications and {len(found.objects)} other files {verb}, {found.bytes / 1e6:,.1f} MB"
    return asdict(found), "\n".join([*found.publications, text])


def _counts(counts: Mapping[str, int] | None) -> str:
    return ", ".join(f"{n:,} {what}" for what, n in (counts or {}).items())


ACTS = {
    "list": _list, "show": _show, "diff": _diff, "verify": _verify, "rollback": _rollback, "release": _release,
    "pin": _pin, "prune": _prune, "sweep": _sweep, "takedown": takedown,
}  # fmt: skip
