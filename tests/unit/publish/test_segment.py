"""A segment's bytes depend on its documents alone; masked documents leave no trace in answers."""

from __future__ import annotations

import json
import zipfile
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from filingforest import query
from filingforest.errors import PublicationError
from filingforest.publish.npy import NpyWriter
from filingforest.publish.segment import SegmentInput, build_segment
from filingforest.publish.stats import SegmentFolder, corpus_stats
from filingforest.query.statistics import Statistics
from filingforest.terms import label_key, label_keys, row_keys, term_hash, unit_terms
from tests.support.corpus import Doc, Unit, publish, table_unit

INCOME = table_unit("Statements of income", ["2023"], {"Net sales": ["12"], "Net income": ["3"]}, "income")
DOCS = [
    Doc("Skyward Aircraft Co", 2023, [Unit("Our backlog of orders grew."), Unit("Cash fell."), INCOME], cik="0000000002"),
    Doc("Quince Inc.", 2023, [Unit("Net sales of tablets grew; net sales.")], cik="0000000001"),
    Doc("Quince Inc.", 2022, [Unit("Net sales of tablets fell.")], cik="0000000001"),
]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_documents_lie_by_company_then_year(tmp_path: Path) -> None:
    made = build_segment([d.input() for d in DOCS], tmp_path)
    assert made.doc_ids == (DOCS[2].doc_id, DOCS[1].doc_id, DOCS[0].doc_id)
    assert (made.documents, made.units, made.ciks) == (3, 5, ("0000000001", "0000000002"))
    assert (made.min_year, made.max_year, made.min_filed, made.max_filed) == (2022, 2023, "2023-02-15", "2024-02-15")
    assert np.load(tmp_path / "documents.units.npy").tolist() == [0, 1, 2, 5]
    assert {f.name: f.rows for f in made.files}["units.parquet"] == 5
    assert sum(f.bytes for f in made.files) == sum(len(data) for data in contents(tmp_path).values())


def test_bytes_do_not_depend_on_the_order_of_documents(tmp_path: Path) -> None:
    build_segment([d.input() for d in DOCS], tmp_path / "one")
    build_segment([d.input() for d in reversed(DOCS)], tmp_path / "two")
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_texts_stand_apart_from_nodes_in_small_row_groups(tmp_path: Path) -> None:
    many = Doc("Quince Inc.", 2023, [Unit(f"passage {n}") for n in range(600)])
    build_segment([many.input()], tmp_path)
    assert pq.ParquetFile(tmp_path / "units.parquet").metadata.num_row_groups == 3
    assert "text" not in pq.read_schema(tmp_path / "nodes.parquet").names
    assert pq.read_table(tmp_path / "units.parquet")["text"].to_pylist() == [f"passage {n}" for n in range(600)]


def test_a_unit_without_a_vector_is_an_error_that_names_its_document(tmp_path: Path) -> None:
    other = DOCS[1].input()
    broken = SegmentInput(DOCS[0].doc_id, DOCS[0].doc_version, DOCS[0].parsed, None, other.embeddings)
    with pytest.raises(PublicationError, match=DOCS[0].doc_id):
        build_segment([broken], tmp_path)


def read(*segments: SegmentFolder) -> Statistics:
    """Statistics as a reader has them, with the vocabularies of the segments."""
    return Statistics.read(corpus_stats(segments), [partial(vocabulary, segment.path) for segment in segments])


def vocabulary(path: Path) -> tuple[np.ndarray, np.ndarray]:
    return np.load(path / "terms.hash.npy"), np.load(path / "terms.start.npy")


def known_terms(*segments: SegmentFolder) -> np.ndarray:
    return np.unique(np.concatenate([np.load(segment.path / "terms.hash.npy") for segment in segments]))


def test_statistics_count_live_units_only(tmp_path: Path) -> None:
    build_segment([d.input() for d in DOCS], tmp_path / "all")
    build_segment([d.input() for d in DOCS[:2]], tmp_path / "some")
    stats, same = read(SegmentFolder(tmp_path / "all", [DOCS[2].doc_id])), read(SegmentFolder(tmp_path / "some"))
    wanted = np.array([term_hash("net"), term_hash("backlog"), term_hash("nowhere")], "<u8")
    # "net" stands in the table and in one live passage; "backlog" in one; what is found nowhere counts as in one
    assert stats.frequency(wanted).tolist() == same.frequency(wanted).tolist() == [2, 1, 1]
    assert (stats.units, stats.average) == (same.units, same.average)
    assert stats.units == 4


