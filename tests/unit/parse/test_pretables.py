"""Text tables inside `<pre>`: columns by their places in the line, with EDGAR's marks and without."""

from __future__ import annotations

import pytest

from filingforest.parse import parse_document
from filingforest.parse.model import DocumentHint, Node
from filingforest.parse.pretables import keep_marks

LINES = """
                     CONSOLIDATED STATEMENTS OF INCOME
                          (Dollars in thousands)

{table}
                                      Year Ended December 31,
                                   ----------------------------
                                       1996            1995
{columns}
Net sales.....................      $ 123,456       $ 110,200
Cost of goods sold............         80,123          71,900
Other income (expense), net...           (512)            230
                                    ---------       ---------
Net income....................      $  42,821       $  38,530
                                    =========       =========
{end}
"""
MARKED = LINES.format(table="<TABLE>\n<CAPTION>", columns="<S>                                <C>             <C>", end="</TABLE>")
PLAIN = LINES.format(table="", columns="", end="")


def tables(pre: str) -> list[Node]:
    prose = "<p>Sales grew in every region, as customers bought more of what we make and told others of it.</p>"
    page = f"<html><body>{prose * 30}<pre>{pre}</pre><p>See the notes.</p></body></html>"
    parsed = parse_document(page.encode(), DocumentHint(doc_id="x:1", name="a.htm"))
    assert "See the notes." in parsed.text
    return [n for n in parsed.nodes if n.kind == "table"]


@pytest.mark.parametrize("pre", [MARKED, PLAIN], ids=["marked", "plain"])
def test_a_statement_in_pre_text_is_a_table_unit(pre: str) -> None:
    (node,) = tables(pre)
    assert node.table is not None
    assert node.table["columns"] == ["Year Ended December 31, 1996", "Year Ended December 31, 1995"]
    assert node.table["scale_note"] == "(Dollars in thousands)"
    assert [(r["label"], r["values"]) for r in node.table["rows"]] == [
        ("Net sales", [123456.0, 110200.0]),
        ("Cost of goods sold", [80123.0, 71900.0]),
        ("Other income (expense), net", [-512.0, 230.0]),
        ("Net income", [42821.0, 38530.0]),
    ]


def test_marks_are_kept_only_inside_pre_and_only_where_there_are_columns() -> None:
    assert keep_marks("<table><tr><td>1</td></tr></table><pre>a <s>b</pre>") == "<table><tr><td>1</td></tr></table><pre>a &lt;s&gt;b</pre>"
    assert keep_marks("<pre><TABLE>x</TABLE></pre>") == "<pre><TABLE>x</TABLE></pre>"
