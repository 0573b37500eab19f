"""What a submission's header and an untagged cover say of a filing."""

from __future__ import annotations

from filingforest.parse import parse_document
from filingforest.parse.cover import company_by_place, ticker_in
from filingforest.parse.model import DocumentHint
from filingforest.parse.submission import header_hint

HEADER = """\
<SEC-DOCUMENT>0000999999-97-000001.txt : 19970328
<SEC-HEADER>0000999999-97-000001.hdr.sgml : 19970328
ACCESSION NUMBER:\t\t0000999999-97-000001
CONFORMED SUBMISSION TYPE:\t10-K405
PUBLIC DOCUMENT COUNT:\t\t2
CONFORMED PERIOD OF REPORT:\t19961231
FILED AS OF DATE:\t\t19970328

FILER:

\tCOMPANY DATA:\t
\t\tCOMPANY CONFORMED NAME:\t\t\tTHORNFIELD MILLS CORP
\t\tCENTRAL INDEX KEY:\t\t\t0000999999
\t\tSTANDARD INDUSTRIAL CLASSIFICATION:\tTEXTILE MILL PRODUCTS [2200]
\t\tFISCAL YEAR END:\t\t\t1231

FILER:

\tCOMPANY DATA:\t
\t\tCOMPANY CONFORMED NAME:\t\t\tTHORNFIELD FINANCE CO
\t\tCENTRAL INDEX KEY:\t\t\t0000999998
</SEC-HEADER>
"""
BODY = "ITEM 1.  BUSINESS\n\n     The Company spins, weaves and dyes cotton in three mills.\n"
SUBMISSION = f"{HEADER}<DOCUMENT>\n<TYPE>10-K405\n<SEQUENCE>1\n<TEXT>\n{BODY}</TEXT>\n</DOCUMENT>\n<DOCUMENT>\n<TYPE>EX-27\n<TEXT>\nx\n</TEXT>\n</DOCUMENT>\n"


def test_a_header_fills_in_what_is_not_known() -> None:
    hint = header_hint(HEADER, DocumentHint("folder:x", filed_at="1997-04-01"))
    assert (hint.form, hint.company, hint.cik, hint.period_end) == ("10-K405", "THORNFIELD MILLS CORP", "0000999999", "1996-12-31")
    assert (hint.sic, hint.industry, hint.fiscal_year_end) == ("2200", "Textile Mill Products", "1231")
    assert hint.filed_at == "1997-04-01"
    assert [e["name"] for e in hint.entities] == ["THORNFIELD MILLS CORP", "THORNFIELD FINANCE CO"]
    assert header_hint("", hint) is hint


def test_a_submission_is_its_first_document_and_its_header() -> None:
    parsed = parse_document(SUBMISSION.encode(), DocumentHint("folder:x", name="x.txt"))
    assert parsed.text.strip() == BODY.strip()
    assert [(i.item, i.status) for i in parsed.items] == [("1", "full")]
    document = parsed.document
    assert (document["company"], document["form"], document["fiscal_year"]) == ("THORNFIELD MILLS CORP", "10-K405", 1996)
    assert len(document["entities"]) == 2


def test_the_name_under_the_file_number_and_the_symbol_in_the_table() -> None:
    texts = ["FORM 10-K", "Commission file number 1-0000", "THORNFIELD COMPANY", "State of incorporation: Ohio"]
    assert company_by_place(texts) == "THORNFIELD COMPANY"
    assert company_by_place(["FORM 10-K", "THORNFIELD COMPANY"]) is None
    table = ["Title of each class Trading Symbol(s) Name of each exchange", "1.5% Notes due 2030 THF30 New York Stock Exchange"]
    rows = [*table, "Common Stock, par value $.01 THF New York Stock Exchange"]
    assert ticker_in(rows) == "THF"
    assert ticker_in(["Common Stock THF New York Stock Exchange", "(Title of class) (Trading symbol) (Exchange)"]) == "THF"
    assert ticker_in(["Common Stock THF New York Stock Exchange"]) is None