def test_statistics_do_not_depend_on_how_documents_are_cut_into_segments(tmp_path: Path) -> None:
    for name, docs in {"all": DOCS, "a": DOCS[:1], "b": DOCS[1:]}.items():
        build_segment([d.input() for d in docs], tmp_path / name)
    whole, split = [SegmentFolder(tmp_path / "all")], [SegmentFolder(tmp_path / "a"), SegmentFolder(tmp_path / "b")]
    terms = known_terms(*whole)
    assert read(*split).frequency(terms).tolist() == read(*whole).frequency(terms).tolist()
    assert (read(*split).units, read(*split).average) == (read(*whole).units, read(*whole).average)


def test_statistics_of_before_segments_had_vocabularies_are_read(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "old.zip", "w") as archive:
        for name, array in {"totals": [4, 10], "hash": np.array([3, 9], "<u8"), "df": np.array([2, 5], "<u4")}.items():
            with archive.open(f"{name}.npy", "w") as member:
                np.save(member, np.asarray(array))
    stats = Statistics.read((tmp_path / "old.zip").read_bytes(), [lambda: (np.array([3], "<u8"), np.array([0, 7]))])
    assert stats.frequency(np.array([3, 4, 9], "<u8")).tolist() == [2, 1, 5]
    assert (stats.units, stats.average) == (4, 2.5)


QUESTIONS = ["What was Quince's net sales in 2023?", "net sales", "Skyward backlog", "cash", "What is the income statement?"]


@pytest.mark.parametrize("question", QUESTIONS)
def test_two_segments_with_a_masked_document_answer_as_one(tmp_path: Path, question: str) -> None:
    old = Doc("Skyward Aircraft Co", 2023, [Unit("An older text on backlog, cash and net sales.")], cik="0000000002", doc_id="old")
    whole = query.open(publish(tmp_path / "whole", [DOCS], vectors=True))
    split = query.open(publish(tmp_path / "split", [[DOCS[1], old], [DOCS[0], DOCS[2]]], dead=["old"], vectors=True))
    mine, theirs = ([(h.unit_key, h.score, h.why) for h in reader.query(question).hits] for reader in (whole, split))
    assert mine == theirs
    assert mine


def test_units_carry_their_line_items() -> None:
    terms = unit_terms(INCOME.text, INCOME.path, json.dumps(INCOME.table), "income")
    assert terms.body["=net sale"] == 1
    assert terms.head["income"] == 2  # from the table's title and from the statement's name
    assert terms.head["financial"] == 1


def test_label_keys_ignore_order_totals_and_brackets() -> None:
    assert (
        label_key("Property, plant and equipment, net")
        == label_key("Net property, plant and equipment (Note 4)")
        == "=equipment net plant property"
    )
    assert label_key("Total net sales") == "=net sale"
    assert label_key("(1)") is None
    assert "=net sale" in label_keys(["total", "net", "sales", "net", "sale", "2023"])


def test_a_row_under_a_group_has_both_keys() -> None:
    rows = [
        {"label": "Net sales:", "kind": "group"},
        {"label": "Products", "parent": "Net sales:", "text": ["1"], "concept": "us-gaap:Revenues"},
    ]
    assert list(row_keys(rows)) == ["=product", "=net product sale", "#revenues"]


@settings(max_examples=25, deadline=None)
@given(st.lists(st.lists(st.integers(0, 255), max_size=5), max_size=6))
def test_arrays_are_read_as_they_were_appended(tmp_path_factory: pytest.TempPathFactory, parts: list[list[int]]) -> None:
    path = tmp_path_factory.mktemp("npy") / "a.npy"
    with NpyWriter(path, "<u1") as writer:
        for part in parts:
            writer.append(part)
    assert np.load(path).tolist() == [value for part in parts for value in part]
