"""What a question opens of many segments: all of those that hold what it asks for, next to nothing of the others."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

from filingforest import query
from filingforest.query.files import Files
from tests.support.corpus import Doc, Unit, publish

COMPANIES = ("Quince Inc.", "Skyward Co", "Third Gears", "Fourth Mills")
VOCABULARY = {"terms.hash.npy", "terms.start.npy"}  # how often a word stands in the whole publication
ABOUT = {"segment.json", "documents.parquet", "documents.units.npy"}


def filings(place: int, company: str) -> list[Doc]:
    units = [Unit(f"Backlog {n} of {company} grew; cash {n % 5}.") for n in range(30)]
    return [Doc(company, year, units, cik=f"{place:010d}") for year in (2020 + place, 2021 + place)]


Opened = dict[str, set[str]]


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[query.Reader, Opened]:
    """A company a segment; its segments' files by name, as they are asked for."""
    url = publish(tmp_path / "index", [filings(place, company) for place, company in enumerate(COMPANIES)], vectors=True)
    opened: Opened = defaultdict(set)
    for way in ("path", "part"):
        whole = getattr(Files, way)

        def noted(self, entry, whole=whole):
            folder, name = entry.path.split("/")[-2:]
            opened[folder].add(name)
            return whole(self, entry)

        monkeypatch.setattr(Files, way, noted)
    reader = query.open(url, cache=tmp_path / "cache")
    assert {segment: names for segment, names in opened.items() if segment.startswith("s")} == {f"s{n}": ABOUT for n in range(4)}
    opened.clear()
    return reader, opened


@pytest.mark.parametrize("filters", [{"company": "Skyward Co"}, {"year": 2020}, {"doc": "skywardco"}], ids=str)
def test_a_filter_on_company_year_or_document(reader: tuple[query.Reader, Opened], filters: dict) -> None:
    """Skyward has 2021 and 2022, and only Quince has 2020: of the three other segments their vocabularies are opened, nothing else."""
    asked, opened = reader
    assert asked.query("How did backlog 7 and cash change?", **filters).hits
    mine = "s0" if "year" in filters else "s1"
    assert {segment: names for segment, names in opened.items() if segment != mine} == {
        f"s{n}": VOCABULARY for n in range(4) if f"s{n}" != mine
    }
    assert {"postings.unit.npy", "units.parquet"} < opened[mine]


def test_a_company_that_the_question_names(reader: tuple[query.Reader, Opened]) -> None:
    """Whether its name is a common word is asked of the others' lists of rows."""
    asked, opened = reader
    assert asked.query("What did Skyward say of backlog 7?").hits
    assert {n: opened[n] for n in ("s0", "s2", "s3")} == dict.fromkeys(("s0", "s2", "s3"), VOCABULARY | {"postings.unit.npy"})


def test_a_filter_that_nothing_passes_opens_nothing(reader: tuple[query.Reader, Opened]) -> None:
    asked, opened = reader
    assert [note.code for note in asked.query("How did cash change?", year=1999).notes] == ["nothing_in_scope"]
    assert opened == {}
