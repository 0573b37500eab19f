"""Nothing that we import reports on its user."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def _run(home: Path, code: str, **environment: str) -> str:
    names = ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH")
    env = {"HOME": str(home), **{name: os.environ[name] for name in names if name in os.environ}, **environment}
    return subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True).stdout.strip()


def test_onnx_runtime_s_reports_are_off(tmp_path: Path) -> None:
    """It would leave an id and a database of events in the home folder."""
    _run(tmp_path, "import filingforest.query, onnxruntime; onnxruntime.SessionOptions()")
    assert list(tmp_path.rglob("*")) == []


def test_who_wants_them_may_have_them(tmp_path: Path) -> None:
    code = "import os, filingforest; print(os.environ['ORT_DISABLE_TELEMETRY'])"
    assert [_run(tmp_path, code), _run(tmp_path, code, ORT_DISABLE_TELEMETRY="0")] == ["1", "0"]
