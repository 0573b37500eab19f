"""Ablations: what is kept among ways of asking changes no answer, a killed run goes on, and nothing stale is taken over."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from filingforest import query
from filingforest.cli import main
from filingforest.config.retrieval import RerankSettings, RetrievalSettings
from filingforest.errors import ConfigError
from filingforest.evaluate import report
from filingforest.evaluate.ablations import PLAIN, chosen_variants
from filingforest.evaluate.asking import Asker
from filingforest.evaluate.kept import KeptRuns, key_of
from filingforest.evaluate.measure import run
from filingforest.evaluate.questions import Question
from filingforest.evaluate.session import Done, Session
from filingforest.query.reader import Reader
from tests.support.corpus import Doc, Unit
from tests.support.small_trees import publish_trees

TEXTS = ("Net sales grew to $12 million.", "Inventories were written down.", "Goodwill is tested each autumn.", "The lease ends in 2031.")
DOCS = [
    Doc(name, 2023, [Unit(f"{text} {name}", item, ("Results",)) for item in ("7", "8") for text in TEXTS])
    for name in ("Quince Inc.", "Medlar Corp.")
]
ASKED = (
    "What were net sales of Quince in 2023?",
    "When does the lease of Medlar end?",
    "goodwill?",
    "Compare inventories of Quince and Medlar.",
)


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    return query.open(publish_trees(tmp_path_factory.mktemp("forest"), DOCS))


@pytest.fixture(scope="module")
def questions(reader: Reader) -> list[Question]:
    """Each with the first and the last unit of some answer as its gold."""
    hits = [reader.query(text, 10).hits for text in ASKED]
    gold = [frozenset({f"{h[0].doc_id} {h[0].unit_key}", f"{h[-1].doc_id} {h[-1].unit_key}"}) for h in hits]
    return [
        Question(str(i), text, g, "numeric" if i else "narrative", "Quince") for i, (text, g) in enumerate(zip(ASKED, gold, strict=True))
    ]


def test_what_is_kept_changes_no_answer(reader: Reader, questions: list[Question]) -> None:
    asker = Asker(reader)
    for variant in chosen_variants(True, RetrievalSettings()):
        own = Reader.pinned(reader)
        own.retriever = replace(reader.retriever, control=variant.control)
        for question in questions:
            found, notes = asker.found(question, variant.settings, variant.control, 10)
            answer = own.query(question.text, 10, retrieval=variant.settings)
            assert found == [question.found(hit) for hit in answer.hits], variant.name
            assert set(notes) <= {note.code for note in answer.notes}


def test_a_killed_ablation_goes_on_where_it_stopped(reader: Reader, questions: list[Question], tmp_path: Path) -> None:
    file, variants = tmp_path / "kept.jsonl", chosen_variants(True, RetrievalSettings(), ["soft", "walk"])
    assert [v.name for v in variants] == [PLAIN, "hybrid + light", "soft", "walk"]

    class Killed(Exception):
        pass

    def kill(done: Done) -> None:
        if done.place == 2:
            raise Killed

    with pytest.raises(Killed):
        Session(questions, KeptRuns(file), (5, 10), kill).go([("", reader)], variants)
    with file.open("a") as stream:
        stream.write('{"key": "half a li')
    told: list[Done] = []
    runs = Session(questions, KeptRuns(file), (5, 10), told.append).go([("", reader)], variants)
    assert [done.seconds > 0 for done in told] == [False, False, True, True]
    assert [done.of - done.place for done in told] == [3, 2, 1, 0]
    again = Session(questions, KeptRuns(file), (5, 10), lambda done: None).go([("", reader)], variants)
    assert [r.rows for r, _ in again.values()] == [r.rows for r, _ in runs.values()]
    assert len([line for line in file.read_text().splitlines() if line.endswith("}")]) == 4


def test_nothing_stale_is_taken_over(questions: list[Question]) -> None:
    settings, rerank = RetrievalSettings(), RerankSettings()
    base = key_of("one", questions, settings, rerank, None, (5,))
    others = [
        key_of("two", questions, settings, rerank, None, (5,)),
        key_of("one", questions[1:], settings, rerank, None, (5,)),
        key_of("one", questions, replace(settings, branches=2), rerank, None, (5,)),
        key_of("one", questions, settings, replace(rerank, tokens=9), None, (5,)),
        key_of("one", questions, settings, rerank, 1, (5,)),
        key_of("one", questions, settings, rerank, None, (5, 10)),
    ]
    assert len({base, *others}) == 7
    assert key_of("one", questions, settings, rerank, None, (5,)) == base


def test_an_unknown_way_of_asking_is_named() -> None:
    with pytest.raises(ConfigError, match="sideways"):
        chosen_variants(True, RetrievalSettings(), ["sideways"])


def test_the_report_compares_with_plain_hybrid_and_with_the_arm(reader: Reader, questions: list[Question]) -> None:
    asker, walk = Asker(reader), RetrievalSettings(arm="walk", rerank="none")
    plain = run(PLAIN, asker, questions, RetrievalSettings(rerank="none"))
    runs = {PLAIN: (plain, PLAIN), "walk": (run("walk", asker, questions, walk), PLAIN)}
    runs["walk, permuted (1)"] = run("walk, permuted (1)", asker, questions, walk, 1), "walk"
    rows = report.rows_of(runs)
    assert [row["kind"] for row in rows[:3]] == ["all", "narrative", "numeric"]
    assert "plain" not in rows[0] and rows[0]["ms"] > 0
    permuted = rows[6]
    assert permuted["against"]["name"] == "walk" and permuted["plain"]["name"] == PLAIN
    assert permuted["ms"] == 0  # a permutation costs what it permutes
    table = report.table(rows)
    assert {len(line) for line in table} == {len(table[0])}
    json.dumps(rows)


def test_the_command_tells_each_way_and_what_is_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], questions: list[Question], reader: Reader
) -> None:
    file, index = tmp_path / "q.jsonl", publish_trees(tmp_path / "index", DOCS)
    rows = [{"id": q.id, "question": q.text, "doc": "x", "company": q.company, "gold_units": sorted(map(str, q.gold))} for q in questions]
    file.write_text("\n".join(map(json.dumps, rows)))
    command = ["evaluate", "--questions", str(file), "--ablate", "--only", "walk", "--out", str(tmp_path / "kept.jsonl"), "--index", index]
    assert main([*command, "--markdown"]) == 0
    told = capsys.readouterr()
    assert "1 of 3: plain hybrid: NDCG@10" in told.err and "; 2 left)" in told.err and "3 of 3: walk" in told.err
    assert told.out.count("\n| walk | all | 4 |") == 1
    assert main([*command, "--json"]) == 0
    again = capsys.readouterr()
    assert again.err.count("(kept;") == 3
    assert json.loads(again.out)["rows"][-1]["name"] == "walk"
