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


def summary(run: Run, plain: Run | None, against: Run | None, ks: Sequence[int] = KS, kind: str | None = None) -> dict[str, Any]:
    """JSON-able: means, 95% intervals, CPU milliseconds, and paired differences from plain hybrid and from `against`."""
    row: dict[str, Any] = {"name": run.name, "kind": kind or "all", "questions": len(run.values("mrr", kind)), "ms": round(run.cost, 1)}
    row["mean"] = {name: round(run.mean(name, kind), 4) for name in metrics(ks)}
    row["interval"] = {name: [round(x, 4) for x in interval(run.values(name, kind))] for name in ("mrr", "ndcg@10", "recall@10", "f1@10")}
    row["notes"] = run.notes
    for label, other in (("plain", plain), ("against", against)):
        if other is not None and other is not run:
            row[label] = {"name": other.name} | {name: _difference(run, other, name, kind) for name in TESTED}
    return row


def _difference(run: Run, against: Run, metric: str, kind: str | None) -> dict[str, float]:
    found = paired(run.values(metric, kind), against.values(metric, kind))
    return {"mean": round(found.mean, 4), "low": round(found.low, 4), "high": round(found.high, 4), "p": round(found.p, 4)}


def rows_of(runs: Mapping[str, tuple[Run, str]], ks: Sequence[int] = KS) -> list[dict[str, Any]]:
    """One row a run and kind of question; `runs` maps a name to the run and the name of what it is compared with; plain hybrid is first."""
    out: list[dict[str, Any]] = []
    plain = next((run for run, _ in runs.values()), None)
    for run, against in runs.values():
        other = runs[against][0] if against in runs else None
        out += [summary(run, plain, other if other is not plain else None, ks, kind) for kind in kinds(run.questions)]
    return out


def table(rows: Sequence[Mapping[str, Any]], ks: Sequence[int] = KS) -> list[list[str]]:
    """Head and cells for people: NDCG@10 with its interval, p behind each difference."""
    names = metrics(ks)
    out = [["what", "kind", "n", *names, "CPU ms", *(f"Δ {name} to plain (p)" for name in TESTED), f"Δ {TESTED[0]} to (p)"]]
    for row in rows:
        cells = [f"{row['mean'][name]:.3f}" for name in names]
        low, high = row["interval"]["ndcg@10"]
        cells[1] += f" [{low:.3f}, {high:.3f}]"
        plain, against = row.get("plain"), row.get("against")
        deltas = [_told(plain[name]) if plain else "" for name in TESTED]
        last = f"{against['name']}: {_told(against[TESTED[0]])}" if against else ""
        cost = f"{row['ms']:.0f}" if row["ms"] else ""
        out.append([row["name"], row["kind"], str(row["questions"]), *cells, cost, *deltas, last])
    return out


def _told(found: Mapping[str, float]) -> str:
    return f"{found['mean']:+.3f} ({found['p']:.3f})"


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
