"""A table of what changed from one publication to another, for jobs that react to it."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq

from filingforest.publish import diff_table
from filingforest.publish.listing import Diff
from filingforest.query.publication import open_publication
from filingforest.store import open_store
from tests.support.corpus import Doc, Unit, publish

KEPT, GONE = Unit("Sales rose.", "7"), Unit("Backlog fell.", "7")
OLD = [Doc("Same", units=[KEPT]), Doc("Edited", units=[KEPT, GONE]), Doc("Removed", units=[KEPT])]
NEW = [
    Doc("Same", units=[KEPT]),
    Doc("Edited", units=[KEPT, Unit("Backlog doubled.", "7"), Unit("Debt is new.", "7")]),
    Doc("Added", units=[GONE]),
]


def test_documents_and_units_that_came_went_or_changed(tmp_path: Path) -> None:
    before = open_publication(open_store(publish(tmp_path / "a", [OLD])))
    after = open_publication(open_store(publish(tmp_path / "b", [NEW[:1], NEW[1:]])))
    ids = {d.company: d.doc_id for d in [*OLD, *NEW]}
    found = Diff(before.id, after.id, (ids["Added"],), (ids["Edited"],), (ids["Removed"],))
    rows = list(diff_table.rows_of(found, before, after))
    said = sorted((row["doc_id"], row["level"], row["change"]) for row in rows)
    assert [r for r in said if r[1] == "document"] == [
        (ids["Added"], "document", "added"),
        (ids["Edited"], "document", "changed"),
        (ids["Removed"], "document", "removed"),
    ]
    units = {(row["doc_id"], row["change"]) for row in rows if row["level"] == "unit"}
    assert {(ids["Added"], "added"), (ids["Removed"], "removed")} <= units
    edited = [row for row in rows if row["doc_id"] == ids["Edited"] and row["level"] == "unit"]
    assert {row["before_sha"] != row["after_sha"] for row in edited} == {True}
    texts = {u.text for u in NEW[1].units} - {KEPT.text}
    assert sum(row["after_sha"] is not None for row in edited) == len(texts)


def test_the_file_has_the_declared_columns(tmp_path: Path) -> None:
    index = publish(tmp_path / "a", [OLD])
    store = open_store(index)
    publication = open_publication(store)
    out = tmp_path / "changes.parquet"
    diff_table.write_rows([*diff_table.rows_of(Diff("a", "b", (), (), (OLD[0].doc_id,)), publication, publication)], out)
    table = pq.read_table(out)
    assert table.column_names == [name for name, _ in diff_table.COLUMNS]
    assert table["change"].to_pylist() == ["removed"]  # the same text in both: no unit changed
