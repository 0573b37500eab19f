"""What is said while documents are fetched, beside what is done."""

from __future__ import annotations

from pathlib import Path

from filingforest.config import Settings
from filingforest.pipeline import Night
from filingforest.progress import Tally
from filingforest.request import Request
from filingforest.store import open_store
from tests.support.tiny_index import TinyEmbedder


class Notes(Tally):
    """Remembers what was noted."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []

    def note(self, text: str) -> None:
        self.said.append(text)


def crawled(index: Path, file: Path, text: str) -> list[str]:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    notes, request = Notes(), Request("folder", inputs=(str(file),)).to_dict()
    night = Night(open_store(str(index)), Settings(), notes, TinyEmbedder())
    night.crawl(request, night.discover(request))
    return notes.said


def test_a_file_of_the_same_name_elsewhere_takes_the_place_and_that_is_said(tmp_path: Path) -> None:
    first, second = tmp_path / "a" / "loan.txt", tmp_path / "b" / "loan.txt"
    assert crawled(tmp_path / "x", first, "The lender may enter the ferry.") == []
    assert crawled(tmp_path / "x", first, "The lender may not enter the ferry.") == []  # edited in its place
    said = crawled(tmp_path / "x", second, "Another loan.")
    assert len(said) == 1
    assert "b/loan.txt takes the place of" in said[0]
