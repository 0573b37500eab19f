"""Answers from published folders: places, citations, facts, several companies, several publications, errors, imports."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from filingforest import query
from filingforest.errors import Corrupt, NoPublication, NotFound, PublicationGone, QueryError
from tests.support.corpus import Doc, Unit, publish, table_unit

PARTS = table_unit("Net sales by region", ["2023", "2022"], {"North": ["167", "162"], "Total net sales": ["391", "383"]})
INCOME = table_unit(
    "Consolidated statements of operations",
    ["2023", "2022"],
    {"Tablets": ["294", "298"], "Total net sales": ["391", "383"], "Cost of sales": ["210", "214"], "Net income": ["93", "96"]},
    "income",
    concepts={"Total net sales": "us-gaap:Revenues"},
)
BALANCE = table_unit("Balance sheets", ["2023", "2022"], {"Inventories": ["7", "6"], "Total assets": ["364", "352"]}, "balance_sheet")
PROSE = [Unit(f"Total net sales of tablets in region {n} grew with demand for net sales.") for n in range(12)]
TAGGED = [
    {
        "concept": "us-gaap:Revenues",
        "label": "Net sales",
        "value": str(v),
        "unit": "USD",
        "period_start": f"{y}-01-01",
        "period_end": f"{y}-12-31",
    }
    for y, v in ((2023, 391), (2022, 383))
]
QUINCE = Doc("Quince Inc.", 2023, [*PROSE, PARTS, INCOME, BALANCE], ticker="QNCE", facts=TAGGED)
SKYWARD = Doc("Skyward Aircraft Co", 2023, [Unit("Our backlog of orders grew to 40."), Unit("Net sales fell.")], ticker="SKY")
RIVAL = Doc("Marlow Works Inc", 2023, [Unit("The backlog of our backlog is a backlog.")] * 3)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> str:
    return publish(tmp_path_factory.mktemp("index"), [[QUINCE], [SKYWARD, RIVAL]], vectors=True)


@pytest.fixture(scope="module")
def reader(index: str) -> query.Reader:
    return query.open(index)


def test_a_question_for_a_figure_finds_the_statement_first_and_its_tagged_value(reader: query.Reader) -> None:
    answer = reader.query("What were Quince's total net sales in fiscal 2023?", k=3)
    assert answer.hits[0].statement == "income"
    assert [(f["measure"], f["value"], f["period_end"]) for f in answer.facts] == [("revenue", "391", "2023-12-31")]


def test_a_ratio_finds_both_statements(reader: query.Reader) -> None:
    hits = reader.query("What is Quince's inventory turnover ratio for FY2023?", k=2).hits
    assert {hit.statement for hit in hits} == {"income", "balance_sheet"}


def test_a_company_s_question_gets_that_company_s_passages_only(reader: query.Reader) -> None:
    answer = reader.query("What did Skyward say about its backlog?")
    assert {hit.company for hit in answer.hits} == {"Skyward Aircraft Co"}
    assert answer.hits[0].text.startswith("Our backlog")


def test_an_unknown_company_is_a_note(reader: query.Reader) -> None:
    answer = reader.query("What did Zephyron say about its backlog?")
    assert answer.hits == []
    assert [note.code for note in answer.notes] == ["unknown_company"]


def test_a_brand_that_one_company_s_texts_are_full_of_means_that_company(tmp_path: Path) -> None:
    brand = Doc("Quince Inc.", 2023, [Unit(f"Glimmer sales grew in region {n}.") for n in range(25)])
    other = Doc("Marlow Works Inc", 2023, [Unit("We advertise on Glimmer and Zephyron."), *[Unit(f"Other text {n}.") for n in range(30)]])
    reader = query.open(publish(tmp_path, [[brand, other]]))
    answer = reader.query("What did Glimmer report as sales?")
    assert {hit.company for hit in answer.hits} == {"Quince Inc."}
    assert [note.code for note in answer.notes] == ["name_from_texts"]
    assert [note.code for note in reader.query("What did Zephyron report as sales?").notes] == ["unknown_company"]


def test_two_companies_take_turns(reader: query.Reader) -> None:
    hits = reader.query("Compare the backlog of Skyward and Marlow Works", k=4).hits
    assert [hit.company for hit in hits[:2]] in (
        ["Skyward Aircraft Co", "Marlow Works Inc"],
        ["Marlow Works Inc", "Skyward Aircraft Co"],
    )


def test_the_json_has_the_keys_that_others_rely_on(reader: query.Reader) -> None:
    answer = json.loads(json.dumps(reader.query("net sales", k=1, id="q1").to_dict()))
    assert list(answer) == ["id", "question", "publication", "intent", "route", "scope", "hits", "facts", "notes", "milliseconds"]
    assert set(answer["scope"]) == {"recognised", "filters", "confidence"}
    needed = "rank score doc_id node_id unit_key kind item heading_path page text company fiscal_year form source_url why"
    assert set(needed.split()) <= set(answer["hits"][0])


def test_filters_limit_units_too(reader: query.Reader) -> None:
    assert {hit.kind for hit in reader.query("net sales", kind="table").hits} == {"table"}
    assert {hit.item for hit in reader.query("net sales", item="8").hits} == {"8"}
    assert reader.query("net sales", form="10-Q").hits == []
    assert {hit.doc_id for hit in reader.query("net sales", doc="skyward").hits} == {SKYWARD.doc_id}
    with pytest.raises(QueryError, match="sector"):
        reader.query("net sales", sector="x")
    with pytest.raises(QueryError, match="since"):
        reader.query("net sales", since="yesterday")


def test_a_citation_shows_the_passage_in_its_place(reader: query.Reader) -> None:
    hit = reader.query("Skyward backlog").hits[0]
    for name in (hit.citation, hit.node_id, hit.unit_key, f"{hit.doc_id}#{hit.label_path}"):
        passage = reader.show(name)
        assert passage["text"] == hit.text
        assert [unit["text"] for unit in passage["after"]] == ["Net sales fell."]
        assert hit.text in str(passage)
    changed = hit.citation[:-12] + "0" * 12
    assert reader.show(changed)["notes"]
    with pytest.raises(NotFound):
        reader.show("nowhere#1")


def test_several_publications_answer_together(index: str, tmp_path: Path) -> None:
    other = publish(tmp_path, [[Doc("Zephyron Ltd", 2023, [Unit("Zephyron's backlog shrank.")])]])
    answer = query.open(index, other).query("What did Zephyron say about its backlog?")
    assert [hit.company for hit in answer.hits] == ["Zephyron Ltd"]
    assert answer.notes == []


def test_a_reader_stays_with_its_publication_until_it_refreshes(tmp_path: Path) -> None:
    url = publish(tmp_path, [[SKYWARD]])
    reader = query.open(url)
    (tmp_path / "segments" / "s0").rename(tmp_path / "segments" / "old")
    publish(tmp_path, [[RIVAL]])
    (tmp_path / "segments" / "s0").rename(tmp_path / "segments" / "new")
    (tmp_path / "segments" / "old").rename(tmp_path / "segments" / "s0")
    assert reader.query("backlog").hits[0].company == "Skyward Aircraft Co"
    (tmp_path / "segments" / "s0").rename(tmp_path / "segments" / "old")
    (tmp_path / "segments" / "new").rename(tmp_path / "segments" / "s0")
    assert reader.refresh()
    assert reader.query("backlog").hits[0].company == "Marlow Works Inc"
    assert not reader.refresh()


def test_errors_name_what_is_wrong(index: str, tmp_path: Path) -> None:
    with pytest.raises(NoPublication):
        query.open(tmp_path)
    with pytest.raises(NoPublication):
        query.open(index, at="000009-ffffffffffff")
    pruned = Path(publish(tmp_path / "pruned", [[SKYWARD]]))
    name = (pruned / "CURRENT").read_text().splitlines()[0]
    (pruned / "publications" / name / "manifest.json").unlink()
    (pruned / "pruned").mkdir()
    (pruned / "pruned" / f"{name}.json").touch()
    with pytest.raises(PublicationGone):
        query.open(pruned)
    with pytest.raises(QueryError):
        query.open(index).query("   ")
    url = Path(publish(tmp_path / "cut", [[SKYWARD]]))
    lengths = url / "segments" / "s0" / "units.length.npy"
    lengths.write_bytes(lengths.read_bytes()[:-1])
    with pytest.raises(Corrupt, match=r"units\.length"):
        query.open(url).query("backlog")


def test_threads_share_a_reader(reader: query.Reader) -> None:
    expected = [hit.citation for hit in reader.query("net sales of tablets").hits]
    found: list[list[str]] = []
    threads = [
        threading.Thread(target=lambda: found.append([hit.citation for hit in reader.query("net sales of tablets").hits])) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 8


def test_nothing_heavy_is_imported(index: str) -> None:
    script = (
        "import sys, json, filingforest.query as q\n"
        "light = sorted({m.split('.')[0] for m in sys.modules})\n"
        f"q.open({index!r}).query('net sales')\n"
        "print(json.dumps([light, sorted({m.split('.')[0] for m in sys.modules})]))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env={"PYTHONPATH": "pipelines"})
    at_import, after = json.loads(done.stdout)
    standard = set(sys.stdlib_module_names) | {"__main__", "_distutils_hack", "sitecustomize"}
    ours = [m for m in at_import if m not in standard and not m.startswith(("__editable__", "_virtualenv"))]
    assert ours == ["filingforest", "numpy"]
    heavy = {"airflow", "torch", "transformers", "scipy", "sklearn", "pandas", "boto3", "lxml", "duckdb"}
    assert not heavy & set(after)
