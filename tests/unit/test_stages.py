"""A stage that is done is skipped, one that failed for good is not tried again, and neither stops the others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from filingforest import failures
from filingforest.errors import ConfigError, Corrupt, EmptyDocument, PermissionDenied, SourceForbidden, SourceUnavailable
from filingforest.progress import Tally
from filingforest.runner import Entry, Runner, one_by_one, stops_the_night
from filingforest.stages import Stage, fingerprint, stage_key
from filingforest.store import Store, open_store

STAGE = Stage("parsed", "1", {"a": 1}, {"max_bytes": 10})


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(str(tmp_path))


def entry(doc_id: str) -> Entry:
    return Entry(doc_id=doc_id, doc_version="v" * 16, known_from="2024-01-31", ref={"url": doc_id}, stages={}, fingerprints={})


class Work:
    """Makes `made:DOC` for each document, or raises what it is told; remembers whom it was asked for."""

    def __init__(self, **errors: Exception) -> None:
        self.errors, self.asked = errors, list[str]()

    def __call__(self, entry: Entry) -> bytes:
        self.asked.append(entry["doc_id"])
        if entry["doc_id"] in self.errors:
            raise self.errors[entry["doc_id"]]
        return f"made:{entry['doc_id']}".encode()


def run(store: Store, work: Work, docs: Sequence[str] = ("a", "b", "c"), stage: Stage = STAGE) -> tuple[list[str], Tally, Runner]:
    tally = Tally()
    runner = Runner(store, tally, {"source": "folder"})
    done = runner.run(stage, (), [entry(d) for d in docs], one_by_one(work))
    return [e["doc_id"] for e in done], tally, runner


def test_fingerprint_depends_on_everything_that_shapes_the_output_and_on_nothing_else() -> None:
    base = fingerprint("parsed", "1", {"a": 1, "b": 2}, ["x"])
    assert base == fingerprint("parsed", 1, {"b": 2, "a": 1}, ["x"])
    others = [
        ("chunks", "1", {"a": 1, "b": 2}, ["x"]),
        ("parsed", "2", {"a": 1, "b": 2}, ["x"]),
        ("parsed", "1", {"a": 1}, ["x"]),
        ("parsed", "1", {"a": 1, "b": 2}, ["y"]),
    ]
    assert len({base, *(fingerprint(*o) for o in others)}) == 5
    assert len(base) == 16
    assert set(base) <= set("0123456789abcdef")


def test_bounds_change_the_attempt_but_not_the_output() -> None:
    wider = Stage("parsed", "1", {"a": 1}, {"max_bytes": 20})
    assert wider.fingerprint("x") == STAGE.fingerprint("x")
    assert wider.attempt("v", "o") != STAGE.attempt("v", "o")


def test_done_is_skipped(store: Store) -> None:
    assert run(store, Work())[0] == ["a", "b", "c"]
    again = Work()
    done, tally, _ = run(store, again)
    assert (done, again.asked, dict(tally.counts["parsed"])) == (["a", "b", "c"], [], {"known": 3})
    assert store.get(stage_key("parsed", "b", "v" * 16, STAGE.fingerprint())) == b"made:b"


def test_final_failure_is_set_aside_once_until_retry(store: Store) -> None:
    error = EmptyDocument("nothing in it", document="b", stage="parsed", remedy="fetch it again")
    done, tally, _ = run(store, Work(b=error))
    assert (done, dict(tally.counts["parsed"])) == (["a", "c"], {"new": 2, "set aside": 1})
    [failure] = failures.each(store)
    assert (failure.doc_id, failure.code, failure.remedy, failure.attempts, failure.ref) == (
        "b",
        "document_empty",
        "fetch it again",
        1,
        {"url": "b"},
    )

    later = Work()
    assert run(store, later)[0] == ["a", "c"]
    assert later.asked == []

    failures.retry(store, [failure])
    assert list(failures.each(store)) == []
    assert run(store, later)[0] == ["a", "b", "c"]
    assert later.asked == ["b"]


def test_transient_failure_is_tried_every_time_and_forgotten_on_success(store: Store) -> None:
    late = SourceUnavailable("busy")
    _, _, runner = run(store, Work(b=late))
    assert runner.late == [late]
    run(store, Work(b=late))
    assert [f.attempts for f in failures.each(store)] == [2]
    assert run(store, Work())[0] == ["a", "b", "c"]
    assert list(failures.each(store)) == []


def test_another_version_or_wider_bounds_try_again(store: Store) -> None:
    run(store, Work(b=EmptyDocument("x")))
    for stage in (Stage("parsed", "2", {"a": 1}, {"max_bytes": 10}), Stage("parsed", "1", {"a": 1}, {"max_bytes": 20})):
        work = Work(b=EmptyDocument("x"))
        run(store, work, stage=stage)
        assert "b" in work.asked
        assert len(list(failures.each(store))) == 1


def test_ignored_is_neither_listed_nor_tried(store: Store) -> None:
    run(store, Work(b=SourceUnavailable("busy")))
    failures.ignore(store, list(failures.each(store)))
    assert list(failures.each(store)) == []
    assert [f.ignored for f in failures.each(store, ignored=True)] == [True]
    work = Work()
    assert run(store, work)[0] == ["a", "c"]
    assert work.asked == []
    failures.retry(store, list(failures.each(store, ignored=True)))
    assert run(store, work)[0] == ["a", "b", "c"]


def test_a_fault_of_ours_is_recorded_as_internal(store: Store) -> None:
    run(store, Work(a=KeyError("x")))
    [failure] = failures.each(store)
    assert (failure.code, failure.message, failure.transient) == ("internal", "KeyError: 'x'", False)


def test_same_final_failure_writes_nothing(store: Store) -> None:
    one = failures.record(store, failures.failure_of(EmptyDocument("x"), "a", "crawl", "f"))
    two = failures.record(store, failures.failure_of(EmptyDocument("x"), "a", "crawl", "f"))
    assert one == two


def test_what_stops_the_night_is_raised(store: Store) -> None:
    assert not stops_the_night(Corrupt("x"))
    for error in (PermissionDenied("x"), ConfigError("x"), SourceForbidden("x")):
        with pytest.raises(type(error)):
            run(store, Work(a=error))
    assert list(failures.each(store)) == []
