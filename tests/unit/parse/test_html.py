"""From markup to blocks: paragraphs, looks, pages, layout tables, and what is left out. Values worked out by hand."""

from __future__ import annotations

import pytest

from filingforest.parse.blocks import Block
from filingforest.parse.html import HtmlReader
from filingforest.parse.markup import page_of
from filingforest.text import normalise

from .pages import page, parse


def blocks(body: str) -> list[Block]:
    return HtmlReader(page_of(f"<html><head><title>x</title></head><body>{body}</body></html>")).read()


def texts(body: str) -> list[str]:
    return [b.text for b in blocks(body)]


def test_white_space_and_invisible_letters() -> None:
    assert texts("<p>Net&#160;&#160;sales\n rose<span>&#8203;</span>&#xFEFF; by <b>5</b>%.</p>") == ["Net sales rose by 5%."]
    assert texts("<div>a</div>b<div>c<span> d</span></div>") == ["a", "b", "c d"]
    assert texts("<p>cafe&#x301;</p>") == ["café"]


def test_two_breaks_end_a_paragraph_and_one_is_remembered() -> None:
    assert texts("<p>One<br/>two<br/><br/>three</p>") == ["One two", "three"]
    assert blocks("<p>One<br/>two</p>")[0].breaks == (4,)


def test_what_is_hidden_or_not_text_is_left_out() -> None:
    assert texts(
        '<div style="display:none">x</div><script>y</script><ix:header><ix:hidden>z</ix:hidden></ix:header><p>seen</p><!-- c -->'
    ) == ["seen"]


def test_looks() -> None:
    one, two, three = blocks(
        '<p style="font-weight:700;text-align:center;font-size:12pt">Title</p><p><b>Lead.</b> And so on</p><style>.h{font-weight:bold}</style><p class="h">By class</p>'
    )
    assert (one.style.bold, one.style.align, one.style.size) == (1.0, "center", 12.0)
    assert two.style.lead == len("Lead.")
    assert 0 < two.style.bold < 0.5
    assert three.style.bold == 1.0


def test_pages() -> None:
    found = blocks(
        '<p>a</p><hr style="page-break-after:always"/><p>b</p><div style="page-break-before: always"><p>c</p></div><p>5</p><hr/><p>d</p>'
    )
    assert [(b.text, b.page) for b in found] == [("a", 0), ("b", 1), ("c", 2), ("5", 2), ("d", 3)]


def test_layout_tables() -> None:
    bullets = "<table><tr><td>•</td><td>first point of the list</td></tr><tr><td>•</td><td>second point</td></tr></table>"
    found = blocks(bullets)
    assert [b.text for b in found] == ["• first point of the list", "• second point"]
    assert {b.kind for b in found} == {"list"}
    columns = (
        "<table><tr><td><p>" + "left " * 60 + "</p><p>more left</p></td><td><p>" + "right " * 60 + "</p><p>more right</p></td></tr></table>"
    )
    assert [t.split()[-1] for t in texts(columns)] == ["left", "left", "right", "right"]


def test_tagged_ranges() -> None:
    (block,) = blocks(
        '<p>Sales of <ix:nonFraction contextRef="c" name="us-gaap:Revenues" unitRef="u" scale="6" id="f1">391</ix:nonFraction> million</p>'
    )
    ((start, end, element),) = block.marks
    assert block.text[start:end] == "391"
    assert element.attrib["name"] == "us-gaap:Revenues"


def test_unclosed_tags_do_not_cost_the_text() -> None:
    parsed = parse(page("".join(f"<p><font size=2><b>paragraph number {n}" for n in range(3000))))
    assert "paragraph number 2999" in parsed.text


def test_deep_but_honest_nesting_is_read() -> None:
    assert texts("<div>" * 500 + "deep" + "</div>" * 500) == ["deep"]


@pytest.mark.parametrize("text", ["a\u00a0 b\u200b", "e\u0301", "\ufeffx \t\n y"])
def test_normalise_is_idempotent(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)
