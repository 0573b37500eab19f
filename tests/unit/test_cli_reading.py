"""The commands that read a publication: query, show, publications, status."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from filingforest import cli
from filingforest.publish import receipts
from filingforest.store import open_store
from tests.support.corpus import Doc, Unit, publish, table_unit
from tests.support.tiny_index import TinyIndex

DOCS = [
    Doc("Osier Boats Inc", 2023, [Unit("Backlog of boats grew because two ports ordered ferries."), Unit("We employ 90 people.", "1")], ticker="OSBT"),
    Doc("Tarn Mills Ltd", 2023, [table_unit("Income", ["2023"], {"Net sales": ["1,234"]}, "income"), Unit("Backlog of flour fell.")]),
]  # fmt: skip


@pytest.fixture(autouse=True)
def no_outer_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [n for n in os.environ if n.startswith("FILINGFOREST_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def index(tmp_path: Path) -> str:
    return publish(tmp_path / "index", [DOCS])


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str]) -> Any:
    def run(*arguments: str) -> Any:
        assert cli.main(list(arguments)) == cli.DONE
        out = capsys.readouterr().out
        return [json.loads(line) for line in out.splitlines()] if "--json" in arguments else out

    return run


def test_query_shows_hits_with_place_and_citation_and_notes(index: str, ask: Any) -> None:
    shown = ask("query", "Why did the backlog of Osier Boats grow?", "--index", index)
    assert "Osier Boats Inc · 10-K · FY2023 · Management's discussion" in shown
    assert "two ports ordered ferries" in shown
    assert "osierboatsinc-2023-10-k-fy@" in shown
    assert "company Osier Boats Inc" in shown
    assert "Tarn" not in shown
    shown = ask("query", "What did Quuxworth say about its backlog?", "--index", index)
    assert "note: Quuxworth is not among the companies" in shown


def test_query_json_has_the_design_s_keys(index: str, ask: Any) -> None:
    [answer] = ask("query", "backlog", "--company", "OSBT", "--year", "2023", "-k", "1", "--index", index, "--json")
    assert {"id", "question", "publication", "intent", "route", "scope", "hits", "facts", "notes", "milliseconds"} == set(answer)
    assert [hit["company"] for hit in answer["hits"]] == ["Osier Boats Inc"]
    assert answer["scope"]["filters"] == {"company": ["OSBT"], "year": [2023]}


def test_a_batch_is_a_line_a_question(index: str, ask: Any, tmp_path: Path) -> None:
    lines = [{"id": "q1", "question": "backlog", "doc": "tarnmills"}, {"id": "q2", "question": "backlog", "company": "Osier Boats"}]
    (tmp_path / "q.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n\n")
    found = ask("query", "--batch", "q.jsonl", "--own-document", "--index", index, "--json")
    assert [a["id"] for a in found] == ["q1", "q2"]
    assert [{hit["company"] for hit in a["hits"]} for a in found] == [{"Tarn Mills Ltd"}, {"Osier Boats Inc"}]
    ask("query", "--batch", "q.jsonl", "--index", index)


def test_a_batch_goes_on_after_a_bad_line(index: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [
        b'\xef\xbb\xbf{"id": "a", "question": "backlog"}',
        b"nonsense",
        b'{"question": " "}',
        b'{"question": "\xe9"}',
        b'{"question": "\\ud800"}',
    ]
    (tmp_path / "q.jsonl").write_bytes(b"\n".join([*lines, b'{"id": "z", "question": "ferries"}']))
    assert cli.main(["query", "--batch", str(tmp_path / "q.jsonl"), "--index", index, "--json"]) == cli.INCOMPLETE
    out, err = capsys.readouterr()
    assert [json.loads(line)["id"] for line in out.splitlines()] == ["a", "z"]
    assert [line.split(":")[1] for line in err.splitlines()] == [" line 2", " line 3", " line 4", " line 5"]


def test_a_slip_of_the_pen_in_a_batch_is_an_error_and_what_is_not_used_is_told_once(
    index: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [
        {"question": "backlog", "compny": "Osier Boats"},
        {"question": "backlog", "Company": "Osier Boats"},
        {"qestion": "backlog"},
        {"id": "own", "question": "backlog", "answer": "12", "question_type": "fact", "fy": 2024},
        {"id": "too", "question": "backlog", "answer": "13"},
    ]
    (tmp_path / "q.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert cli.main(["query", "--batch", str(tmp_path / "q.jsonl"), "--index", index, "--json"]) == cli.INCOMPLETE
    out, err = capsys.readouterr()
    assert [json.loads(line)["id"] for line in out.splitlines()] == ["own", "too"]
    told = err.splitlines()
    assert "unknown key 'compny' -> did you mean 'company'?" in told[0]
    assert "unknown key 'Company' -> did you mean 'company'?" in told[1]
    assert "unknown key 'qestion' -> did you mean 'question'?" in told[2]
    assert told[3:] == ["filingforest: line 4: not used: answer, fy, question_type (a line's keys are id, question, doc, company)"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "one question"),
        (["x", "--batch", "y"], "one question"),
        (["--batch", "absent.jsonl"], "cannot read"),
        (["x", "--since", "tomorrow"], "2024-01-31"),
        (["x", "--year", "two"], "year"),
        (["x", "-k", "0"], "k is 0"),
        (["x", "--at", "000009-abc"], "publications list"),
    ],
)
def test_wrong_questions_are_answered_with_what_to_do(
    index: str, arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["query", *arguments, "--index", index]) in (cli.USAGE, cli.STOPPED)
    assert says in capsys.readouterr().err


def test_show_takes_a_node_and_a_citation(index: str, ask: Any) -> None:
    [answer] = ask("query", "ferries", "--index", index, "--json")
    hit = answer["hits"][0]
    for what in (hit["node_id"], hit["citation"], hit["unit_key"]):
        shown = ask("show", what, "--index", index)
        assert ">> Backlog of boats grew" in shown
    [passage] = ask("show", hit["node_id"], "--index", index, "--json")
    assert passage["text"] == hit["text"]
    assert cli.main(["show", "nothing#1", "--index", index]) == cli.STOPPED


def test_publications_and_status(tmp_path: Path, ask: Any, capsys: pytest.CaptureFixture[str]) -> None:
    url = str(tmp_path / "tiny")
    made = TinyIndex(open_store(url))
    first = made.entry("0000000001-24-000001", ["one", "two"])
    receipts.write_receipt(made.store, "edgar", "2024-02-01", [first], 2)
    one = made.publish().publication
    receipts.write_receipt(made.store, "edgar", "2024-02-02", [made.entry("0000000001-24-000002", ["three"])], 1)
    receipts.write_receipt(made.store, "edgar", "2024-02-02", [], 1)
    assert "waiting" in ask("status", "--index", url)
    two = made.publish().publication
    listed = ask("publications", "list", "--index", url)
    assert [line.split()[:2] for line in listed.splitlines()[1:]] == [[one, "past"], [two, "current"]]
    assert "+ 0000000001-24-000002\n1 added, 0 changed, 0 removed" in ask("publications", "diff", str(one), "--index", url)
    shown = ask("publications", "show", "--index", url)
    assert "2 documents" in shown
    assert "tiny r1, 8 dimensions" in shown
    assert "2 documents: clean" in ask("publications", "verify", "--index", url)

    assert "held: edgar.2024-02-02." in ask("publications", "rollback", "--index", url)
    [state] = ask("status", "--index", url, "--json")
    assert state["publication"]["id"] == one
    assert [(i["interval"], i["expected"], i["entered"], i["state"]) for i in state["intervals"]] == [
        ("2024-02-01", 2, 1, "published"),
        ("2024-02-02", 1, 1, "held"),
    ]
    assert len(ask("status", "--all", "--json", "--index", url)[0]["intervals"]) == 3
    assert "released" in ask("publications", "release", "--index", url)
    ask("publications", "pin", str(two), "--index", url)
    gone = ask("publications", "prune", "--keep-last", "0", "--keep-days", "0", "--dry-run", "--json", "--index", url)[0]
    assert (gone["publications"], gone["dry_run"]) == ([], True)
    ask("publications", "pin", str(two), "--undo", "--index", url)
    ask("publications", "sweep", "--index", url)

    for damaged in tmp_path.glob("tiny/segments/*/units.parquet"):
        damaged.chmod(0o644)
        damaged.write_bytes(damaged.read_bytes()[:-1])
    assert cli.main(["publications", "verify", "--index", url]) == cli.INCOMPLETE
    assert "[corrupt] segments/" in capsys.readouterr().err
    assert cli.main(["publications", "pin", "--index", url]) == cli.USAGE


def test_status_beside_a_current_that_cannot_be_read(tmp_path: Path, ask: Any) -> None:
    url = str(tmp_path / "tiny")
    made = TinyIndex(open_store(url))
    made.add("2024-02-01", "a")
    made.publish()
    made.add("2024-02-02", "b")
    two = made.publish().publication
    (tmp_path / "tiny" / "CURRENT").write_bytes(b"garbage")
    [state] = ask("status", "--index", url, "--json")
    assert "CURRENT" in state["problem"]
    assert (state["publication"]["id"], state["publication"]["reason"]) == (two, "probably current")
    assert [i["state"] for i in state["intervals"]] == ["published", "published"]
