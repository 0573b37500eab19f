"""What `filingforest tree` and `filingforest flam` show of a small index, and what they say when they find nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from filingforest import cli
from tests.support.corpus import Doc, Unit
from tests.support.small_trees import publish_trees

REPORT = Doc(
    "Quince Inc.",
    2023,
    [
        Unit("Net sales rose to $12 million.", "7", ("Discussion", "Results")),
        Unit("Our backlog fell; net sales of tablets rose.", "7", ("Discussion", "Outlook")),
        Unit("We face competition & more.", "1A", ("Risks",)),
    ],
    doc_id="0000000001-24-000001",
)
OTHER = Doc("Skyward Co", 2022, [Unit("Goodwill fell.")], doc_id="0000000002-23-000001")


@pytest.fixture
def index(tmp_path: Path) -> str:
    return publish_trees(tmp_path / "filings", [REPORT, OTHER])


def test_a_summary_tree_is_drawn_from_its_root(index: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["tree", REPORT.doc_id, "7", "--index", index, "--width", "120"]) == 0
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == "0000000001-24-000001 10-K:II.7: 2 chunks, 1 nodes above, summary tree by extractive/1"
    assert "[level 1, 2 below] Net sales rose to $12 million." in lines[1]
    assert "[chunk] 100% Results: Net sales rose to $12 million." in lines[2]
    assert "[chunk] 100% Outlook: Our backlog fell" in lines[3]


def test_a_question_tree_and_no_leaves(index: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["tree", REPORT.doc_id, "10-K:II.7", "--tree", "question", "--no-leaves", "--index", index, "--width", "120"]) == 0
    out = capsys.readouterr().out
    assert "What is disclosed under Results?" in out
    assert "chunk]" not in out


def test_the_end_of_a_document_is_enough_where_it_is_clear(index: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["tree", "1-24-000001", "1A", "--index", index]) == 0
    assert "10-K:II.1A" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("doc", "item", "says"),
    [
        ("0000000001-24-000002", "7", "0000000001-24-000001"),
        ("0000000001-24-000001", "9", "10-K:II.7, 10-K:II.1A"),
        ("000001", "7", "0000000002-23-000001"),
    ],
)
def test_what_is_not_there_names_candidates(index: str, capsys: pytest.CaptureFixture[str], doc: str, item: str, says: str) -> None:
    assert cli.main(["tree", doc, item, "--index", index]) != 0
    assert says in capsys.readouterr().err


def test_counts_by_item_as_a_table_and_as_json(index: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["flam", "--index", index, "--terms", "sales,backlog", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found == {"items": ["10-K:II.7"], "terms": ["sales", "backlog"], "counts": [[2, 1]]}
    assert cli.main(["flam", "--index", index, "--year", "2022"]) == 0
    assert capsys.readouterr().out.splitlines()[1].split() == ["goodwill", "1"]


def test_a_page_needs_nothing_and_names_every_cell(index: str, tmp_path: Path) -> None:
    page = tmp_path / "flam.html"
    assert cli.main(["flam", "--index", index, "--html", str(page)]) == 0
    text = page.read_text()
    assert 'title="10-K:II.7 · sales">2</td>' in text
    assert "src=" not in text and "href=" not in text


def test_a_picture(index: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    file = tmp_path / "flam.png"
    assert cli.main(["flam", "--index", index, "--png", str(file), "--rates"]) == 0
    assert file.read_bytes().startswith(b"\x89PNG")


def test_a_picture_without_matplotlib_says_what_to_install(
    index: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    assert cli.main(["flam", "--index", index, "--png", str(tmp_path / "x.png")]) == cli.USAGE
    assert "filingforest[plots]" in capsys.readouterr().err


def test_documents_without_terms_are_said(index: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["flam", "--index", index, "--year", "1999"]) == cli.USAGE
    assert "no finance term was counted" in capsys.readouterr().err
