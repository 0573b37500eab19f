"""What a filing consists of, and which of its documents is the filing itself: told by SEQUENCE and TYPE, never by a file's name.

Two descriptions of the same thing are read: the filing's index page (cheap, a few KB) and the full submission text with its
SGML markup (SEC, "EDGAR Public Dissemination Service" technical specification: <DOCUMENT><TYPE><SEQUENCE><FILENAME><TEXT>).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from filingforest.sources.edgar_forms import base_form, clean_form
from filingforest.sources.edgar_index import decode

TEXT_ENDINGS = ("htm", "html", "txt", "")  # "" = old filings, whose documents have no file name
NOT_TEXT = ("GRAPHIC", "ZIP", "EXCEL", "XML", "JSON", "PDF", "COVER", "CORRESP")
DATA_EXHIBITS = ("EX-100", "EX-101", "EX-104", "EX-27")  # XBRL, cover-page data, financial data schedules of the 1990s
SUBMISSION_ENDS = (b"</SEC-DOCUMENT>", b"</IMS-DOCUMENT>", b"-----END PRIVACY-ENHANCED MESSAGE-----")
WRAPPERS = re.compile(rb"\A\s*<(XBRL|XML|HTML-WRAPPER)>[ \t]*\r?\n(.*)\r?\n</\1>\s*\Z", re.S)
TAG = re.compile(rb"<(TYPE|SEQUENCE|FILENAME|DESCRIPTION)>([^\r\n<]*)")
UUENCODED = re.compile(rb"\A\s*(?:<PDF>\s*)?begin [0-7]{3,4} \S+\r?\n")
SUBMISSION_NAME = re.compile(r"\d{10}-\d{2}-\d{6}\.txt")
FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True, slots=True)
class Part:
    """One document of a filing. `text` is there only where the full submission was read."""

    sequence: int
    type: str
    filename: str = ""
    description: str = ""
    size: int | None = None
    text: bytes | None = field(default=None, repr=False, compare=False)

    @property
    def readable(self) -> bool:
        """HTML or text: no picture, archive, data file, PDF or uuencoded bytes."""
        ending = self.filename.rpartition(".")[2].lower() if "." in self.filename else ""
        return ending in TEXT_ENDINGS and self.type not in NOT_TEXT and not (self.text and UUENCODED.match(self.text))

    def as_dict(self) -> dict[str, Any]:
        return {"sequence": self.sequence, "type": self.type, "filename": self.filename, "size": self.size}


@dataclass(frozen=True, slots=True)
class Filing:
    """All documents of a filing, and its filers (cik, name) in the filing's order. `told_by` names what was read."""

    parts: tuple[Part, ...]
    filers: tuple[tuple[str, str], ...]
    told_by: str  # index, submission


def choose_primary(parts: Sequence[Part], form: str | None) -> Part | None:
    """The first document by sequence whose type is the form; else its base form; else the first that is no exhibit. None: there is none."""
    readable = sorted((part for part in parts if part.readable), key=lambda part: part.sequence)
    if form:
        for same in (lambda t: t == clean_form(form), lambda t: base_form(t) == base_form(form)):
            for part in readable:
                if same(clean_form(part.type)):
                    return part
    return next((part for part in readable if not part.type.startswith("EX-")), None)


def exhibits_of(parts: Iterable[Part], types: Sequence[str] = ()) -> list[tuple[str, Part]]:
    """(key, part) of the exhibits that can be read; `types` ("EX-13", "EX-10") narrows, taking sub-numbers too. Keys: "ex-10-1"."""
    out: dict[str, Part] = {}
    for part in sorted(parts, key=lambda part: part.sequence):
        if not part.type.startswith("EX-") or part.type.startswith(DATA_EXHIBITS) or not part.readable:
            continue
        if types and not any(part.type == t or part.type.startswith(t + ".") for t in map(clean_form, types)):
            continue
        key = re.sub(r"[^a-z0-9]+", "-", part.type.lower()).strip("-")
        out[key if key not in out else f"{key}-seq{part.sequence}"] = part
    return list(out.items())


