"""Every check finds what it is for, says which rows, and is silent otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from filingforest.errors import ChecksFailed, Corrupt
from filingforest.publish import checks, receipts
from filingforest.publish.ledger import Placed
from filingforest.publish.plan import live_documents
from filingforest.publish.segments import Segment, ensure_segment
from filingforest.publish.summary import Summary
from filingforest.store_folder import FolderStore
from tests.support.tiny_index import TinyIndex


@pytest.fixture
def built(tmp_path) -> tuple[Segment, dict]:
    """A segment of six filings with items, in a folder that a test may damage, and its receipts."""
    index = TinyIndex(FolderStore(tmp_path / "filings"))
    index.add("2024-02-01", *"abcdef")
    found = receipts.load_many(index.store, receipts.names(index.store))
    return ensure_segment(index.store, live_documents(found, []), index.embedder.info.as_dict(), tmp_path / "scratch"), found


def found_by(segment: Segment, found: dict, *, share: float = 0.2, before: Sequence[Placed] = ()) -> dict[str, tuple[int, tuple[str, ...]]]:
    findings = checks.run_checks(checks.Asked([segment], before, found, share))
    return {finding.name: (finding.rows, finding.examples) for finding in findings if not finding.ok}


def summed(segment: Segment, doc_ids: str, **changed) -> Segment:
    """The segment with other sums of some documents."""
    placed = [replace(p, summary=replace(p.summary, **changed)) if p.entry.doc_id in doc_ids else p for p in segment.placed]
    return replace(segment, placed=tuple(placed))


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


def test_a_document_in_two_segments(built):
    segment, found = built
    twin = replace(segment, folder=None, entry=replace(segment.entry, dead=tuple("bcdef")))
    asked = checks.Asked([segment, twin], [], found)
    assert {f.name: f.examples for f in checks.run_checks(asked) if not f.ok} == {"unique_documents": ("a 2",)}


def test_a_node_with_the_id_of_another_document(built):
    change(built[0], "nodes", lambda rows: [{**row, "node_id": "b#7"} if row["node_id"] == "a#1.2" else row for row in rows])
    assert found_by(*built) == {"ids_of_their_document": (1, ("b#7 a",))}


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
    segment = summed(built[0], "a", items=0)
    assert found_by(segment, built[1]) == {"filings_without_items": (1, ("a 10-K",))}
    assert found_by(segment, built[1], share=0.1).keys() == {"filings_without_items", "most_filings_have_items"}


def test_items_are_counted_in_the_segment(built):
    assert {p.summary.items for p in built[0].placed} == {1}
    assert {(p.summary.units, p.summary.nodes, p.summary.chunks, p.summary.form_base) for p in built[0].placed} == {(2, 4, 1, "10-K")}


def test_fewer_documents_than_before(built):
    segment, found = built
    gone = replace(segment.placed[0], entry=replace(segment.placed[0].entry, doc_id="g"))
    assert found_by(segment, found, before=[*segment.placed, gone]) == {"counts_by_form_and_year": (1, ("10-K 2023 7 6",))}
    assert found_by(segment, found, before=segment.placed[:5]) == {}


def test_a_form_and_year_that_is_gone(built):
    """Of 2019 nothing is left; 2023 has one document less, which only warns. All or nothing: whoever means it says so by the limit."""
    segment, found = built
    [g, h] = [replace(segment.placed[n], entry=replace(segment.placed[n].entry, doc_id=doc_id)) for n, doc_id in enumerate("gh")]
    before = [*segment.placed, g, replace(h, summary=replace(h.summary, fiscal_year=2019))]
    assert found_by(segment, found, before=before)["forms_lost"] == (1, ("10-K 2019 1 0",))
    findings = checks.run_checks(checks.Asked([segment], before, found, max_lost_share=1.0))
    assert [f.name for f in findings if not f.ok] == ["counts_by_form_and_year"]


def test_documents_that_another_parser_puts_elsewhere(built):
    """One of 2022 that is of 2023 now is a correction. Five are too many, but for those of which no year was known."""
    segment, found = built
    for doc_ids, year, lost in (("a", 2022, False), ("abcd", 2022, False), ("abcde", 2022, True), ("abcdef", None, False)):
        now = found_by(segment, found, before=summed(segment, doc_ids, fiscal_year=year).placed)
        assert ("forms_lost" in now) == lost
        assert now.get("forms_lost", (1, ("10-K 2022 5 5",))) == (1, ("10-K 2022 5 5",))


def test_a_takedown_is_stopped_by_what_was_written_alone(built):
    """Levels of one publication: as a night it would be refused for two reasons, as a takedown for the one that is the publisher's own fault."""
    segment, found = built
    change(segment, "documents", lambda rows: rows[1:])
    for is_takedown, refused in ((False, {"orphan_nodes", "planned_documents"}), (True, {"planned_documents"})):
        findings = checks.run_checks(checks.Asked([segment], [], found, is_takedown=is_takedown))
        assert {f.name for f in findings if not f.ok and f.level == "fail"} == refused


