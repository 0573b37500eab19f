"""Nothing that ships knows the corpus it is measured on: no company, number of a filing, figure or question of it stands in the code."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

CODE = Path(__file__).parents[2]
FOLDERS = ("pipelines", "plugins", "dags", "sql", "samples")
LEGAL = re.compile(r"\b(the|inc|co|corp|corporation|company|companies|incorporated|ltd|plc|llc|and)\b|[.,&’']+", re.IGNORECASE)
pytestmark = pytest.mark.shared


@pytest.fixture(scope="module")
def code() -> dict[str, str]:
    files = [p for folder in FOLDERS for p in (CODE / folder).rglob("*") if p.is_file() and "__pycache__" not in p.parts]
    return {str(p.relative_to(CODE)): p.read_text("utf-8", "replace") for p in files}


def found(code: dict[str, str], pattern: str) -> list[str]:
    return [f"{path}: {m[0]}" for path, text in code.items() for m in re.finditer(pattern, text)]


def filings(shared: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in (shared / "edgar" / "manifest.jsonl").read_text().splitlines()]


def test_no_company(code: dict[str, str], shared: Path) -> None:
    names = {" ".join(LEGAL.sub(" ", f["company"]).split()) for f in filings(shared)}
    names |= {p.stem.split("_")[0] for p in (shared / "financebench" / "pdf").glob("*.pdf")}
    spelt = {s for n in names if len(n) > 2 for s in (n, n.upper(), n.title(), n.capitalize())}
    assert found(code, r"\b(?:" + "|".join(sorted(map(re.escape, spelt))) + r")\b") == []


def test_no_number_of_a_filing_or_company(code: dict[str, str], shared: Path) -> None:
    numbers = {f["accession"] for f in filings(shared)} | {f["accession"].replace("-", "") for f in filings(shared)}
    numbers |= {str(f["cik"]) for f in filings(shared) if len(str(f["cik"])) > 5}
    assert found(code, r"(?<!\d)0*(?:" + "|".join(sorted(numbers)) + r")(?!\d)") == []


def test_no_gold_figure(code: dict[str, str], shared: Path) -> None:
    statement = json.loads((shared / "checks" / "tables" / "aapl_income_statement.json").read_text())
    figures = set(re.findall(r"\b\d{2,3},\d{3}\b", json.dumps(statement)))
    answers = [json.loads(line)["answer"] for line in (shared / "financebench" / "questions.jsonl").read_text().splitlines()]
    figures |= {m for a in answers for m in re.findall(r"\b\d{1,3}(?:,\d{3})+(?:\.\d+)?\b|\b\d{4,}\.\d+\b", a)}
    assert found(code, r"(?<![\d,])(?:" + "|".join(sorted(map(re.escape, figures))) + r")(?![\d,])") == []


def test_no_question(code: dict[str, str], shared: Path) -> None:
    questions = [json.loads(line)["question"] for line in (shared / "financebench" / "questions.jsonl").read_text().splitlines()]
    assert found(code, "|".join(re.escape(q[:60]) for q in questions)) == []
