"""The acts of `filingforest publications` that only look: list, show, diff, verify."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from filingforest.cli.common import bold, carried, complain, given_id, needed_id, table

if TYPE_CHECKING:
    from filingforest.store import Store


def list_all(store: Store, arguments: argparse.Namespace) -> tuple[Any, str]:
    """All publications, oldest first."""
    from filingforest.publish import commands

    found = [asdict(p) for p in commands.list_publications(store)]
    rows = [
        [p["id"], p["state"], "pinned" if p["pinned"] else "", p["published_at"] or "", p["problem"] or _counts(p["counts"])] for p in found
    ]
    return found, table(rows, ["publication", "state", "", "published", "counts"]) or "nothing is published yet"


def show(store: Store, arguments: argparse.Namespace) -> tuple[Any, str]:
    """One of them: counts, files, checks, holds."""
    from filingforest.publish import commands

    shown = commands.show(store, given_id(arguments))
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
        "also in": "; ".join(carried(made.targets)) or None,
        "holds": ", ".join(hold.receipt for hold in shown.holds) or None,
    }
    lines = [bold(made.id), *(f"  {name:<10} {value}" for name, value in about.items() if value is not None)]
    return asdict(made) | {"state": shown.listed.state, "pinned": shown.listed.pinned}, "\n".join([*lines, *_checks(made.report)])


def diff(store: Store, arguments: argparse.Namespace) -> tuple[Any, str]:
    """Documents added, changed and removed from one to another; as a table of documents and units where a file is named."""
    from filingforest.publish import commands

    second = arguments.ids[1] if len(arguments.ids) > 1 else None
    if arguments.parquet:
        from filingforest.publish.diff_table import write_diff

        found = write_diff(store, needed_id(arguments), second, arguments.parquet)
    else:
        found = commands.diff(store, needed_id(arguments), second)
    lines = [f"{found.first} -> {found.second}"]
    for sign, documents in (("+", found.added), ("~", found.changed), ("-", found.removed)):
        lines += [f"{sign} {doc_id}" for doc_id in documents]
    return asdict(found), "\n".join([*lines, f"{len(found.added)} added, {len(found.changed)} changed, {len(found.removed)} removed"])


def verify(store: Store, arguments: argparse.Namespace) -> tuple[Any, str]:
    """Every file hashed again; what is wrong on standard error."""
    from filingforest.publish import commands

    found = commands.verify(store, given_id(arguments))
    for p in found.problems:
        complain(f"[corrupt] {p.path}: {p.what} -> {p.remedy}")
    state = "clean" if found.ok else f"{len(found.problems)} problems"
    return asdict(found), f"{found.publication}: {found.files} files, {found.bytes / 1e6:,.1f} MB, {found.documents} documents: {state}"


def _checks(report: Mapping[str, Any]) -> list[str]:
    wrong = [c for c in report.get("checks", ()) if not c["ok"]]
    passed = len(report.get("checks", ())) - len(wrong)
    return [f"  checks     {passed} passed", *(f"  {c['level']:<10} {c['name']}: {c['rows']} rows, {c['what']}" for c in wrong)]


def _counts(counts: Mapping[str, int] | None) -> str:
    return ", ".join(f"{n:,} {what}" for what, n in (counts or {}).items())
