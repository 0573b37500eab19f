"""Every check finds what it is for, says which rows, and is silent otherwise."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from filingforest.errors import ChecksFailed, Corrupt
from filingforest.publish import checks, receipts
from filingforest.publish.plan import live_documents
from filingforest.publish.segments import Segment, ensure_segment
from filingforest.store_folder import FolderStore
from tests.support.tiny_index import TinyIndex


@pytest.fixture
def built(tmp_path) -> tuple[Segment, dict]:
    """A segment of six filings with items, in a folder that a test may damage, and its receipts."""
    index = TinyIndex(FolderStore(tmp_path / "filings"))
    index.add("2024-02-01", *"abcdef")
    found = receipts.load_many(index.store, receipts.names(index.store))
    return ensure_segment(index.store, live_documents(found, []), index.embedder.info.as_dict(), tmp_path / "scratch"), found


def found_by(segment: Segment, found: dict, *, share: float = 0.2) -> dict[str, tuple[int, tuple[str, ...]]]:
    findings = checks.run_checks([segment], found, share)
    return {finding.name: (finding.rows, finding.examples) for finding in findings if not finding.ok}


def change(segment: Segment, table: str, edit) -> None:
    """Rewrite one table of the segment: `edit` takes and gives rows."""
    path = segment.folder / f"{table}.parquet"
    before = pq.read_table(path)
    pq.write_table(before.schema.empty_table() if not (rows := edit(before.to_pylist())) else before.from_pylist(rows, before.schema), path)


def test_every_check_has_a_name_of_its_file_a_level_and_words():
    loaded = checks.load_checks()
    assert [check.name for check in loaded] == [path.stem for path in sorted(checks.FOLDER.glob("*.sql"))]
    assert {check.level for check in loaded} == {"fail", "warn"}
    assert all(check.what for check in loaded)


def test_a_sound_segment_passes(built):
    assert found_by(*built) == {}


def test_duplicates(built):
    change(built[0], "nodes", lambda rows: [*rows, rows[1]])
    change(built[0], "units", lambda rows: [{**rows[0], "unit_key": rows[1]["unit_key"]}, *rows[1:]])
    assert found_by(*built).keys() == {"unique_nodes", "unique_units"}


def test_a_document_too_many_and_one_too_few(built):
    change(built[0], "documents", lambda rows: [*rows[1:], rows[1]])
    found = found_by(*built)
    assert found["unique_documents"] == (1, ("b 2",))
    assert found["planned_documents"][0] == 1
    assert found["orphan_nodes"][0] == 4  # the nodes of the document that went


def test_orphans(built):
    change(built[0], "nodes", lambda rows: [row for row in rows if row["node_id"] != "a#1"])
    assert found_by(*built)["orphan_nodes"] == (2, ("a#1.1 a#1", "a#1.2 a#1"))


def test_norms_and_numbers_of_vectors(built):
    path = built[0].folder / "vectors.f16.npy"
    vectors = np.load(path)
    vectors[3] *= 2
    np.save(path, vectors[:-1])
    found = found_by(*built)
    assert found["embedding_norms"][0] == 1
    assert found["embedding_norms"][1][0].startswith("3 ")
    assert found["a_vector_a_unit"] == (1, ("12 11",))


def test_filings_without_items(built):
    change(built[0], "nodes", lambda rows: [{**row, "kind": "section"} if row["node_id"] == "a#1" else row for row in rows])
    assert found_by(*built) == {"filings_without_items": (1, ("a 10-K",))}
    assert found_by(*built, share=0.1).keys() == {"filings_without_items", "most_filings_have_items"}


def test_an_empty_publication():
    assert {f.name for f in checks.run_checks([], {}, 0.2) if not f.ok} == {"some_documents"}


def test_facts_elsewhere(built):
    change(built[0], "fact_mentions", lambda rows: [{"fact_id": "f", "node_id": "nowhere", "doc_id": "a"}])
    assert found_by(*built) == {"facts_at_home": (1, ("f nowhere",))}


def test_documents_without_units(built):
    change(built[0], "units", lambda rows: [row for row in rows if row["doc_id"] != "c"])
    assert found_by(*built)["documents_without_units"] == (1, ("c",))


def test_missing_documents_of_an_interval(built):
    segment, found = built
    [receipt] = found.values()
    assert found_by(segment, {"r": replace(receipt, expected=7)}) == {}
    assert found_by(segment, {"r": replace(receipt, expected=8)})["expected_documents"][0] == 1
    fuller = {"r": replace(receipt, documents=()), "s": receipt}
    assert found_by(segment, fuller) == {}


def test_only_failures_refuse():
    warning = checks.Finding("w", "warn", False, 1, "odd", ("a",))
    checks.refuse_failures([warning])
    with pytest.raises(ChecksFailed, match=r"f: 2 rows, wrong \(b, c\)") as caught:
        checks.refuse_failures([warning, checks.Finding("f", "fail", False, 2, "wrong", ("b", "c"))])
    assert [f["name"] for f in caught.value.report] == ["w", "f"]


@pytest.mark.parametrize("name", ["nodes.parquet", "vectors.f16.npy"])
def test_a_damaged_file_is_typed(built, name):
    path: Path = built[0].folder / name
    path.write_bytes(b"PAR1 and nothing else that makes sense")
    with pytest.raises(Corrupt, match=built[0].entry.id):
        checks.run_checks([built[0]], built[1], 0.2)
