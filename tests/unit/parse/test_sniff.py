"""What is no document, is half a document, or is another format than its name says."""

from __future__ import annotations

import gzip

import pytest

from filingforest.config import ParseSettings
from filingforest.errors import DocumentError, EmptyDocument, TooLarge, TruncatedDocument, WrongFormat
from filingforest.parse import parse_document
from filingforest.parse.language import language_of
from filingforest.parse.model import DocumentHint
from filingforest.parse.sniff import sniff

from .pages import bold, page, prose

WHOLE = page(bold("Item 1. Business"), prose("Loom", 300))


@pytest.mark.parametrize(
    ("content", "name", "error"),
    [
        (b"", "a.htm", EmptyDocument),
        (b" \n\t ", "a.htm", EmptyDocument),
        (b"<html><body><div> </div></body></html>", "a.htm", EmptyDocument),
        (b"%PDF-1.7 ...", "a.htm", WrongFormat),
        (b"PK\x03\x04....", "a.htm", WrongFormat),
        (b"\x00\x01\x02" * 100, "a.txt", WrongFormat),
        (WHOLE.encode()[: len(WHOLE) // 2], "a.htm", TruncatedDocument),
        (WHOLE.encode()[:-20] + b"<p cla", "a.htm", TruncatedDocument),
        (gzip.compress(WHOLE.encode())[:-30], "a.htm.gz", TruncatedDocument),
        (b"<html><body>" + b"<div>" * 5000 + b"x", "a.htm", DocumentError),
    ],
)
def test_what_is_set_aside(content: bytes, name: str, error: type[DocumentError]) -> None:
    with pytest.raises(error) as raised:
        parse_document(content, DocumentHint(doc_id="d:1", name=name))
    assert raised.value.document == "d:1"
    assert raised.value.stage == "parse"


def test_size_is_bounded_before_and_after_unpacking() -> None:
    small = ParseSettings(max_bytes=10_000)
    for content in (WHOLE.encode(), gzip.compress(WHOLE.encode())):
        with pytest.raises(TooLarge) as raised:
            parse_document(content, DocumentHint(doc_id="d:1", name="a.htm"), small)
        assert "parse.max_bytes" in str(raised.value)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_encodings(encoding: str) -> None:
    text = page("<p>“Café” — 5 €</p>")
    assert "“Café” — 5 €" in sniff(text.encode(encoding), "a.htm").text


def test_a_latin_1_page_that_says_so() -> None:
    text = '<html><head><meta charset="iso-8859-1"></head><body><p>Señor</p></body></html>'
    assert "Señor" in sniff(text.encode("latin-1"), "a.htm").text


def test_kinds() -> None:
    assert sniff(b"ITEM 1. BUSINESS\n\nWe rent looms.\n<PAGE>\n<TABLE>\n<S> <C>\n</TABLE>", "a.htm").kind == "text"
    assert sniff(b"<DOCUMENT>\n<TYPE>10-K\n<TEXT>\n<html><body><p>x</p><p>y</p></body></html>\n</TEXT></DOCUMENT>", "a.txt").kind == "html"
    assert sniff(b"# Title\n\ntext", "a.md").kind == "markdown"
    typed = sniff(b"<html><body><pre>ITEM 1. BUSINESS\n\n" + b"We rent looms to mills.\n" * 50 + b"</pre></body></html>", "a.htm")
    assert typed.kind == "text"
    assert typed.text.startswith("ITEM 1. BUSINESS")


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("The company rents looms to the mills of the valley and is paid by the yard.", "en"),
        ("Công ty cho các nhà máy thuê khung cửi và được trả tiền theo thước vải.", "vi"),
        ("本公司向各工厂出租织机,按所产布匹的长度收取租金,每月结算一次。", "zh"),
        ("12 34", None),
    ],
)
def test_languages(text: str, tag: str | None) -> None:
    assert language_of(text) == tag
