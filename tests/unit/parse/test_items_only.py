"""Items and their text alone are the same as those of the whole parse, which does twice the work."""

from __future__ import annotations

from pathlib import Path

import pytest

from filingforest.parse import parse_document
from filingforest.parse.model import DocumentHint

SAMPLES = sorted((Path(__file__).resolve().parents[3] / "samples" / "Archives").rglob("lrkf-*.htm"))


@pytest.mark.parametrize("path", SAMPLES, ids=lambda x: x.name)
def test_items_alone_are_those_of_the_whole_parse(path: Path) -> None:
    content, hint = path.read_bytes(), DocumentHint("folder:x", name=path.name)
    whole, alone = parse_document(content, hint), parse_document(content, hint, items_only=True)
    for item in whole.items:
        item.targets = []  # places among the nodes
    assert alone.items == whole.items
    assert alone.document == whole.document
    assert (alone.nodes, alone.facts, alone.mentions) == ([], [], [])


def test_a_language_is_told_by_words_not_by_figures() -> None:
    rows = "".join(f"<tr><td>Line {n}</td><td>{n},000</td><td>{n},500</td></tr>" for n in range(1, 90))
    said = "<p>The company makes boats and sells them to the owners of ferries on many rivers.</p>"
    page = f"<html><body>{said * 3}<table><tr><td></td><td>2023</td><td>2022</td></tr>{rows}</table></body></html>"
    assert parse_document(page.encode(), DocumentHint("folder:x", name="x.htm")).document["language"] == "en"
