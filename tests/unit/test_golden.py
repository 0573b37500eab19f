"""An output that changed without its stage's version would be taken for done work, and old and new would live side by side unnoticed."""

from __future__ import annotations

import json

import pytest

from tests.support import golden

KNOWN = json.loads(golden.FILE.read_text())


@pytest.fixture(scope="module")
def now() -> dict[str, dict[str, object]]:
    return golden.outputs()


@pytest.mark.parametrize(
    ("stage", "name"),
    [("parsed", "PARSER_VERSION"), ("chunks", "CHUNKS_VERSION"), ("embeddings", "EMBEDDINGS_VERSION"), ("trees", "TREES_VERSION")],
)
def test_no_output_changes_without_a_bump(stage: str, name: str, now: dict[str, dict[str, object]]) -> None:
    known, made = KNOWN[stage], now[stage]
    again = "then run `python -m tests.support.golden`"
    if stage != "parsed" and KNOWN["parsed"]["version"] != now["parsed"]["version"]:
        pytest.fail(f"PARSER_VERSION was bumped: {again}")
    assert made["version"] == known["version"], f"{name} was bumped: {again}"
    parsed_too = KNOWN["parsed"]["outputs"] != now["parsed"]["outputs"]
    remedy = "bump PARSER_VERSION (what follows from it gets new keys)" if parsed_too else f"bump {name}"
    assert made["outputs"] == known["outputs"], f"the output of `{stage}` changed: {remedy}, {again}"
