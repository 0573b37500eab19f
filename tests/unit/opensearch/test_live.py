"""Ranges against a model: any history of loads, loads that never counted, and rollbacks leaves every publication with its own members."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from filingforest.opensearch.live import from_source, loaded, settled, shows, to_source

UNITS = "abcde"
members = st.frozensets(st.sampled_from(UNITS))
# what happens: a publication that counts, one whose load is cut off after some units or loses its race, a switch back
events = st.lists(
    st.one_of(
        st.tuples(st.just("publish"), members, st.just(frozenset(UNITS))),
        st.tuples(st.just("lost"), members, members),
        st.tuples(st.just("back"), st.just(frozenset()), st.just(frozenset())),
    ),
    max_size=12,
)


@settings(deadline=None, max_examples=300)
@given(events)
def test_every_publication_keeps_its_members_whatever_comes_after(history) -> None:
    live: dict[str, tuple] = {}
    published: dict[int, frozenset[str]] = {}
    base, entry = 0, 0
    for kind, wanted, reached in history:
        if kind == "back":
            entry += 1 if published else 0  # a switch of CURRENT that writes nothing to the index
            continue
        sequence = entry + 1
        for unit in UNITS:
            if unit in reached:
                live[unit] = loaded(live.get(unit, ()), base, sequence, unit in wanted)
        if kind == "publish":
            base = entry = sequence
            published[sequence] = wanted
        for number, had in published.items():
            assert {unit for unit in UNITS if shows(live.get(unit, ()), number)} == had


def test_an_unchanged_unit_costs_nothing_and_its_range_stays_open() -> None:
    first = loaded((), 0, 1, True)
    assert first == ((1, None),)
    assert loaded(first, 1, 2, True) is not None and loaded(first, 1, 2, True) == first


def test_a_unit_that_leaves_and_comes_back_has_two_ranges() -> None:
    gone = loaded(((1, None),), 1, 2, False)
    assert gone == ((1, 1),)
    assert loaded(gone, 2, 4, True) == ((1, 1), (4, None))


def test_traces_of_a_load_that_never_counted_are_wiped() -> None:
    # 3 was the last to count; 4 was cut off after it had closed one unit and begun another
    assert settled(((1, 3),), 3) == ((1, None),)
    assert settled(((4, None),), 3) == ()
    assert settled(((1, 1), (4, None)), 3) == ((1, 1),)


def test_ranges_as_they_are_stored() -> None:
    assert to_source(((1, 3), (7, None))) == [{"gte": 1, "lte": 3}, {"gte": 7}]
    assert from_source([{"gte": 1, "lte": 3}, {"gte": 7}]) == ((1, 3), (7, None))
    assert from_source({"gte": 2}) == ((2, None),)
    assert from_source(None) == ()
