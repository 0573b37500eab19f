"""Items of real filings against gold boundaries and small cases, by the shared checks; skipped where they are not there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("FILINGFOREST_SHARED", ROOT.parent / "shared"))
COMMAND = f"{sys.executable} -m filingforest.parse"


def run(folder: str, script: str, command: str = COMMAND) -> str:
    """What a shared check prints."""
    where = SHARED / "checks" / folder
    if not (where / script).exists():
        if os.environ.get("CI") == "true":
            pytest.fail(f"{where / script} is missing")
        pytest.skip(f"{where / script} is not there")
    paths = os.pathsep.join([str(ROOT / "pipelines"), str(ROOT), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, script, "--command", command],
        cwd=where,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


def test_item_boundaries() -> None:
    report = run("items", "check_items.py")
    found = re.search(r"items (\d+)/(\d+): recall ([\d.]+) precision ([\d.]+); cross-reference items (\d+)/(\d+)", report)
    assert found, report
    right, total, _, precision, crossed, of = (float(x) for x in found.groups())
    assert right / total >= 0.998, report
    assert precision >= 0.998, report
    assert crossed / max(1, of) >= 0.9, report


def test_small_cases() -> None:
    report = run("cases", "check_cases.py")
    passed, total = re.findall(r"(\d+)/(\d+) cases", report)[-1]
    assert passed == total, report
