"""A filing as they were in the 1990s: typed text in an SGML wrapper, dotted contents, page marks, no style at all."""

from __future__ import annotations

from filingforest.parse import parse_document
from filingforest.parse.model import DocumentHint

FILING = """<DOCUMENT>
<TYPE>10-K405
<SEQUENCE>1
<TEXT>
                                  FORM 10-K405

     For the fiscal year ended December 31, 1996

                                ACME LOOMS, INC.
             (Exact name of registrant as specified in its charter)

<PAGE>   2
                               TABLE OF CONTENTS

Item 1.    Business.......................................................     3
Item 3.    Legal Proceedings..............................................     4
Item 5.    Market for Registrant's Common Equity and Related
           Stockholder Matters............................................     4
Item 14.   Exhibits, Financial Statement Schedules and Reports on
           Form 8-K.......................................................     5

<PAGE>   3
                                     PART I

ITEM 1.  BUSINESS

     Acme Looms, Inc. rents looms to mills in several valleys of Ohio and is paid by
the yard of cloth that leaves them each month. Its looms are described in Item 2 of
this report, and the risks of renting them are discussed in

                                        3
<PAGE>   4
the notes to the financial statements.

ITEM 3.  LEGAL PROCEEDINGS

     None.

                                    PART II

ITEM 5.  MARKET FOR REGISTRANT'S COMMON EQUITY AND RELATED STOCKHOLDER
         MATTERS

     The common stock is traded on a regional exchange.

                                        4
<PAGE>   5
                                    PART IV

ITEM 14. EXHIBITS, FINANCIAL STATEMENT SCHEDULES AND REPORTS ON FORM 8-K

     (a) The articles of incorporation are filed with this report.

                                   SIGNATURES

     Pursuant to the requirements of Section 13 or 15(d) of the Securities Exchange
Act of 1934, the registrant has duly caused this report to be signed.
</TEXT>
</DOCUMENT>
"""


def test_an_old_filing() -> None:
    parsed = parse_document(FILING.encode(), DocumentHint(doc_id="d", name="old.txt"))
    assert [(i.item, i.part) for i in parsed.items] == [("1", "I"), ("3", "I"), ("5", "II"), ("14", "IV")]
    found = {i.item: i for i in parsed.items}
    assert "are discussed in the notes to the financial statements." in found["1"].text
    assert found["3"].status == "none"
    assert found["5"].heading == "ITEM 5. MARKET FOR REGISTRANT'S COMMON EQUITY AND RELATED STOCKHOLDER MATTERS"
    assert found["14"].text == "(a) The articles of incorporation are filed with this report."
    document = parsed.document
    assert (document["form"], document["company"], document["fiscal_year"]) == ("10-K405", "ACME LOOMS, INC.", 1996)
    unit = next(n for n in parsed.nodes if n.item == "1" and n.kind == "text")
    assert (unit.page, unit.page_end, unit.page_label) == (2, 3, "3")


CONTENTS = """
                                    PART I
ITEM 1.    BUSINESS . . . . . . . . . . . . . . . . . . . . . . . . . . . .   3
                                    PART II
ITEM 6.    SELECTED FINANCIAL DATA . . . . . . . . . . . . . . . . . . . .    6
ITEM 7.    MANAGEMENT'S DISCUSSION AND ANALYSIS OF FINANCIAL
             CONDITION AND RESULTS OF OPERATIONS . . . . . . . . . . . . .    7
ITEM 8.    FINANCIAL STATEMENTS AND SUPPLEMENTARY DATA . . . . . . . . . .    8
"""


def test_contents_cut_up_by_parts_are_no_table() -> None:
    start, end = FILING.index("Item 1.    Business..."), FILING.index("<PAGE>   3")
    filing = FILING[:start] + CONTENTS.lstrip("\n") + "\n" + FILING[end:]
    parsed = parse_document(filing.encode(), DocumentHint(doc_id="t:1", name="a.txt"))
    assert not [n for n in parsed.nodes if n.kind == "table" and "DISCUSSION" in (n.text or "")]
