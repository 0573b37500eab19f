"""Tells what bytes are before anything is parsed: format, encoding, and whether it is a whole document at all."""

from __future__ import annotations

import gzip
import re
import zlib
from dataclasses import dataclass

from filingforest.errors import EmptyDocument, TooLarge, TruncatedDocument, WrongFormat

CHARSET = re.compile(rb"(?:charset|encoding)\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]+)", re.IGNORECASE)
HTML_TAG = re.compile(rb"<\s*(?:html|body|div|p|br|font|span|tr|td|center|h[1-6]|pre|ix:\w+|!doctype\s+html)\b", re.IGNORECASE)
PRE = re.compile(r"<pre\b[^>]*>(.*?)(?:</pre>|(?=<pre\b)|\Z)", re.IGNORECASE | re.DOTALL)
SGML = re.compile(rb"<(?:SEC-DOCUMENT|SEC-HEADER|DOCUMENT|TYPE|IMS-DOCUMENT)>", re.IGNORECASE)
TEXT_PART = re.compile(rb"<TEXT>\s*\n?(.*?)(?:</TEXT>|\Z)", re.IGNORECASE | re.DOTALL)
BINARY = {
    b"PK\x03\x04": "a zip archive or Office document", b"\x89PNG": "a PNG image", b"\xff\xd8\xff": "a JPEG image", b"GIF8": "a GIF image",
    b"\xd0\xcf\x11\xe0": "an old Office document", b"{\\rtf": "an RTF document", b"\x7fELF": "a program",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sniffed:
    """`kind`: html, pdf, text or markdown; `data`: the bytes of the document itself; `text`: decoded, except for PDF.

    `header`: the SGML header of an EDGAR submission around it, "" where there is none.
    """

    kind: str
    data: bytes
    text: str = ""
    header: str = ""


def sniff(content: bytes, name: str = "", max_bytes: int = 150_000_000) -> Sniffed:
    """What the bytes are. Raises EmptyDocument, TooLarge, TruncatedDocument, WrongFormat."""
    data = unpacked(content, max_bytes)
    if len(data) > max_bytes:
        raise TooLarge(
            f"{len(data):,} bytes, more than parse.max_bytes = {max_bytes:,}", stage="parse", remedy="raise parse.max_bytes if you trust it"
        )
    if not data.strip():
        raise EmptyDocument("the document is empty", stage="parse", remedy="fetch it again")
    for magic, what in BINARY.items():
        if data.startswith(magic):
            raise WrongFormat(f"{name or 'the document'} is {what}", stage="parse", remedy="give HTML, PDF, plain text or Markdown")
    ending = re.sub(r"\.gz$", "", name.lower()).rpartition(".")[2]
    if data.lstrip()[:5] == b"%PDF-":
        if ending in ("htm", "html", "xhtml", "txt", "md"):
            raise WrongFormat(f"a PDF named .{ending}", stage="parse", remedy="rename it to .pdf")
        return Sniffed("pdf", data)
    if b"\x00" in data[:4096] and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise WrongFormat("binary data", stage="parse", remedy="give HTML, PDF, plain text or Markdown")
    header, data = _body_of_submission(data)
    kind = _kind(data, ending)
    text = decode(data)
    if kind == "html":
        check_whole(text)
        typed = typewritten(text)
        if typed is not None:
            kind, text = "text", typed
    return Sniffed(kind, data, text, header)


def unpacked(content: bytes, max_bytes: int) -> bytes:
    """Gunzipped where it is gzip, never beyond the bound."""
    if content[:2] != b"\x1f\x8b":
        return content
    try:
        out = zlib.decompressobj(wbits=31)
        data = out.decompress(content, max_bytes + 1)
        if len(data) > max_bytes:
            raise TooLarge(
                f"unpacks to more than parse.max_bytes = {max_bytes:,}", stage="parse", remedy="raise parse.max_bytes if you trust it"
            )
        if not out.eof:
            raise TruncatedDocument("the gzip stream ends in the middle", stage="parse", remedy="fetch it again")
    except (zlib.error, gzip.BadGzipFile) as e:
        raise TruncatedDocument(f"broken gzip: {e}", stage="parse", remedy="fetch it again") from e
    return data


def _body_of_submission(data: bytes) -> tuple[str, bytes]:
    """The SGML header of an EDGAR full submission, and its first document without the wrapper."""
    if not SGML.search(data[:3000]):
        return "", data
    found = TEXT_PART.search(data)
    return (data[: found.start()].decode("cp1252", "replace"), found[1]) if found else ("", data)


def _kind(data: bytes, ending: str) -> str:
    head = data[:200_000]
    if ending in ("md", "markdown"):
        return "markdown"
    tags = len(HTML_TAG.findall(head))
    if ending in ("htm", "html", "xhtml"):
        return "html" if tags else "text"
    return "html" if tags >= 3 or re.match(rb"\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype|html)", head, re.IGNORECASE) else "text"


def typewritten(text: str) -> str | None:
    """The text of a page that is one plain-text document inside <PRE>, as filings around 2000 are; None for other pages."""
    if "<pre" not in text[:100_000].lower():
        return None
    parts = PRE.findall(text)
    return "\n".join(parts) if sum(map(len, parts)) > 0.7 * len(text) else None


def decode(data: bytes) -> str:
    """Text in the encoding that the bytes prove or declare; Windows-1252 where they prove to be no UTF-8."""
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    declared = CHARSET.search(data[:2000])
    names = [declared[1].decode("ascii").lower()] if declared else []
    for encoding in [*names, "cp1252"]:
        if encoding in ("utf-8", "utf8", "us-ascii", "ascii", "iso-8859-1", "latin-1", "latin1"):
            encoding = "cp1252"  # what browsers take them for
        try:
            return data.decode(encoding)
        except (UnicodeDecodeError, LookupError):
            continue
    return data.decode("cp1252", "replace")


def check_whole(text: str) -> None:
    """Raises TruncatedDocument for a page that ends inside a tag, or that opens a body or table and never closes it."""
    tail = text[-4000:].rstrip()
    if re.search(r"<[a-zA-Z/!][^<>]*$", tail):
        raise TruncatedDocument("the document ends inside a tag", stage="parse", remedy="fetch it again")
    low = text[:20_000].lower()
    end = tail.lower()
    if "<html" in low and "</html" not in end and "</body" not in end and len(text) > 20_000 and not _balanced(text):
        raise TruncatedDocument("the document has no end: half a body", stage="parse", remedy="fetch it again")


def _balanced(text: str) -> bool:
    """What is closed as a rule is closed to the end (old filings often leave out </html> itself, and never close a paragraph)."""
    low = text.lower()
    for tag in ("table", "div", "p", "td", "span", "font"):
        opened, closed = low.count(f"<{tag}>") + low.count(f"<{tag} "), low.count(f"</{tag}>")
        strict = closed >= 0.95 * opened and low.rfind(f"<{tag}") > low.rfind(f"</{tag}")
        if (opened > closed and strict) or (tag in ("table", "div") and opened - closed > 1):
            return False
    return True
