"""Others rely on the tables: columns may be added, never changed, without a new major version; and their page says what is declared."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from infra import tables_doc
from tests.support.schema_snapshot import broken, now, released


def test_nothing_breaks_the_released_schema() -> None:
    assert broken(released(), now()) == []


def _changed(**how: Any) -> dict[str, Any]:
    schema = copy.deepcopy(SMALL)
    schema["tables"]["t"] = how.get("columns", schema["tables"]["t"])
    schema["major"], schema["minor"] = how.get("version", (1, 0))
    return schema


SMALL: dict[str, Any] = {"major": 1, "minor": 0, "tables": {"t": [["a", "string", True], ["b", "int32", False]]}}
A, B = SMALL["tables"]["t"]
CASES = [
    ("nothing", {}, True),
    ("a column more", {"columns": [A, B, ["c", "string", False]], "version": (1, 1)}, True),
    ("a column more, same version", {"columns": [A, B, ["c", "string", False]]}, False),
    ("a required column more", {"columns": [A, B, ["c", "string", True]], "version": (1, 1)}, False),
    ("another type", {"columns": [A, ["b", "int64", False]], "version": (1, 1)}, False),
    ("another name", {"columns": [A, ["c", "int32", False]], "version": (1, 1)}, False),
    ("another order", {"columns": [B, A], "version": (1, 1)}, False),
    ("a column less", {"columns": [A], "version": (1, 1)}, False),
    ("another type, new major", {"columns": [A, ["b", "int64", False]], "version": (2, 0)}, True),
]


@pytest.mark.parametrize(("what", "how", "allowed"), CASES, ids=[what for what, _, _ in CASES])
def test_what_may_change(what: str, how: dict[str, Any], allowed: bool) -> None:
    assert (broken(SMALL, _changed(**how)) == []) == allowed


def test_the_page_of_tables_says_what_is_declared() -> None:
    assert tables_doc.FILE.read_text(encoding="utf-8") == tables_doc.text(), "python infra/tables_doc.py"
