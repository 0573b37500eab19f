"""A folder in EDGAR's layout as EDGAR would serve it: files as they are, and the pages that EDGAR makes of them made on the fly.

Made here: a filing's index pages, its `index.json`, and the full submission text with its SGML header. What a filing's documents are
is told by the company's submissions JSON (the primary document) and by exhibit files' names (`...ex13.htm`, `...ex10-1.htm`).
"""

from __future__ import annotations

import gzip
import html
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FILING = re.compile(r"/Archives/edgar/data/(\d+)/(\d{18})/(?:(\d{10}-\d{2}-\d{6})(-index\.html?|-index-headers\.html|\.txt)|(index\.json))")
SUBMISSION = re.compile(r"/Archives/edgar/data/(\d+)/((\d{10})-(\d{2})-(\d{6}))\.txt")
TYPES = {
    ".htm": "text/html",
    ".html": "text/html",
    ".json": "application/json",
    ".txt": "text/plain",
    ".idx": "text/plain",
    ".pdf": "application/pdf",
}
PICTURES = (".jpg", ".gif", ".png")
XML_END = {".xsd": "EX-101.SCH", ".xml": "XML"}


@dataclass(frozen=True)
class Document:
    sequence: int
    type: str
    name: str
    content: bytes


class Archive:
    """Answers paths from `root`. Nothing is written."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()

    def get(self, path: str) -> tuple[int, bytes, str]:
        """(status, body, content type) of a path without its query."""
        static = self._static(path)
        if static is not None:
            return 200, static, TYPES.get(Path(path).suffix, "application/octet-stream")
        made = self._made(path)
        if made is not None:
            return 200, made, "application/json" if path.endswith(".json") else "text/html" if "index" in path else "text/plain"
        if path.startswith("/Archives/edgar/daily-index/") and not (self.root / path[1:]).parent.is_dir():
            return (
                403,
                b'<?xml version="1.0"?>\n<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>',
                "application/xml",
            )
        return 404, b"<html><body>404 Not Found</body></html>", "text/html"

    def _static(self, path: str) -> bytes | None:
        place = (self.root / path.lstrip("/")).resolve()
        if not place.is_relative_to(self.root):
            return None
        if place.is_file():
            return place.read_bytes()
        packed = place.with_name(place.name + ".gz") if place.name else place
        return gzip.decompress(packed.read_bytes()) if packed.is_file() else None

    def _made(self, path: str) -> bytes | None:
        whole = SUBMISSION.fullmatch(path)
        if whole:
            return self.submission(whole[1], whole[2])
        page = FILING.fullmatch(path)
        if not page:
            return None
        cik, flat = page[1], page[2]
        accession = f"{flat[:10]}-{flat[10:12]}-{flat[12:]}"
        if page[3] and page[3] != accession:
            return None
        if page[5]:
            return self._listing(cik, accession)
        makers = {".txt": self.submission, "-index-headers.html": self._headers}
        return makers.get(page[4], self._index_page)(cik, accession)

    def submission(self, cik: str, accession: str) -> bytes | None:
        """The full submission: the file where the archive has it (old filings), else put together."""
        own = self._static(f"/Archives/edgar/data/{cik}/{accession}.txt")
        documents = self.documents(cik, accession)
        if own is not None or not documents:
            return own
        return self._header(cik, accession, documents) + b"".join(map(_sgml, documents)) + b"</SEC-DOCUMENT>\n"

    def documents(self, cik: str, accession: str) -> list[Document]:
        """The filing's documents, the primary one first, exhibits by name."""
        folder = self.root / f"Archives/edgar/data/{cik}/{accession.replace('-', '')}"
        if not folder.is_dir():
            return []
        told = self.about(cik, accession)
        files = {f.name.removesuffix(".gz"): f for f in sorted(folder.iterdir()) if f.is_file()}
        names = sorted(files, key=lambda name: (name != told.get("primaryDocument"), name))
        return [
            Document(n, told.get("form", "10-K") if name == told.get("primaryDocument", name) else _type(name), name, _read(files[name]))
            for n, name in enumerate(names, 1)
        ]

    def about(self, cik: str, accession: str) -> dict[str, Any]:
        """The submissions' columns of one filing, and `company`."""
        data = _submissions(self.root, cik)
        recent = (data.get("filings") or {}).get("recent") or {}
        pages = [recent, *(_json(self.root / "submissions" / f["name"]) for f in (data.get("filings") or {}).get("files") or [])]
        for page in pages:
            if accession in page.get("accessionNumber", []):
                n = page["accessionNumber"].index(accession)
                return {key: values[n] for key, values in page.items() if isinstance(values, list) and n < len(values)} | {"company": data}
        return {"company": data}

    def _header(self, cik: str, accession: str, documents: list[Document]) -> bytes:
        told = self.about(cik, accession)
        company, filed = told["company"], str(told.get("filingDate", "")).replace("-", "")
        accepted = re.sub(r"\D", "", str(told.get("acceptanceDateTime", "")))[:14]
        return f"""<SEC-DOCUMENT>{accession}.txt : {filed}
<SEC-HEADER>{accession}.hdr.sgml : {filed}
<ACCEPTANCE-DATETIME>{accepted}
ACCESSION NUMBER:\t\t{accession}
CONFORMED SUBMISSION TYPE:\t{told.get("form", documents[0].type)}
PUBLIC DOCUMENT COUNT:\t\t{len(documents)}
CONFORMED PERIOD OF REPORT:\t{str(told.get("reportDate", "")).replace("-", "")}
FILED AS OF DATE:\t\t{filed}

FILER:

\tCOMPANY DATA:\t
\t\tCOMPANY CONFORMED NAME:\t\t\t{company.get("name", "")}
\t\tCENTRAL INDEX KEY:\t\t\t{int(cik):010d}
\t\tSTANDARD INDUSTRIAL CLASSIFICATION:\t{str(company.get("sicDescription", "")).upper()} [{company.get("sic", "")}]
\t\tFISCAL YEAR END:\t\t\t{company.get("fiscalYearEnd", "")}
</SEC-HEADER>
""".encode()

    def _headers(self, cik: str, accession: str) -> bytes | None:
        documents = self.documents(cik, accession)
        if not documents:
            return None
        lines = [f"<DOCUMENT>\n<TYPE>{d.type}\n<SEQUENCE>{d.sequence}\n<FILENAME>{d.name}\n</DOCUMENT>\n" for d in documents]
        text = self._header(cik, accession, documents).decode() + "".join(lines)
        return f"<html><body><pre>{html.escape(text)}</pre></body></html>\n".encode()

    def _index_page(self, cik: str, accession: str) -> bytes | None:
        documents = self.documents(cik, accession)
        whole = f"/Archives/edgar/data/{cik}/{accession.replace('-', '')}/"
        old = self._static(f"/Archives/edgar/data/{cik}/{accession}.txt")
        rows = [_row(str(d.sequence), d.type, _link(whole, d), d.name, d.type, len(d.content)) for d in documents]
        if not documents and old is None:
            return None
        if old is not None and not documents:
            rows = [
                _row(n.decode(), "", f"{whole}{accession}.txt", f"{accession}.txt", t.decode(), 0)
                for t, n in re.findall(rb"<TYPE>(.*)\n<SEQUENCE>(\d+)", old)
            ]
        rows.append(
            _row("&nbsp;", "Complete submission text file", f"{whole}{accession}.txt", f"{accession}.txt", "&nbsp;", len(old or b""))
        )
        name = html.escape(str(self.about(cik, accession)["company"].get("name", "")))
        number = f'<acronym title="Central Index Key">CIK</acronym>: <a href="#">{int(cik):010d} (see all company filings)</a>'
        filer = f'<span class="companyName">{name} (Filer)\n {number}</span>'
        heads = "".join(f'<th scope="col">{head}</th>' for head in ("Seq", "Description", "Document", "Type", "Size"))
        table = f'<table class="tableFile" summary="Document Format Files"><tr>{heads}</tr>\n{"".join(rows)}</table>'
        return f"<!DOCTYPE html><html><head><title>EDGAR Filing Index</title></head><body>{table}\n{filer}\n</body></html>\n".encode()

    def _listing(self, cik: str, accession: str) -> bytes | None:
        documents = self.documents(cik, accession)
        items = [{"name": d.name, "type": "text.gif", "size": str(len(d.content)), "last-modified": ""} for d in documents]
        name = f"/Archives/edgar/data/{cik}/{accession.replace('-', '')}"
        return json.dumps({"directory": {"item": items, "name": name}}).encode() if documents else None


