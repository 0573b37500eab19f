"""Input made to hurt is read or refused in bounded time and memory, with a typed error that names the document and the remedy."""

from __future__ import annotations

import gzip
import time
from dataclasses import replace

import pytest

from filingforest.config import ParseSettings
from filingforest.errors import DocumentError, TooLarge
from filingforest.parse import parse_document
from filingforest.parse.model import DocumentHint, Parsed

HINT = DocumentHint("folder:bomb", name="bomb.htm")
SMALL = replace(ParseSettings(), max_bytes=5_000_000)
PAGE = "<html><body><p>Item 1. Business</p>{}<p>the end of it</p></body></html>"


def parse(content: str | bytes, name: str = "bomb.htm") -> Parsed:
    data = content.encode() if isinstance(content, str) else content
    start = time.process_time()
    try:
        return parse_document(data, replace(HINT, name=name), SMALL)
    finally:
        assert time.process_time() - start < 20


def parsed_or_error(content: str | bytes, name: str) -> Parsed | DocumentError:
    """The document, or why there is none: in the terms that a night can set aside."""
    try:
        return parse(content, name)
    except DocumentError as error:
        found = error
    assert found.document == "folder:bomb"
    assert found.remedy
    return found


def test_a_page_beyond_the_bound_is_refused_before_it_is_read() -> None:
    with pytest.raises(TooLarge, match="max_bytes") as caught:
        parse(PAGE.format("<p>x</p>" * 700_000))
    assert caught.value.document == "folder:bomb"
    assert caught.value.remedy


def test_a_gzip_bomb_is_not_unpacked() -> None:
    with pytest.raises(TooLarge, match="max_bytes"):
        parse(gzip.compress(b"<p>x</p>" + b" " * 60_000_000), "bomb.htm.gz")


@pytest.mark.parametrize("tag", ["div", "table><tr><td", "span", "font", "ul><li", "b"])
def test_deep_nesting_is_read_or_refused(tag: str) -> None:
    deep = PAGE.format(f"<{tag}>" * 100_000 + "deep")
    document = parsed_or_error(deep, "bomb.htm")
    assert isinstance(document, TooLarge) or "Business" in document.text


def test_entities_are_not_expanded_into_a_bomb() -> None:
    names = [("a", "boom " * 10), *((chr(98 + i), f"&{chr(97 + i)};" * 10) for i in range(9))]
    entities = "".join(f'<!ENTITY {name} "{value}">' for name, value in names)
    document = parse(f"<!DOCTYPE html [{entities}]>" + PAGE.format("<p>&j;</p>"))
    assert len(document.text) < 100_000


def test_outer_entities_are_not_fetched() -> None:
    page = '<!DOCTYPE html [<!ENTITY x SYSTEM "file:///etc/passwd">]>' + PAGE.format("<p>&x;</p>")
    assert "root:" not in parse(page).text


def test_spans_of_a_hundred_thousand_columns() -> None:
    row = '<tr><td colspan="100000">a</td><td rowspan="100000">1</td><td colspan="99999999999">$ 2,000</td></tr>'
    document = parse(PAGE.format(f"<table>{row * 50}</table>"))
    assert all(len(n.table["columns"]) < 1_000 for n in document.nodes if n.table)


@pytest.mark.parametrize(
    "words",
    [
        "Item " * 60_000,
        "(" * 200_000,
        "1." * 100_000,
        "$" * 200_000,
        "a-" * 100_000,
        ". . " * 60_000,
        "\u00a0" * 100_000,
        "Item 1A" + " " * 99_999,
    ],
    ids=lambda x: x[:4],
)
def test_regular_expressions_are_linear(words: str) -> None:
    parse(PAGE.format(f"<p>{words}</p><table><tr><td>{words}</td><td>1</td></tr></table>"))
    parse("Item 1. Business\n\n" + words + "\n", "bomb.txt")


def test_many_small_things_stay_linear() -> None:
    def seconds(count: int) -> float:
        page = PAGE.format("<p>Item 7. A line that looks like an item</p><table><tr><td>a</td><td>1</td></tr></table>" * count)
        start = time.process_time()
        parse(page)
        return time.process_time() - start

    seconds(200)
    few, many = seconds(1_000), seconds(8_000)
    assert many < 24 * max(few, 0.02)


@pytest.mark.parametrize("name", ["bomb.htm", "bomb.txt", "bomb.md", "bomb.pdf", "bomb"])
@pytest.mark.parametrize(
    "content",
    [b"\x00" * 1000, b"\xff\xfe" + b"\xd8" * 999, b"%PDF-1.7 \xff\xff", b"\x1f\x8b\x08broken", b"<", b"\xef\xbb\xbf", b"PK\x03\x04"],
)
def test_rubbish_is_a_typed_error_or_a_document(name: str, content: bytes) -> None:
    parsed_or_error(content, name)
