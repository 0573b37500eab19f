"""What a folder offers becomes documents with ids that hold on any machine."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from filingforest.errors import DocumentError, EmptyDocument, SourceError, TooLarge, TruncatedDocument
from filingforest.sources.folder import FolderSource, doc_stem


def write(path: Path, content: bytes = b"some text") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def test_files_of_known_endings_below_a_folder(tmp_path: Path) -> None:
    for name in ("b/Annual report 2020.pdf", "a.htm", "c.TXT.gz", "notes.md", "picture.png", ".hidden.txt", ".git/x.txt"):
        write(tmp_path / name)
    refs = FolderSource([tmp_path]).discover()
    assert [ref.doc_id for ref in refs] == ["folder:Annual-report-2020", "folder:a", "folder:c", "folder:notes"]
    assert {ref.source for ref in refs} == {"folder"}


def test_a_named_file_is_taken_whatever_its_ending(tmp_path: Path) -> None:
    assert [ref.doc_id for ref in FolderSource([write(tmp_path / "full.submission")]).discover()] == ["folder:full.submission"]


def test_equal_names_are_told_apart_by_their_place_in_the_folder(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for root in (one, two):
        write(root / "x/report.pdf"), write(root / "y/Report.htm")
    first, second = ([ref.doc_id for ref in FolderSource([root]).discover()] for root in (one, two))
    assert first == second and len(set(first)) == 2 and all(doc_id.lower().startswith("folder:report-") for doc_id in first)
    assert len({ref.doc_id for ref in FolderSource([one, two]).discover()}) == 4


def test_an_address_is_the_same_wherever_it_is_asked_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "leases/2024/mill.md"), write(tmp_path / "leases/note.txt")
    seen = []
    for here, typed in (
        (tmp_path, "leases"),
        (tmp_path / "leases", "."),
        (tmp_path / "leases/2024", "../"),
        (Path("/"), tmp_path / "leases"),
    ):
        monkeypatch.chdir(here)
        refs = FolderSource([typed]).discover()
        assert [FolderSource([typed]).fetch(ref).content for ref in refs] == [b"some text"] * 2  # also by who did not list them
        seen.append([(ref.doc_id, ref.url) for ref in refs])
    assert seen == [[("folder:mill", "leases/2024/mill.md"), ("folder:note", "leases/note.txt")]] * 4


def test_a_file_has_the_address_that_its_folder_gives_it_and_folders_of_one_name_their_whole_paths(tmp_path: Path) -> None:
    for named in (write(tmp_path / "a" / "x.txt"), tmp_path / "a"):
        assert [ref.url for ref in FolderSource([named]).discover()] == ["a/x.txt"]
    roots = [write(tmp_path / place / "in" / "x.txt", place.encode()).parent for place in ("a", "b")]
    source = FolderSource(roots)
    refs = source.discover()
    assert {ref.url for ref in refs} == {f"{tmp_path}/a/in/x.txt", f"{tmp_path}/b/in/x.txt"}
    assert len({ref.doc_id for ref in refs}) == 2
    assert {source.fetch(ref).content for ref in refs} == {b"a", b"b"}


def test_one_file_named_twice_is_one_document(tmp_path: Path) -> None:
    assert len(FolderSource([tmp_path, write(tmp_path / "a.txt")]).discover()) == 1


def test_gzip_is_unpacked_and_the_version_is_that_of_the_content(tmp_path: Path) -> None:
    source = FolderSource([write(tmp_path / "a.txt", b"hello"), write(tmp_path / "b.txt.gz", gzip.compress(b"hello"))])
    plain, packed = (source.fetch(ref) for ref in source.discover())
    assert plain.content == packed.content == b"hello" and plain.doc_version == packed.doc_version
    assert packed.hint.name == "b.txt.gz" and packed.hint.doc_id == "folder:b"


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b"", EmptyDocument),
        (gzip.compress(b"", mtime=0), EmptyDocument),
        (gzip.compress(b"x" * 5000)[:-12], TruncatedDocument),
        (b"\x1f\x8bnonsense that is no gzip", DocumentError),
        (gzip.compress(b"x" * 20_000), TooLarge),
        (b"x" * 20_000, TooLarge),
    ],
    ids=["empty", "empty gzip", "cut gzip", "no gzip", "gzip bomb", "too large"],
)
def test_bad_files_are_typed_errors_that_name_the_document(tmp_path: Path, content: bytes, error: type[DocumentError]) -> None:
    source = FolderSource([write(tmp_path / "a.txt", content)], max_bytes=10_000)
    with pytest.raises(error) as caught:
        source.fetch(source.discover()[0])
    assert caught.value.document == "folder:a" and caught.value.remedy


def test_a_path_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no such file"):
        FolderSource([tmp_path / "nowhere"]).discover()


@pytest.mark.parametrize(("name", "stem"), [("A B.pdf.gz", "A-B"), ("x.10-K.txt", "x.10-K"), ("报告.pdf", "document-"), ("v1.2", "v1.2")])
def test_stems_have_only_what_an_id_may_have(name: str, stem: str) -> None:
    assert doc_stem(name).startswith(stem)


def test_a_name_too_long_for_a_key_is_shortened_and_stays_apart(tmp_path):
    for ending in ("a", "b"):
        (tmp_path / f"{'x' * 240}{ending}.txt").write_text("text")
    ids = [ref.doc_id for ref in FolderSource([tmp_path]).discover()]
    assert len(set(ids)) == 2
    assert all(len(doc_id) == len("folder:") + 150 for doc_id in ids)


def test_a_pipe_and_a_name_that_is_not_utf8_are_refused_by_name(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    write(Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.txt")))
    source = FolderSource([tmp_path])
    by_name = {ref.name: ref for ref in source.discover()}
    assert set(by_name) == {"pipe.txt", "\\xff.txt"}
    with pytest.raises(SourceError, match="not a regular file"):
        source.fetch(by_name["pipe.txt"])
    with pytest.raises(SourceError, match="UTF-8"):
        source.fetch(by_name["\\xff.txt"])