def _link(folder: str, document: Document) -> str:
    """As EDGAR links: inline XBRL through its viewer."""
    return f"/ix?doc={folder}{document.name}" if b"<ix:header" in document.content[:200_000] else folder + document.name


def _row(*cells: object) -> str:
    sequence, description, link, name, kind, size = cells
    return (
        f'<tr><td scope="row">{sequence}</td><td scope="row">{description}</td><td scope="row"><a href="{link}">{name}</a></td>'
        f'<td scope="row">{kind}</td><td scope="row">{size or "&nbsp;"}</td></tr>\n'
    )


def _sgml(document: Document) -> bytes:
    tags = {"TYPE": document.type, "SEQUENCE": document.sequence, "FILENAME": document.name, "DESCRIPTION": document.type}
    head = "<DOCUMENT>\n" + "".join(f"<{tag}>{value}\n" for tag, value in tags.items()) + "<TEXT>\n"
    inline = b"<ix:header" in document.content[:200_000]
    body = b"<XBRL>\n" + document.content + b"\n</XBRL>" if inline else document.content
    return head.encode() + body + b"\n</TEXT>\n</DOCUMENT>\n"


def _type(name: str) -> str:
    """The TYPE of a document that is not the primary one, by its name."""
    ending = Path(name).suffix.lower()
    if ending in PICTURES:
        return "GRAPHIC"
    found = re.search(r"ex[-_]?(\d{1,3})(?:[-_.](\d+))?", name.lower().removesuffix(ending))
    if found:
        return f"EX-{int(found[1])}" + (f".{int(found[2])}" if found[2] else "")
    return XML_END.get(ending, "EX-99")


def _read(place: Path) -> bytes:
    return gzip.decompress(place.read_bytes()) if place.suffix == ".gz" else place.read_bytes()


def _json(place: Path) -> dict[str, Any]:
    return dict(json.loads(place.read_text("utf-8"))) if place.is_file() else {}


def _submissions(root: Path, cik: str) -> dict[str, Any]:
    return _json(root / "submissions" / f"CIK{int(cik):010d}.json")
