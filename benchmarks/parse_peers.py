"""Puts the parser beside its peers on the same files in one run: items, seconds, memory, growth, furniture, paragraphs.

    python benchmarks/parse_peers.py [FILE...]      without files: those of ../shared/checks/items, else the samples

Each peer gets an environment of its own (`.venv-peers/`, pinned below, a few hundred MB); edgar-crawler is not on PyPI.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from page_breaks import Score, breaks_of
from peer_run import read
from synthetic import filing_of

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
ENVIRONMENTS, OUT = ROOT / ".venv-peers", ROOT / "var" / "bench-parse"
PEERS = {"edgartools": "edgartools==5.62.1", "edgar-itemize": "edgar-itemize==1.0.0", "sec-parser": "sec-parser==0.58.1"}
CHECKS = ROOT.parent / "shared" / "checks" / "items"
SIZES = (0.1, 1.0, 4.0, 10.0, 40.0)  # MB
LIMIT = 300  # seconds a run of one synthetic filing


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--only", nargs="+", default=["filingforest", *PEERS], help="which parsers")
    parser.add_argument("--sizes", nargs="*", type=float, default=list(SIZES), help="MB of the synthetic filings")
    parser.add_argument("--every", type=int, default=1, help="take only each n-th of the filings of ../shared/checks/items")
    arguments = parser.parse_args()
    gold = _gold()[-1 :: -arguments.every] if not arguments.files else []
    files = (
        arguments.files
        or [CHECKS.parents[1] / "edgar" / g["file"] for g in gold]
        or sorted(ROOT.glob("samples/Archives/edgar/data/*/*/*.htm"))
    )
    pythons = {name: python_of(name) for name in arguments.only}
    OUT.mkdir(parents=True, exist_ok=True)
    (OUT / "gold.json").write_text(json.dumps(gold))
    lines = {name: runs(name, python, files) for name, python in pythons.items()}
    table("measure", arguments.only, [*speed(lines, files), *breaks(lines, files), *items(lines, bool(gold))])
    table("growth", arguments.only, list(growth(pythons, arguments.sizes)))
    return 0


def python_of(name: str) -> Path:
    """The interpreter of a parser's environment, made on first use."""
    if name == "filingforest":
        return Path(sys.executable)
    python = ENVIRONMENTS / name / "bin" / "python"
    if not python.exists():
        print(f"making {python.parents[1]} with {PEERS[name]}", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", python.parents[1]], check=True)
        subprocess.run([sys.executable, "-m", "uv", "pip", "install", "--quiet", "--python", python, PEERS[name]], check=True)
    return python


def runs(name: str, python: Path, files: Sequence[Path]) -> list[dict[str, Any]]:
    """One process a file, so that its peak is its own; the lines are kept for the item check."""
    out = []
    for i, file in enumerate(files):
        print(f"\r{name} {i + 1}/{len(files)} ", end="", file=sys.stderr, flush=True)
        out.append(one(name, python, file))
    print(file=sys.stderr)
    (OUT / f"{name}.jsonl").write_text("".join(json.dumps(x) + "\n" for x in out))
    return out


def one(name: str, python: Path, file: Path, limit: float = 1_800) -> dict[str, Any]:
    """What peer_run prints for one file; an error where it printed nothing."""
    try:
        run = subprocess.run([python, HERE / "peer_run.py", name, file], capture_output=True, text=True, timeout=limit, check=False)
        return dict(json.loads(run.stdout.splitlines()[-1]))
    except (subprocess.TimeoutExpired, IndexError, ValueError) as error:
        return {"items": [], "cpu": None, "peak": None, "error": type(error).__name__, "bytes": file.stat().st_size}


Rows = list[tuple[str, dict[str, float | None], str]]  # what, a value for each parser, how to print it


def speed(lines: dict[str, list[dict[str, Any]]], files: Sequence[Path]) -> Rows:
    def over(key: str, how: Callable[[list[float]], float]) -> dict[str, float | None]:
        return {name: how([x[key] for x in found if x[key] is not None] or [float("nan")]) for name, found in lines.items()}

    failed = {name: float(sum(x["error"] is not None for x in found)) for name, found in lines.items()}
    return [
        (f"CPU s a filing, mean of {len(files)}", over("cpu", statistics.mean), "{:.2f}"),
        ("CPU s, median", over("cpu", statistics.median), "{:.2f}"),
        ("peak MiB, largest", over("peak", max), "{:.0f}"),
        ("filings failed", dict(failed), "{:.0f}"),
    ]


def breaks(lines: dict[str, list[dict[str, Any]]], files: Sequence[Path]) -> Rows:
    truth = [breaks_of(read(file)) for file in files]
    scores = {name: Score() for name in lines}
    for name, found in lines.items():
        for x, there in zip(found, truth, strict=True):
            scores[name].add(there, [str(i["text"]) for i in x["items"]])
    units = Score()
    for x, there in zip(lines.get("filingforest", []), truth if "filingforest" in lines else [], strict=True):
        units.add(there, x.get("units", []))
    return [
        ("page breaks with furniture found again", {n: float(s.furniture) for n, s in scores.items()}, "{:.0f}"),
        ("share with furniture left in the text", {n: s.left / max(1, s.furniture) for n, s in scores.items()}, "{:.3f}"),
        ("share with furniture left in the units", {"filingforest": units.left / max(1, units.furniture)}, "{:.3f}"),
        ("paragraphs cut by a page break", {n: float(s.cuts) for n, s in scores.items()}, "{:.0f}"),
        ("share of them rejoined", {n: s.rejoined / max(1, s.cuts) for n, s in scores.items()}, "{:.3f}"),
        ("neighbours parted by a page break", {n: float(s.parted) for n, s in scores.items()}, "{:.0f}"),
        ("share of them wrongly glued", {n: s.glued / max(1, s.parted) for n, s in scores.items()}, "{:.4f}"),
    ]


def items(lines: dict[str, list[dict[str, Any]]], gold: bool) -> Rows:
    """Recall and precision by the project's own check, where it is there."""
    if not gold:
        return []
    recall: dict[str, float | None] = {}
    precision: dict[str, float | None] = {}
    whole: dict[str, float | None] = {}
    for name in lines:
        command = f"{sys.executable} {HERE / 'peer_run.py'} --replay {OUT / f'{name}.jsonl'}"
        check = [sys.executable, CHECKS / "check_items.py", "--gold", OUT / "gold.json", "--command", command]
        run = subprocess.run(check, capture_output=True, text=True, check=False)
        last = run.stdout.splitlines()[-1] if run.stdout else ""
        print(f"{name}: {last}", file=sys.stderr)
        words = last.replace(";", "").split()
        recall[name] = float(words[words.index("recall") + 1]) if "recall" in words else None
        precision[name] = float(words[words.index("precision") + 1]) if "precision" in words else None
        whole[name] = float(last.split("/")[0]) if "/" in last else None
    return [
        ("items: recall", recall, "{:.3f}"),
        ("items: precision", precision, "{:.3f}"),
        ("filings with all items right", whole, "{:.0f}"),
    ]


def growth(pythons: dict[str, Path], sizes: Sequence[float]) -> Iterator[tuple[str, dict[str, float | None], str]]:
    """Seconds and memory on synthetic filings of growing size."""
    for size in sizes:
        file = OUT / f"synthetic-{size:g}.htm"
        file.write_text(filing_of(int(size * 1e6)))
        found = {name: one(name, python, file, LIMIT) for name, python in pythons.items()}
        yield f"{size:g} MB: CPU s", {n: x["cpu"] for n, x in found.items()}, "{:.2f}"
        yield f"{size:g} MB: peak MiB", {n: x["peak"] for n, x in found.items()}, "{:.0f}"


def table(title: str, names: Sequence[str], rows: Rows) -> None:
    """Markdown: a value for each parser, and the ratio to ours for the peers."""
    print(f"\n| {title} | {' | '.join(names)} |\n|---|{'---:|' * len(names)}")
    for what, values, form in rows:
        own = values.get("filingforest")
        cells = []
        for name in names:
            value = values.get(name)
            ratio = f" ({value / own:.1f}x)" if value and own and name != "filingforest" and ("CPU" in what or "peak MiB" in what) else ""
            cells.append("-" if value is None else form.format(value) + ratio)
        print(f"| {what} | {' | '.join(cells)} |", flush=True)


def _gold() -> list[dict[str, Any]]:
    path = CHECKS / "gold.json"
    return list(json.loads(path.read_text())) if path.exists() else []


if __name__ == "__main__":
    sys.exit(main())