def test_documents_of_which_no_summary_was_kept_are_not_compared(built):
    """Segments made before there were summaries: nothing is known of their form and year."""
    segment, found = built
    assert found_by(segment, found, before=[replace(p, summary=Summary()) for p in segment.placed]) == {}


def test_documents_that_lost_most_of_their_units(built):
    """Six documents of two units; before, five of them had five, then four: 2 / 5 is more than half lost, 2 / 4 is not."""
    segment, found = built
    assert found_by(segment, found, before=summed(segment, "abcde", units=5).placed[:5]) == {"units_lost": (1, ("10-K 2023 25 10",))}
    assert found_by(segment, found, before=summed(segment, "abcde", units=4).placed[:5]) == {}
    assert found_by(segment, found, before=summed(segment, "abcd", units=9).placed[:4]) == {}


def test_columns_that_are_empty(built):
    change(built[0], "documents", lambda rows: [{**row, "company": None, "fiscal_year": 2023 if n else None} for n, row in enumerate(rows)])
    assert found_by(*built) == {"null_rates": (1, ("documents.company 1.0",))}


def test_units_without_text(built):
    change(built[0], "units", lambda rows: [{**rows[0], "text": " "}, *rows[1:]])
    assert found_by(*built) == {"units_without_text": (1, ("a#1.1",))}


def fact(value: float, decimals: str, **more) -> dict:
    base = {"fact_id": "f", "doc_id": "a", "concept": "us-gaap:Revenues", "unit": "USD", "period_end": "2023-12-31"}
    return {**base, "value_double": value, "decimals": decimals, **more}


def test_facts_that_disagree(built):
    """1.24 million to the nearest hundred thousand beside 1,200,000 agrees; beside 1,400,000 it does not."""
    change(built[0], "facts", lambda rows: [fact(1.24e6, "-5"), fact(1.2e6, "-5"), fact(9.0, "0", unit="shares")])
    assert found_by(*built) == {}
    change(built[0], "facts", lambda rows: [fact(1.24e6, "-5"), fact(1.4e6, "-5"), fact(9.0, "INF", dimensions="{}")])
    assert found_by(*built) == {"facts_agree": (1, ("a us-gaap:Revenues 2023-12-31 1240000.0 1400000.0",))}


def test_an_empty_publication():
    assert {f.name for f in checks.run_checks(checks.Asked([], [], {})) if not f.ok} == {"some_documents"}


def test_facts_elsewhere(built):
    change(built[0], "fact_mentions", lambda rows: [{"fact_id": "f", "node_id": "nowhere", "doc_id": "a"}])
    assert found_by(*built) == {"facts_at_home": (1, ("f nowhere",))}


def test_documents_without_units(built):
    assert found_by(summed(built[0], "c", units=0), built[1]) == {"documents_without_units": (1, ("c",))}


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
        checks.run_checks(checks.Asked([built[0]], [], built[1]))
