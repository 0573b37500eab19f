"""Table units and facts of real filings against their own tags; skipped where the filings are not there."""

from __future__ import annotations

import gzip
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from lxml import etree

from filingforest.parse import parse_document
from filingforest.parse.model import DocumentHint, FactMention, Node, Parsed

ROOT = Path(__file__).resolve().parents[2]
COMMAND = f"{sys.executable} -m filingforest.parse"
pytestmark = pytest.mark.shared
SAMPLE = 11  # every so many filings in the short run; all of them in the slow one


def filings(shared: Path) -> list[Path]:
    return sorted((shared / "edgar/Archives/edgar/data").glob("*/*/*.htm.gz"))


def check(shared: Path, paths: list[Path]) -> str:
    """What the shared check prints for these filings."""
    script = shared / "checks/tables/check_tables.py"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "pipelines"), os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, str(script), "--command", COMMAND, *map(str, paths)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def assert_good(report: str) -> None:
    found = re.search(r"right column ([\d.]+);.*over their column (\d+)/(\d+); negatives (\d+)/(\d+)", report)
    assert found, report
    column, years, all_years, negatives, all_negatives = (float(x) for x in found.groups())
    assert column >= 0.99, report
    assert years / all_years >= 0.99, report
    # the check takes "($194 leased)" in a label for a negative amount where the row has the same figure: a few in ten thousand
    assert negatives / all_negatives >= 0.999, report


def test_values_in_their_columns_on_a_sample(shared: Path) -> None:
    assert_good(check(shared, filings(shared)[::SAMPLE]))


@pytest.mark.slow
def test_values_in_their_columns_on_all_filings(shared: Path) -> None:
    paths = filings(shared)
    reports = [check(shared, paths[i::5]) for i in range(5)]
    for report in reports:
        assert_good(report)


def visible_numbers(raw: bytes) -> Iterator[tuple[str, str]]:
    """(id, text) of every tagged number with digits that a reader sees."""
    tree = etree.HTML(re.sub(rb"^\s*<\?xml[^>]*\?>", b"", raw))
    hidden = {e for h in tree.iter("ix:hidden") for e in h.iter()}
    for element in tree.iter("ix:nonfraction"):
        text = " ".join("".join(element.itertext()).split())
        if element not in hidden and any(c.isdigit() for c in text):
            yield element.get("id"), text


def stands(parsed: Parsed, node: Node, mention: FactMention, text: str) -> bool:
    """Whether the number stands where its mention says."""
    if mention.char_start is not None:
        return " ".join(parsed.text[mention.char_start : mention.char_end].split()) == text and text in node.text
    if mention.row is None or node.table is None:
        return text in node.text
    row = node.table["rows"][mention.row]
    return text in (row["label"] if mention.column is None else row["text"][mention.column])


def test_tagged_numbers_are_tied_to_a_unit_that_shows_them(shared: Path) -> None:
    seen = tied = 0
    for path in filings(shared)[::SAMPLE]:
        raw = gzip.decompress(path.read_bytes())
        parsed = parse_document(raw, DocumentHint(doc_id="folder:x", name=path.name))
        nodes = {n.node_id: n for n in parsed.nodes}
        mentions = defaultdict(list)
        for mention in parsed.mentions:
            mentions[re.split(r"[#!]", mention.fact_id)[-1]].append(mention)
        for fact, text in visible_numbers(raw):
            seen += 1
            tied += any(stands(parsed, nodes[m.node_id], m, text) for m in mentions[fact])
    assert seen > 5_000
    assert tied / seen >= 0.995, f"{tied} of {seen}"
