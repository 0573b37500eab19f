"""The sample archive is what its sources say, and its invented accounts add up."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

SAMPLES = Path(__file__).resolve().parent.parent.parent / "samples"


@pytest.fixture(scope="module")
def build() -> dict[str, Any]:
    return runpy.run_path(str(SAMPLES / "build.py"))


def test_committed_files_are_what_the_sources_make(build: dict[str, Any]) -> None:
    made = {name: text.encode() for name, text in build["files"]()}
    kept = {
        path.relative_to(SAMPLES).as_posix(): path.read_bytes()
        for folder in ("Archives", "submissions", "files")
        for path in (SAMPLES / folder).rglob("*")
        if path.is_file()
    }
    assert sorted(made) == sorted(kept)
    assert [name for name in made if made[name] != kept[name]] == []


def test_statements_agree_with_one_another(build: dict[str, Any]) -> None:
    for company in build["COMPANIES"].values():
        for name, period in company.periods.items():
            if period.before is None:
                continue
            books, before = company.books[name], company.books[period.before]
            assert books["assets"] == books["liabilities"] + books["equity"]
            assert before["cash"] + books["d_cash"] == books["cash"]
            assert before["retained"] + books["net"] - books["dividends"] == books["retained"]
            assert books["sales"] - books["cost"] - books["opex"] == books["operating"]


def test_the_demo_question_has_its_answer(build: dict[str, Any]) -> None:
    report = (SAMPLES / "Archives/edgar/data/9900001/000990000124000057/lrkf-20240930.htm").read_text("utf-8")
    assert build["LARK"].books["2024"]["sales"] == 742_875  # 338,615 + 274,390 + 129,870
    assert ">742,875<" in report
