"""A segment merged from segments has the bytes of one built from stage outputs, however its documents were spread and masked."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from filingforest.errors import PublicationError
from filingforest.publish.segment import build_segment, merge_segments
from filingforest.publish.segment_source import Source, spans_of
from tests.support.corpus import Doc, Unit, table_unit
from tests.unit.publish.test_segment import contents

WORDS = ["net sales", "backlog", "cash fell", "liquidity", "1.2 million", "goodwill of the segment"]
TABLE = table_unit(
    "Statements of income", ["2023"], {"Net sales": ["12"], "Net income": ["3"]}, "income", concepts={"Net sales": "a:Sales"}
)
units = st.lists(
    st.one_of(
        st.builds(Unit, st.sampled_from(WORDS), st.sampled_from(["1", "7"]), kind=st.sampled_from(["text", "clause"])), st.just(TABLE)
    ),
    max_size=4,
)


@st.composite
def corpora(draw) -> list[Doc]:
    count = draw(st.integers(1, 7))
    return [
        Doc(
            draw(st.sampled_from(["Quince Inc.", "Skyward Co"])),
            draw(st.integers(2021, 2023)),
            draw(units),
            doc_id=f"d{number}",
            facts=[{"concept": "a:Sales", "value": "12"}] * draw(st.integers(0, 2)),
        )
        for number in range(count)
    ]


def built(out: Path, docs: Sequence[Doc], vectors: bool = True) -> dict[str, bytes]:
    build_segment([doc.input(vectors) for doc in docs], out)
    return contents(out)


@settings(max_examples=40, deadline=None)
@given(corpora(), st.data())
def test_merged_is_as_built(docs: list[Doc], data) -> None:
    """Each document lies in one of three segments; what is masked there is in none of the merged one's files."""
    homes = data.draw(st.lists(st.integers(0, 2), min_size=len(docs), max_size=len(docs)))
    gone = data.draw(st.sets(st.sampled_from([doc.doc_id for doc in docs])))
    vectors = data.draw(st.booleans())
    with tempfile.TemporaryDirectory() as name:
        out = Path(name)
        sources = []
        for home in sorted(set(homes)):
            mine = [doc for doc, at in zip(docs, homes, strict=True) if at == home]
            built(out / str(home), mine, vectors)
            sources.append(Source(out / str(home), {doc.doc_id for doc in mine} - gone))
        left = [doc for doc in docs if doc.doc_id not in gone]
        made = merge_segments(sources, out / "merged")
        assert contents(out / "merged") == (built(out / "whole", left, vectors) if left else contents(out / "merged"))
        assert set(made.doc_ids) == {doc.doc_id for doc in left}
        assert dict(zip(made.doc_ids, made.doc_units, strict=True)) == {doc.doc_id: len(doc.units) for doc in left}


def test_many_rows_cross_row_groups(tmp_path: Path) -> None:
    """Row groups of units hold 256 rows: 700 passages of one document among others, taken from the middle of a segment."""
    docs = [
        Doc("Quince Inc.", 2020 + n, [Unit(f"passage {n} {k}") for k in range(size)], doc_id=f"d{n}")
        for n, size in enumerate((300, 700, 90))
    ]
    built(tmp_path / "one", [docs[0], docs[1]])
    built(tmp_path / "two", [docs[2]])
    merge_segments([Source(tmp_path / "two"), Source(tmp_path / "one", {"d1"})], tmp_path / "merged")
    assert contents(tmp_path / "merged") == built(tmp_path / "whole", docs[1:])


def test_neighbours_from_one_segment_are_copied_as_one_span(tmp_path: Path) -> None:
    docs = [Doc("Quince Inc.", 2020 + n, [Unit("cash")], doc_id=f"d{n}") for n in range(5)]
    built(tmp_path / "one", [docs[0], docs[1], docs[4]])
    built(tmp_path / "two", [docs[2], docs[3]])
    spans = spans_of([Source(tmp_path / "one"), Source(tmp_path / "two", {"d3"})])
    assert [(span.source.folder.name, span.first, span.last) for span in spans] == [("one", 0, 2), ("two", 1, 2), ("one", 2, 3)]


def test_segments_with_and_without_vectors_do_not_mix(tmp_path: Path) -> None:
    built(tmp_path / "one", [Doc("Quince Inc.", 2020, [Unit("cash")], doc_id="a")])
    built(tmp_path / "two", [Doc("Quince Inc.", 2020, [Unit("cash")], doc_id="b")], vectors=False)
    with pytest.raises(PublicationError, match=r"b.*no vectors"):
        merge_segments([Source(tmp_path / "one"), Source(tmp_path / "two")], tmp_path / "merged")
