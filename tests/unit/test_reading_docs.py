"""The examples of docs/reading.md do what they say on a published index."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.support.corpus import Doc, Unit, publish

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reading.md"
SNIPPETS = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
FACTS = [{"concept": "us-gaap:Revenues", "value": "5", "period_end": "2023-12-31"}]


@pytest.fixture(params=[1, 0], ids=["masked", "nothing masked"])
def masked(request: pytest.FixtureRequest) -> int:
    """How many of two documents are masked; a young publication has none."""
    return int(request.param)


def _run(tmp_path: Path, wanted: str, masked: int) -> dict[str, Any]:
    documents = [Doc("Kept", units=[Unit("a")], facts=FACTS), Doc("Masked", units=[Unit("b")], facts=FACTS)]
    dead = [document.doc_id for document in documents[2 - masked :]]
    publish(tmp_path, [documents], dead=dead)
    found: dict[str, Any] = {}
    exec(SNIPPETS[0].replace("work/filings", str(tmp_path)), found)
    assert found["dead"] == dead
    if wanted != "pyarrow":
        exec("import pyarrow.dataset as ds", found)
    snippet = next(s for s in SNIPPETS if re.search(rf"^import {wanted}\b", s, re.M))
    lines = snippet.strip().split("\n\n")
    exec(lines[0], found)
    if "=" in lines[1].splitlines()[0].partition("(")[0]:
        exec(lines[1], found)
        last = lines[1].split("\n")
        if wanted == "duckdb":
            found["answer"] = eval("\n".join(last[1:]), found)
    else:
        found["answer"] = eval(lines[1], found)
    return found


def test_pyarrow(tmp_path: Path, masked: int) -> None:
    found = _run(tmp_path, "pyarrow", masked)
    assert found["facts"]["concept"].to_pylist() == ["us-gaap:Revenues"] * (2 - masked)


def test_duckdb(tmp_path: Path, masked: int) -> None:
    assert _run(tmp_path, "duckdb", masked)["answer"].fetchall() == [("us-gaap:Revenues", 2 - masked)]


def test_polars(tmp_path: Path, masked: int) -> None:
    assert _run(tmp_path, "polars", masked)["answer"].rows() == [("us-gaap:Revenues", 2 - masked)]
