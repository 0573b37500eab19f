"""Documents from files and folders, so that what never was on EDGAR (PDFs, contracts, notes) is found by the same queries.

Ids come from file names; addresses begin at the folder that was named, or holds the file (`reports/2024/lease.pdf`). Neither depends on
where a command was typed or on paths of this machine: the same files give the same index elsewhere.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from filingforest.errors import DocumentError, EmptyDocument, SourceError, TooLarge, TruncatedDocument
from filingforest.sources.base import DocumentRef, RawDocument, absolute, hint_for

ENDINGS = frozenset({".htm", ".html", ".xhtml", ".pdf", ".txt", ".text", ".md", ".markdown"})
MAX_BYTES = 400_000_000  # unpacked; what the parser accepts is set apart (`parse.max_bytes`)
_LONGEST = 150  # characters of a name in a doc_id: it becomes part of file names, with more around it


class FolderSource:
    """Files, and folders searched to the bottom, as documents.

    A file that is named itself is taken whatever its ending; inside folders only `ENDINGS` (each also with `.gz`) are,
    and nothing whose name starts with a dot.
    """

    name = "folder"

    def __init__(self, paths: Sequence[Path | str], max_bytes: int = MAX_BYTES) -> None:
        self.paths = [Path(path) for path in paths]
        self.max_bytes = max_bytes
        self._places: dict[str, Path] = {}  # where on this machine an address is

    def discover(self) -> list[DocumentRef]:
        """All documents, sorted by doc_id. Raises SourceError for a path that is not there or cannot be listed."""
        found = list({file.path.resolve(): file for root in self.paths for file in _files(root)}.values())
        stems = Counter(doc_stem(file.path.name).lower() for file in found)
        addresses = Counter(file.address for file in found)
        refs = []
        for file in found:  # folders of one name in two places: nothing but the whole path tells their files apart
            address = file.address if addresses[file.address] == 1 else str(absolute(file.path))
            refs.append(_ref(file, address, stems[doc_stem(file.path.name).lower()] > 1))
            self._places[refs[-1].url] = Path(_printable(str(file.path)))
        return sorted(_told_apart(refs), key=lambda ref: ref.doc_id)

    def fetch(self, ref: DocumentRef) -> RawDocument:
        """The file's bytes, unpacked where it is gzipped. Raises SourceError, EmptyDocument, TooLarge, TruncatedDocument."""
        if ref.url not in self._places:  # listed by another process
            self.discover()
        content = read_file(self._places.get(ref.url, Path(ref.url)), ref.doc_id, self.max_bytes)
        provenance = {"url": ref.url, "sha256": hashlib.sha256(content).hexdigest(), "name": ref.name}
        return RawDocument(ref=ref, content=content, hint=hint_for(ref), provenance=provenance)


def doc_stem(name: str) -> str:
    """A file name without `.gz` and ending, in the characters that a doc_id may have: "Annual report.pdf.gz" -> "Annual-report"."""
    path = Path(re.sub(r"\.gz$", "", name, flags=re.IGNORECASE))
    stem = path.stem if path.suffix.lower() in ENDINGS else path.name
    safe = re.sub(r"[^A-Za-z0-9._-]+", "-", stem).strip("-.") or "document-" + _short(name)
    return safe if len(safe) <= _LONGEST else f"{safe[: _LONGEST - 9]}-{_short(name)}"


def read_file(path: Path, document: str | None = None, max_bytes: int = MAX_BYTES) -> bytes:
    """A file's bytes, unpacked by what they are (gzip's first two bytes) and never past `max_bytes`."""
    if path.exists() and not path.is_file():  # a pipe would be waited for without end
        raise SourceError(f"{path} is not a regular file", document=document, stage="crawl", remedy="take it out of the folder")
    try:
        with path.open("rb") as handle:
            packed = handle.read(max_bytes + 1)
    except OSError as error:
        remedy = "check the path, that its name is UTF-8, and its permissions"
        raise SourceError(f"cannot read {path}: {error.strerror}", document=document, stage="crawl", remedy=remedy) from error
    content = _unpacked(packed, document, max_bytes) if packed[:2] == b"\x1f\x8b" else packed
    if not content:
        raise EmptyDocument("the file is empty", document=document, stage="crawl", remedy="fetch it again or take it out of the folder")
    if len(content) > max_bytes:
        remedy = "split the file, or raise parse.max_bytes"
        raise TooLarge(f"more than {max_bytes:,} bytes", document=document, stage="crawl", remedy=remedy)
    return content


def _unpacked(packed: bytes, document: str | None, max_bytes: int) -> bytes:
    """At most one byte more than `max_bytes`: a gzip bomb is not unpacked to its end."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(packed)) as handle:
            return handle.read(max_bytes + 1)
    except EOFError as error:
        raise TruncatedDocument("the gzip file ends too soon", document=document, stage="crawl", remedy="fetch it again") from error
    except (OSError, zlib.error) as error:
        raise DocumentError(f"broken gzip file: {error}", document=document, stage="crawl", remedy="fetch it again") from error


class _File(NamedTuple):
    """`inside`: its path (POSIX) inside the folder that was named, or else that holds it; `address`: with that folder's name before it."""

    path: Path
    inside: str
    address: str


def _files(root: Path) -> Iterator[_File]:
    """The files of an input."""
    if root.is_dir():
        name = absolute(root).name
        yield from (_File(path, inside, f"{name}/{inside}".lstrip("/")) for path, inside in _walk(root))
    elif root.exists():
        yield _File(root, root.name, f"{absolute(root).parent.name}/{root.name}".lstrip("/"))
    else:
        raise SourceError(f"no such file or folder: {root}", stage="crawl", remedy="check the path given as input")


def _walk(root: Path) -> Iterator[tuple[Path, str]]:
    for folder, folders, names in os.walk(root, onerror=_cannot_list):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if not name.startswith(".") and Path(re.sub(r"\.gz$", "", name, flags=re.IGNORECASE)).suffix.lower() in ENDINGS:
                path = Path(folder) / name
                yield path, path.relative_to(root).as_posix()


def _cannot_list(error: OSError) -> None:
    raise SourceError(f"cannot list {error.filename}: {error.strerror}", stage="crawl", remedy="check the folder's permissions") from error


def _ref(file: _File, address: str, clash: bool) -> DocumentRef:
    doc_id = "folder:" + doc_stem(file.path.name) + ("-" + _short(file.inside) if clash else "")
    return DocumentRef(doc_id=doc_id, source="folder", url=_printable(address), name=_printable(file.path.name))


def _printable(name: str) -> str:
    """A file name whose bytes are not UTF-8 is written with escapes: no JSON or Parquet could hold it, and no such file will be found."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _told_apart(refs: list[DocumentRef]) -> list[DocumentRef]:
    """Same name at the same place below two inputs: the address tells them apart, as nothing else can."""
    counts = Counter(ref.doc_id for ref in refs)
    return [replace(ref, doc_id=f"{ref.doc_id}-{_short(ref.url)}") if counts[ref.doc_id] > 1 else ref for ref in refs]


def _short(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:8]
