"""Elements are what lxml's own tree has: tags, attributes, text and order, for any markup; what is not kept is let go."""

from __future__ import annotations

import gc

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from lxml import etree

from filingforest.errors import EmptyDocument, TooLarge
from filingforest.parse import parse_document
from filingforest.parse.elements import Element, element
from filingforest.parse.markup import page_of
from filingforest.parse.model import DocumentHint

PIECES = st.sampled_from(
    ["<p>", "</p>", "<b>", "</b>", "<td>", "<table>", "</table>", "<tr>", "<br>", "<br/>", "<ix:nonFraction id='f'>", "</ix:nonFraction>", "<li>",
     " ", "\n", "a", "&nbsp;", "&amp;", "&bogus;", "<!-- x -->", "<?pi?>", "<a href='#x' name='y'>", "<hr", "<", "é", "<font size=2>", "</div>", "<pre>"]
)  # fmt: skip


def told(one: Element) -> tuple[object, ...]:
    return one.tag, dict(one.attrib), one.text or "", one.tail or "", [told(child) for child in one]


def lxml_told(one: etree._Element) -> tuple[object, ...]:
    return one.tag, dict(one.items()), one.text or "", one.tail or "", [lxml_told(child) for child in one]


@settings(max_examples=150, deadline=None)
@given(st.lists(PIECES, min_size=1, max_size=40).map("".join))
@example("<html xmlns:ix='u'><body><p>a<!-- b -->c</p> <p>d")
def test_elements_are_lxmls(markup: str) -> None:
    source = f"<div>{markup}"
    parser = etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
    assert told(page_of(source).root) == lxml_told(etree.fromstring(source.encode(), parser))


def test_text_and_order() -> None:
    root = page_of("<p>one <b>two<i></i> three</b> four</p>").root
    assert [e.tag for e in root.iter()] == ["html", "body", "p", "b", "i"]
    assert root.string() == "one two three four"
    assert [e.attrib for e in page_of("<p><a name='x'>1</a><style>s</style><q:r z='1'>2</q:r></p>").named] == [
        {"name": "x"},
        {},
        {"z": "1"},
    ]


def test_two_elements_are_the_same_only_as_one_object() -> None:
    one, other = element("p"), element("p")
    assert one == one
    assert one != other
    assert len({one, other}) == 2


def test_nothing_at_all_and_far_too_deep_are_refused() -> None:
    with pytest.raises(EmptyDocument):
        page_of("<!-- -->")
    with pytest.raises(TooLarge, match="nested"):
        page_of("<div>" * 5_000)
    assert page_of("<p>" + "<font>" * 5_000 + "kept").root.string() == "kept"


def test_a_parsed_document_keeps_no_element_and_leaves_the_collector_as_it_was() -> None:
    page = b"<html><body><p>Item 1. Business</p><p>We weave cloth.</p><table><tr><td>a</td><td>1</td></tr></table></body></html>"
    assert gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        parse_document(page, DocumentHint("folder:x", name="x.htm"))
        assert not gc.isenabled()
        assert not any(type(x) is Element and x.tag == "p" for x in gc.get_objects())
    finally:
        gc.enable()
    parse_document(page, DocumentHint("folder:x", name="x.htm"))
    assert gc.isenabled()
