"""Writes constraints/*.txt, so that every environment is the same everywhere and says beforehand how much it downloads.

Run by `make constraints` after a change of dependencies: .venv/bin/python infra/constraints.py [--upgrade]
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "constraints"
# environment -> extras; each keeps the versions of those above; the first four are supersets of one another
ENVIRONMENTS = {
    "query": ["query"],
    "demo": ["query", "run", "airflow"],
    "dev": ["query", "run", "airflow", "dev"],
    "pipeline": ["query", "run", "airflow", "dev", "pipeline"],
    "serve": ["serve", "opensearch"],
}
WHEEL = re.compile(r"-(cp311-cp311|cp3\d+-abi3|py3-none|py2\.py3-none)-(any|manylinux\S*x86_64)\.whl$")


def compile_environment(name: str, upgrade: bool) -> None:
    """Writes constraints/{name}.txt: exact versions, no hashes, no registry, and the size of its download."""
    target = FOLDER / f"{name}.txt"
    command = [
        sys.executable,
        "-m",
        "uv",
        "pip",
        "compile",
        "-q",
        "pyproject.toml",
        "--python-version",
        "3.11",
        "--no-header",
        "--no-annotate",
    ]
    command += [part for extra in ENVIRONMENTS[name] for part in ("--extra", extra)]
    smaller = list(ENVIRONMENTS)[: list(ENVIRONMENTS).index(name)]
    command += [part for other in smaller for part in ("-c", str(FOLDER / f"{other}.txt"))]
    if target.exists() and not upgrade:
        command += ["-c", str(target)]
    lines = _output([*command, "--no-emit-index-url"])
    megabytes = round(_download_bytes(_output([*command, "--format", "pylock.toml"])) / 1e6)
    extras = ", ".join(ENVIRONMENTS[name])
    target.write_text(f"# {name}: extras {extras}; written by `make constraints`\n# download: {megabytes} MB\n{lines}")
    print(f"{name}: {len(lines.splitlines())} packages, {megabytes} MB")


def _output(command: list[str]) -> str:
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def _download_bytes(lock: str) -> int:
    """Bytes of the Linux x86-64 wheels (or the source archive where there is none) of a pylock.toml."""
    return sum(_package_bytes(package) for package in tomllib.loads(lock)["packages"])


def _package_bytes(package: dict[str, Any]) -> int:
    sizes = [wheel["size"] for wheel in package.get("wheels", []) if WHEEL.search(wheel["url"])]
    return int(min(sizes) if sizes else package.get("sdist", {}).get("size", 0))


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for environment in ENVIRONMENTS:
        compile_environment(environment, upgrade="--upgrade" in sys.argv)