def read_index_page(content: bytes) -> Filing:
    """A filing's `-index.htm` page. The columns are found by their headings. Raises ValueError when it is no such page."""
    from lxml import html  # here: discovering needs no parser

    page = html.document_fromstring(decode(content))
    parts = [part for table in page.iter("table") for part in _table_parts(table)]
    if not parts:
        raise ValueError("no table of documents")
    names = [element for element in page.iter("span") if "companyName" in (element.get("class") or "").split()]
    return Filing(tuple(parts), tuple(filer for name in names if (filer := _filer(name))), "index")


def _table_parts(table: Any) -> Iterator[Part]:
    heads = [" ".join(cell.text_content().split()).lower() for cell in table.iter("th")]
    if not {"seq", "document", "type"} <= set(heads):
        return
    for row in table.iter("tr"):
        cells = [" ".join(cell.text_content().split()) for cell in row.iter("td")]
        if len(cells) != len(heads) or not cells[heads.index("seq")].isdigit():
            continue  # the complete submission's own row has no sequence
        told = dict(zip(heads, cells, strict=True))
        links = [a.get("href", "").rpartition("/")[2] for a in row.iter("a")]
        # an old filing's row links to the whole submission: its documents have no files of their own
        name = links[0] if links and FILE_NAME.fullmatch(links[0]) and not SUBMISSION_NAME.fullmatch(links[0]) else ""
        size = int(told["size"]) if told.get("size", "").isdigit() else None
        yield Part(int(told["seq"]), clean_form(told["type"]), name, told.get("description", ""), size)


def _filer(element: Any) -> tuple[str, str] | None:
    """("1234567", "Some Co.") from `Some Co. (Filer) CIK: 0001234567 (see all company filings)`."""
    found = re.match(r"(.*?)\s*\((?:Filer|Filed by|Subject|Reporting|Issuer|Depositor)[^)]*\).*?CIK:?\s*(\d{1,10})", _flat(element), re.S)
    return (str(int(found[2])), found[1].strip()) if found else None


def _flat(element: Any) -> str:
    return " ".join(element.text_content().split())


def is_whole_submission(content: bytes) -> bool:
    """Whether a full submission text has its end mark."""
    return any(mark in content[-200:] for mark in SUBMISSION_ENDS)


def read_submission(content: bytes) -> Filing:
    """The full submission text. Raises ValueError when it holds no document."""
    parts: list[Part] = []
    place = content.find(b"<DOCUMENT>")
    head = content[: max(place, 0)]
    while place >= 0:
        end = content.find(b"</DOCUMENT>", place)
        end = len(content) if end < 0 else end
        parts.append(_sgml_part(content[place:end], len(parts) + 1))
        place = content.find(b"<DOCUMENT>", end)
    if not parts:
        raise ValueError("no <DOCUMENT>")
    return Filing(tuple(parts), tuple(_header_filers(decode(head))), "submission")


def _sgml_part(content: bytes, place: int) -> Part:
    opened = content.find(b"<TEXT>")
    head = content if opened < 0 else content[:opened]
    tags = {name.decode(): decode(value).strip() for name, value in TAG.findall(head)}
    text = b"" if opened < 0 else content[opened + 6 :]
    closed = text.rfind(b"</TEXT>")
    text = _unwrapped(text[:closed] if closed >= 0 else text)
    number = tags.get("SEQUENCE", "")
    name = tags.get("FILENAME", "")
    return Part(
        int(number) if number.isdigit() else place,
        clean_form(tags.get("TYPE", "")),
        name if FILE_NAME.fullmatch(name) else "",
        tags.get("DESCRIPTION", ""),
        len(text),
        text,
    )


def _unwrapped(text: bytes) -> bytes:
    """The document's own bytes: without the line ends beside <TEXT> and without the <XBRL> or <XML> around it."""
    wrapped = WRAPPERS.match(text)
    if wrapped:
        return wrapped[2]
    return text.removeprefix(b"\r").removeprefix(b"\n").removesuffix(b"\n").removesuffix(b"\r")


def _header_filers(head: str) -> Iterator[tuple[str, str]]:
    """Filers of an SGML header, in its order: COMPANY CONFORMED NAME and CENTRAL INDEX KEY stand in pairs."""
    pattern = r"COMPANY CONFORMED NAME:[ \t]*([^\r\n]+).*?CENTRAL INDEX KEY:[ \t]*(\d{1,10})"
    for name, cik in re.findall(pattern, head, re.S):
        yield str(int(cik)), name.strip()
