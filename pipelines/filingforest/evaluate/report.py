"""Runs as a table: means with bootstrap intervals, the difference from what each is compared with and its p, cost beside them."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from filingforest.evaluate.measure import KS, Run, kinds
from filingforest.evaluate.significance import interval, paired

TESTED = ("ndcg@10", "recall@10")  # what differences are tested on


def metrics(ks: Sequence[int] = KS) -> list[str]:
    """Columns of a report."""
    return ["mrr", "ndcg@10", *(f"{name}@{k}" for name in ("recall", "precision", "f1") for k in ks)]


def summary(run: Run, against: Run | None, ks: Sequence[int] = KS, kind: str | None = None) -> dict[str, Any]:
    """JSON-able: means, 95% intervals, cost, and paired differences from `against`."""
    row: dict[str, Any] = {"name": run.name, "kind": kind or "all", "questions": len(run.values("mrr", kind)), "ms": round(run.cost, 1)}
    row["mean"] = {name: round(run.mean(name, kind), 4) for name in metrics(ks)}
    row["interval"] = {name: [round(x, 4) for x in interval(run.values(name, kind))] for name in ("mrr", "ndcg@10", "recall@10", "f1@10")}
    row["notes"] = run.notes
    if against is not None and against is not run:
        row["against"] = against.name
        row["difference"] = {name: _difference(run, against, name, kind) for name in TESTED}
    return row


def _difference(run: Run, against: Run, metric: str, kind: str | None) -> dict[str, float]:
    found = paired(run.values(metric, kind), against.values(metric, kind))
    return {"mean": round(found.mean, 4), "low": round(found.low, 4), "high": round(found.high, 4), "p": round(found.p, 4)}


def rows_of(runs: Mapping[str, tuple[Run, str]], ks: Sequence[int] = KS) -> list[dict[str, Any]]:
    """One row a run and kind of question; `runs` maps a name to the run and the name of what it is compared with."""
    out: list[dict[str, Any]] = []
    for run, against in runs.values():
        out += [summary(run, runs[against][0] if against in runs else None, ks, kind) for kind in kinds(run.questions)]
    return out


def table(rows: Sequence[Mapping[str, Any]], ks: Sequence[int] = KS) -> list[list[str]]:
    """Head and cells for people; a difference's p stands behind it."""
    names = metrics(ks)
    out = [["what", "kind", "n", *names, "ms", *(f"Δ {name} (p)" for name in TESTED), "against"]]
    for row in rows:
        cells = [f"{row['mean'][name]:.3f}" for name in names]
        low, high = row["interval"]["ndcg@10"]
        cells[1] += f" [{low:.3f}, {high:.3f}]"
        found = row.get("difference", {})
        deltas = [f"{found[name]['mean']:+.3f} ({found[name]['p']:.3f})" if found else "" for name in TESTED]
        out.append([row["name"], row["kind"], str(row["questions"]), *cells, f"{row['ms']:.0f}", *deltas, row.get("against", "")])
    return out


def markdown(rows: Sequence[Mapping[str, Any]], ks: Sequence[int] = KS) -> str:
    """The table in Markdown."""
    head, *body = table(rows, ks)
    lines = [head, ["---", "---", *["---:"] * (len(head) - 3), "---"], *body]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def paper() -> dict[str, Any]:
    """What FinGEAR's authors report, as far as it could be verified, with its source."""
    return tomllib.loads(files(__package__).joinpath("paper.toml").read_text(encoding="utf-8"))


def as_json(rows: Sequence[Mapping[str, Any]], about: Mapping[str, Any]) -> str:
    """Everything, for programs."""
    return json.dumps({"about": about, "rows": rows, "paper": paper()}, ensure_ascii=False, indent=1)
