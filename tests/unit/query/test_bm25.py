"""BM25 by hand on three lines, and against a brute-force oracle on anything."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from filingforest.publish.npy import NpyWriter
from filingforest.publish.postings import PostingsWriter
from filingforest.query.arrays import open_array
from filingforest.query.bm25 import HEAD_WEIGHT, K1, B, Postings, best, score
from filingforest.query.selection import Selection
from filingforest.query.statistics import Statistics
from filingforest.terms import UnitTerms, term_hash

WORDS = ["net", "sale", "backlog", "order", "cash"]


def write(out: Path, units: Sequence[tuple[Sequence[str], Sequence[str]]], run_size: int = 1_000) -> Postings:
    """Postings of units given as (body words, head words)."""
    writer = PostingsWriter(out, run_size)
    with NpyWriter(out / "units.length.npy", "<u4") as lengths:
        for row, (body, head) in enumerate(units):
            writer.add(row, UnitTerms(Counter(body), Counter(head)))
            lengths.append([max(1, len(body))])
    writer.finish()
    names = ("terms.hash", "terms.start", "postings.unit", "postings.body", "postings.head", "units.length")
    return Postings(*(open_array(out / f"{name}.npy") for name in names))


def stats(units: Sequence[tuple[Sequence[str], Sequence[str]]]) -> Statistics:
    found = Counter(word for body, head in units for word in {*body, *head})
    words = sorted(found, key=term_hash)
    average = sum(max(1, len(body)) for body, _ in units) / max(1, len(units))
    return Statistics(len(units), average, np.array([term_hash(w) for w in words], "<u8"), np.array([found[w] for w in words], "<u4"))


def everything(count: int) -> Selection:
    return Selection(np.array([[0, count]]), count)


def test_a_score_worked_by_hand(tmp_path: Path) -> None:
    units = [(["net", "sale", "net"], []), (["backlog"], []), (["cash", "order"], [])]
    scores = score(write(tmp_path, units), {"net": 1.0}, stats(units), everything(3))
    # N 3, df 1: idf = ln(1 + 2.5/1.5) = 0.98083; length 3, average 2: norm = 0.25 + 0.75 * 1.5 = 1.375;
    # tf = 2 / 1.375 = 1.45455; 0.98083 * 1.45455 * 2.2 / (1.45455 + 1.2) = 1.18237
    assert scores[0] == pytest.approx(1.18237, abs=1e-4)
    assert list(scores[1:]) == [0, 0]


def test_a_head_counts_without_length(tmp_path: Path) -> None:
    units = [(["cash"] * 40, ["net"]), (["cash"], ["net"])]
    scores = score(write(tmp_path, units), {"net": 1.0}, stats(units), everything(2))
    assert scores[0] == scores[1] > 0


def oracle(units: Sequence[tuple[Sequence[str], Sequence[str]]], query: dict[str, float]) -> list[float]:
    average = sum(max(1, len(body)) for body, _ in units) / len(units)
    out = []
    for body, head in units:
        total = 0.0
        for term, weight in query.items():
            df = sum(term in b or term in h for b, h in units)
            idf = math.log(1 + (len(units) - df + 0.5) / (df + 0.5))
            tf = body.count(term) / (1 - B + B * max(1, len(body)) / average) + HEAD_WEIGHT * head.count(term)
            total += weight * idf * tf * (K1 + 1) / (tf + K1)
        out.append(total)
    return out


field = st.lists(st.sampled_from(WORDS), max_size=12)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(field, field), min_size=1, max_size=12), st.dictionaries(st.sampled_from(WORDS), st.floats(0.1, 2), min_size=1))
def test_scores_are_those_of_a_brute_force_reading(
    tmp_path_factory: pytest.TempPathFactory, units: list[tuple[list[str], list[str]]], query: dict[str, float]
) -> None:
    postings = write(tmp_path_factory.mktemp("postings"), units, run_size=5)  # several runs, several buckets
    assert score(postings, query, stats(units), everything(len(units))) == pytest.approx(oracle(units, query), rel=1e-4, abs=1e-5)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(field, field), min_size=1, max_size=12), st.data())
def test_a_filter_changes_which_units_score_not_how(
    tmp_path_factory: pytest.TempPathFactory, units: list[tuple[list[str], list[str]]], data: st.DataObject
) -> None:
    postings = write(tmp_path_factory.mktemp("postings"), units)
    wanted = np.array(data.draw(st.lists(st.booleans(), min_size=len(units), max_size=len(units))))
    query = dict.fromkeys(WORDS, 1.0)
    whole = score(postings, query, stats(units), everything(len(units)))
    starts = np.arange(len(units) + 1)
    by_range = score(postings, query, stats(units), Selection.of_documents(wanted, starts))
    by_mask = score(postings, query, stats(units), Selection(np.array([[0, len(units)]]), len(units), wanted))
    assert by_range == pytest.approx(np.where(wanted, whole, 0))
    assert by_mask == pytest.approx(np.where(wanted, whole, 0))


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0]), max_size=30), st.integers(1, 10))
def test_best_is_a_stable_sort_of_positive_scores(values: list[float], limit: int) -> None:
    expected = sorted((i for i, v in enumerate(values) if v > 0), key=lambda i: (-values[i], i))[:limit]
    assert list(best(np.array(values, np.float32), limit, everything(len(values)))) == expected


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 6), st.lists(st.lists(st.sampled_from(WORDS), max_size=6), max_size=10))
def test_files_do_not_depend_on_the_size_of_runs(tmp_path_factory: pytest.TempPathFactory, run: int, units: list[list[str]]) -> None:
    one, many = tmp_path_factory.mktemp("one"), tmp_path_factory.mktemp("many")
    write(one, [(u, []) for u in units])
    write(many, [(u, []) for u in units], run_size=run)
    assert {p.name: p.read_bytes() for p in one.iterdir()} == {p.name: p.read_bytes() for p in many.iterdir()}


def test_what_no_live_unit_holds_is_told() -> None:
    hashes = np.array(sorted(map(term_hash, ("net", "sale"))), "<u8")
    first = list(hashes).index(term_hash("net"))
    masked = np.array([-1 if place == first else 0 for place in range(2)], "<i8")
    found = Statistics(3, 1.0, hashes, masked, [lambda: (hashes, np.array([0, 1, 2], "<i8"))])  # one unit each; that with "net" is masked
    asked = np.array([term_hash(term) for term in ("net", "sale", "cash")], dtype=np.uint64)
    assert found.holds(asked).tolist() == [False, True, False]
    assert found.frequency(asked).tolist() == [1.0, 1.0, 1.0]
