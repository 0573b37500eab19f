"""No filing is lost between two steps without anybody noticing."""

from __future__ import annotations

from pathlib import Path

import pytest

from filingforest import failures
from filingforest.account import account
from filingforest.errors import EmptyDocument, PublicationError
from filingforest.store import Store, open_store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(str(tmp_path / "index"))


def refs(*names: str) -> list[dict[str, str]]:
    return [{"doc_id": name} for name in names]


def test_everything_came_through(store: Store) -> None:
    assert account(store, refs("a", "b"), refs("b", "a")) == {"expected": 2, "entered": 2, "set_aside": {}}


def test_nothing_was_listed(store: Store) -> None:
    assert account(store, [], []) == {"expected": 0, "entered": 0, "set_aside": {}}


def test_what_was_set_aside_is_named_with_its_reason(store: Store) -> None:
    failures.record(store, failures.failure_of(EmptyDocument("the file is empty", remedy="fetch it again"), "b", "parsed", "0" * 16))
    failures.record(store, failures.failure_of(EmptyDocument("another night's"), "z", "parsed", "0" * 16))
    found = account(store, refs("a", "b"), refs("a"))
    assert found == {"expected": 2, "entered": 1, "set_aside": {"b": "[document_empty] the file is empty -> fetch it again"}}


def test_what_was_lost_stops_the_night(store: Store) -> None:
    with pytest.raises(PublicationError, match=r"1 of 3 listed documents are unaccounted for: c"):
        account(store, refs("a", "b", "c"), refs("a", "b"))
