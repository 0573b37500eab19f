"""A document that asks too much loses its worker; the others are parsed, in order, as if it had not been there."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from filingforest.config import ParseSettings
from filingforest.errors import ConfigError, DocumentError, EmptyDocument, StoreError, TooLarge
from filingforest.parse.model import DocumentHint
from filingforest.parse.workers import Job, ParsePool, bundle_of
from tests.support.parse_work import act

SETTINGS = replace(ParseSettings(), time_limit_s=1.0, memory_mb=400, workers=2)


def run(pool: ParsePool, *contents: str | Path) -> list[Any]:
    jobs = [Job(act, c if isinstance(c, Path) else c.encode(), DocumentHint(f"folder:{i}"), ("more",)) for i, c in enumerate(contents)]
    return list(pool.run(jobs))


def test_results_come_in_order_from_long_lived_workers() -> None:
    with ParsePool(SETTINGS) as pool:
        out = run(pool, *(f"text {i}" for i in range(12)))
    assert [x[0] for x in out] == [f"text {i}" for i in range(12)]
    assert 1 <= len({x[1] for x in out}) <= 2
    assert out[0][2] == "more"


BAD = {
    "sleep": (TooLarge, "took more than 10 s -> raise parse.time_limit_s"),
    "spin": (TooLarge, "took more than 1 s of CPU -> raise parse.time_limit_s"),
    "hog": (TooLarge, "parse.memory_mb"),
    "crash": (DocumentError, "signal 9"),
    "raise": (DocumentError, "ValueError: unforeseen"),
    "refuse": (EmptyDocument, "nothing in it"),
}


def test_bad_documents_are_named_and_lose_no_other() -> None:
    with ParsePool(SETTINGS) as pool:
        out = run(pool, *(x for bad in BAD for x in (f"before {bad}", bad)), "last")
    assert [x[0] for x in [*out[::2]]] == [*(f"before {bad}" for bad in BAD), "last"]
    for i, (error, words) in enumerate(BAD.values()):
        found = out[2 * i + 1]
        assert type(found) is error
        assert found.document == f"folder:{2 * i + 1}"
        assert found.stage == "parse"
        assert found.remedy
        assert words in str(found)


def test_what_a_library_prints_is_not_taken_for_an_answer() -> None:
    with ParsePool(SETTINGS, workers=1) as pool:
        assert [x[0] for x in run(pool, "print", "after")] == ["print", "after"]


def test_a_path_is_read_in_the_worker(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"from a file")
    with ParsePool(SETTINGS, workers=1) as pool:
        assert run(pool, path)[0][0] == "from a file"


def test_jobs_are_read_only_as_far_as_needed() -> None:
    read: list[int] = []

    def jobs() -> Any:
        for i in range(100):
            read.append(i)
            yield Job(act, b"x", DocumentHint(f"folder:{i}"))

    with ParsePool(SETTINGS, workers=1) as pool:
        next(pool.run(jobs()))
        assert len(read) <= 4


def test_closing_does_not_wait_for_a_busy_worker() -> None:
    pool = ParsePool(replace(SETTINGS, time_limit_s=60), workers=1)
    results = pool.run([Job(act, b"x", DocumentHint("folder:x")), *[Job(act, b"sleep", DocumentHint("folder:y"))] * 3])
    next(results)
    start = time.monotonic()
    pool.close()
    assert time.monotonic() - start < 10


def test_a_worker_that_cannot_start_is_no_documents_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "/bin/false")
    with ParsePool(SETTINGS) as pool, pytest.raises(ConfigError, match="before it began"):
        run(pool, "page")


def test_values_that_do_not_fit_the_tables_are_the_documents_own_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def misfit(*_: object) -> None:
        raise StoreError("nodes.page: no whole number", stage="schema", remedy="give values of type int32")

    monkeypatch.setattr("filingforest.parse.to_tables.parsed_tables", misfit)
    with pytest.raises(DocumentError, match=r"nodes\.page") as error:
        bundle_of(b"Looms weave.", DocumentHint("folder:loom", name="loom.txt"), ParseSettings())
    assert (error.value.document, error.value.stage) == ("folder:loom", "parse")
