"""How EDGAR's indexes, submissions and filings are read: values worked out by hand, and no input that breaks a day."""

from __future__ import annotations

from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from filingforest.sources import edgar_calendar as calendar
from filingforest.sources.edgar_client import index_absent, whole_document
from filingforest.sources.edgar_filing import Part, choose_primary, exhibits_of, is_whole_submission, read_index_page, read_submission
from filingforest.sources.edgar_forms import base_form, wanted_form
from filingforest.sources.edgar_index import Entry, index_path, read_date, read_index
from filingforest.sources.edgar_submissions import clean_ticker, older_files, read_rows, read_tickers, snapshot
from filingforest.sources.http import Fetched

HEAD = "Comments: x\n \nCIK|Company Name|Form Type|Date Filed|File Name\n" + "-" * 80 + "\n"
GOOD = "320|ACME & CO|10-K|20240131|edgar/data/320/0000000320-24-000001.txt\n"


def test_index_line() -> None:
    entries, skipped = read_index((HEAD + GOOD).encode())
    assert entries == [Entry("0000000320-24-000001", "10-K", "ACME & CO", "2024-01-31", ("320",))]
    assert not skipped


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("320|A|10-K|20240231|edgar/data/320/0000000320-24-000001.txt", "does not exist"),
        ("320|A|10-K|31.01.2024|edgar/data/320/0000000320-24-000001.txt", "neither"),
        ("320|A|10-K||edgar/data/320/0000000320-24-000001.txt", "neither"),
        ("320|A|10-K|19010101|edgar/data/320/0000000320-24-000001.txt", "before EDGAR"),
        ("320|A|10-K|20240131", "4 fields"),
        ("320|A|B|10-K|20240131|edgar/data/320/0000000320-24-000001.txt", "6 fields"),
        ("x|A|10-K|20240131|edgar/data/320/0000000320-24-000001.txt", "CIK"),
        ("320|A||20240131|edgar/data/320/0000000320-24-000001.txt", "no form"),
        ("320|A|10-K|20240131|edgar/data/320/../../passwd", "file name"),
        ("320|A|10-K|20240131|edgar/data/320/0000000320-24-0000", "file name"),
    ],
)
def test_broken_lines_cost_themselves(line: str, reason: str) -> None:
    entries, skipped = read_index((HEAD + line + "\n" + GOOD).encode())
    assert len(entries) == 1
    assert reason in skipped[0].reason
    assert (skipped[0].line, skipped[0].text) == (5, line)


def test_joint_filings_are_one() -> None:
    other = GOOD.replace("320|ACME & CO", "77|ACME FINANCE").replace("data/320", "data/77")
    entries, _ = read_index((HEAD + other + GOOD).encode())
    assert [(e.company, e.ciks) for e in entries] == [("ACME FINANCE", ("77", "320"))]


def test_latin_1_names() -> None:
    entries, _ = read_index((HEAD + GOOD.replace("ACME", "CAFÉ")).encode("latin-1"))
    assert entries[0].company == "CAFÉ & CO"


@given(st.binary(max_size=2_000))
def test_any_bytes_are_read_without_an_error(content: bytes) -> None:
    read_index(HEAD.encode() + content)


def test_full_index_dates() -> None:
    assert read_date("2024-01-31") == read_date("20240131") == "2024-01-31"
    assert index_path(date(2024, 11, 1)) == "/Archives/edgar/daily-index/2024/QTR4/master.20241101.idx"


def test_forms() -> None:
    assert wanted_form("10-K", ["10-K"])
    assert wanted_form("10-K/A", ["10-k"])
    assert not wanted_form("10-K405", ["10-K"])
    assert not wanted_form("10-KT", ["10-K"])
    assert wanted_form("10-K405", ["10-K", "10-K405"])
    assert not wanted_form("10-K", ["10-K/A"])
    assert wanted_form("8-K", [])
    assert base_form("10-k/a") == "10-K"


def test_holidays_of_2024() -> None:
    # the Office of Personnel Management's list for 2024
    assert sorted(f"{d:%m-%d}" for d in calendar.holidays(2024)) == [
        *("01-01", "01-15", "02-19", "05-27", "06-19", "07-04", "09-02", "10-14", "11-11", "11-28", "12-25"),
    ]


def test_holidays_kept_on_another_day() -> None:
    assert date(2021, 7, 5) in calendar.holidays(2021)  # 4 July 2021 was a Sunday
    assert date(2021, 12, 24) in calendar.holidays(2021)  # Christmas 2021 was a Saturday
    assert date(2021, 12, 31) in calendar.holidays(2021)  # New Year 2022 was a Saturday
    assert date(2022, 1, 1) not in calendar.holidays(2022)


def test_business_days_back() -> None:
    assert calendar.back(date(2024, 1, 16), 2) == [date(2024, 1, 11), date(2024, 1, 12), date(2024, 1, 16)]  # over a weekend and a holiday


def test_when_an_index_may_come() -> None:
    day = date(2024, 1, 31)
    assert calendar.may_come(day, datetime(2024, 1, 31, 18, tzinfo=calendar.EASTERN))
    assert not calendar.may_come(day, datetime(2024, 2, 1, 7, tzinfo=calendar.EASTERN))
    assert not calendar.may_come(date(2024, 2, 3), datetime(2024, 2, 3, 18, tzinfo=calendar.EASTERN))  # a Saturday


@pytest.mark.parametrize(
    ("day", "status", "body", "absent"),
    [
        (date(2024, 1, 31), 404, b"", True),
        (date(2024, 1, 31), 403, b"", False),  # a business day: we are refused
        (date(2024, 1, 31), 403, b"<Code>AccessDenied</Code>", True),
        (date(2024, 4, 1), 403, b"", True),  # the first day of a quarter
        (date(2024, 1, 2), 403, b"", True),  # the first business day of a quarter
        (date(2024, 1, 3), 403, b"", False),
        (date(2024, 7, 4), 403, b"", True),  # a holiday
        (date(2024, 4, 1), 403, b"Request Rate Threshold Exceeded", False),
        (date(2024, 4, 1), 403, b"from an Undeclared Automated Tool", False),
        (date(2024, 4, 1), 500, b"", False),
    ],
)
def test_what_says_that_there_is_no_index(day: date, status: int, body: bytes, absent: bool) -> None:
    assert index_absent(day)(status, body) is absent


def parts(*told: tuple[int, str, str]) -> list[Part]:
    return [Part(*x) for x in told]


@pytest.mark.parametrize(
    ("told", "form", "name"),
    [
        ([(2, "EX-13", "a.htm"), (1, "10-K", "b.htm")], "10-K", "b.htm"),
        ([(1, "EX-10", "a.htm"), (3, "10-K", "c.htm"), (2, "10-K", "b.htm")], "10-K", "b.htm"),
        ([(1, "10-K", "scan.pdf"), (2, "10-K", "b.htm")], "10-K", "b.htm"),
        ([(1, "10-K405", "b.txt")], "10-K", "b.txt"),
        ([(1, "10-K", "b.htm")], "10-K/A", "b.htm"),
        ([(1, "COVER", "cover.txt"), (2, "10-K", "b.htm")], "10-K", "b.htm"),
        ([(1, "10-K", "")], "10-K", ""),
        ([(1, "GRAPHIC", "a.jpg"), (2, "EX-99", "a.htm")], "10-K", None),
    ],
)
def test_primary_by_sequence_and_type(told: list[tuple[int, str, str]], form: str, name: str | None) -> None:
    chosen = choose_primary(parts(*told), form)
    assert (chosen.filename if chosen else None) == name


def test_exhibits() -> None:
    told = parts(
        (1, "10-K", "a.htm"), (2, "EX-10.1", "b.htm"), (3, "EX-10.1", "c.htm"), (4, "EX-101.INS", "d.xml"),
        (5, "EX-13", "e.pdf"), (6, "EX-21", "f.htm")
    )  # fmt: skip
    assert [(key, part.filename) for key, part in exhibits_of(told)] == [
        ("ex-10-1", "b.htm"),
        ("ex-10-1-seq3", "c.htm"),
        ("ex-21", "f.htm"),
    ]
    assert [key for key, _ in exhibits_of(told, ["EX-10"])] == ["ex-10-1", "ex-10-1-seq3"]
    assert [key for key, _ in exhibits_of(told, ["EX-1"])] == []


SUBMISSION = b"""<SEC-DOCUMENT>x.txt
<SEC-HEADER>
FILER:
\tCOMPANY DATA:
\t\tCOMPANY CONFORMED NAME:\t\t\tACME & CO
\t\tCENTRAL INDEX KEY:\t\t\t0000000320
FILER:
\tCOMPANY DATA:
\t\tCOMPANY CONFORMED NAME:\t\t\tACME FINANCE
\t\tCENTRAL INDEX KEY:\t\t\t0000000077
</SEC-HEADER>
<DOCUMENT>
<TYPE>EX-13
<SEQUENCE>2
<FILENAME>e.htm
<TEXT>
<html>exhibit</html>
</TEXT>
</DOCUMENT>
<DOCUMENT>
<TYPE>10-K
<SEQUENCE>1
<FILENAME>k.htm
<DESCRIPTION>ANNUAL REPORT
<TEXT>
<XBRL>
<html>says &lt;TEXT&gt; and </TEXT> too</html>
</XBRL>
</TEXT>
</DOCUMENT>
<DOCUMENT>
<TYPE>10-K
<SEQUENCE>3
<FILENAME>k.txt
<TEXT>
begin 644 k.pdf
M)5!$1BTQ+C,*
end
</TEXT>
</DOCUMENT>
</SEC-DOCUMENT>
"""


def test_submission() -> None:
    filing = read_submission(SUBMISSION)
    assert filing.filers == (("320", "ACME & CO"), ("77", "ACME FINANCE"))
    assert [(p.sequence, p.type, p.filename, p.readable) for p in filing.parts] == [
        *((2, "EX-13", "e.htm", True), (1, "10-K", "k.htm", True), (3, "10-K", "k.txt", False)),
    ]
    chosen = choose_primary(filing.parts, "10-K")
    assert chosen is not None
    assert chosen.text == b"<html>says &lt;TEXT&gt; and </TEXT> too</html>"
    assert is_whole_submission(SUBMISSION)
    assert not is_whole_submission(SUBMISSION[: len(SUBMISSION) // 2])


def test_submission_without_documents() -> None:
    with pytest.raises(ValueError, match="no <DOCUMENT>"):
        read_submission(b"<SEC-DOCUMENT>")


@given(st.binary(max_size=500))
def test_a_document_survives_its_wrapping(content: bytes) -> None:
    if any(mark in content for mark in (b"<", b"begin ")) or content[:1] in (b"\r", b"\n") or content[-1:] in (b"\r", b"\n"):
        return
    wrapped = b"<DOCUMENT>\n<TYPE>10-K\n<SEQUENCE>1\n<TEXT>\n" + content + b"\n</TEXT>\n</DOCUMENT>\n"
    assert read_submission(wrapped).parts[0].text == content


INDEX_PAGE = b"""<html><body><table class="tableFile" summary="Document Format Files">
<tr><th scope="col"><acronym title="Sequence Number">Seq</acronym></th>
<th>Description</th><th>Document</th><th>Type</th><th>Size</th></tr>
<tr><td>1</td><td>10-K</td><td><a href="/ix?doc=/Archives/edgar/data/320/000000032024000001/k.htm">k.htm</a> <span>iXBRL</span></td>
<td>10-K</td><td>1234</td></tr>
<tr><td>2</td><td></td><td><a href="/Archives/edgar/data/320/000000032024000001/0000000320-24-000001.txt">x</a></td>
<td>EX-13</td><td>&nbsp;</td></tr>
<tr><td>&nbsp;</td><td>Complete submission text file</td><td><a href="/x.txt">x.txt</a></td><td>&nbsp;</td><td>99</td></tr></table>
<span class="companyName">ACME &amp; CO (Filer)
 <acronym title="Central Index Key">CIK</acronym>: <a href="/cgi">0000000320 (see all company filings)</a></span></body></html>"""


def test_index_page() -> None:
    filing = read_index_page(INDEX_PAGE)
    assert [(p.sequence, p.type, p.filename, p.size) for p in filing.parts] == [(1, "10-K", "k.htm", 1234), (2, "EX-13", "", None)]
    assert filing.filers == (("320", "ACME & CO"),)


@pytest.mark.parametrize("page", [b"<html><body>Service unavailable</body></html>", b"<table><tr><th>Seq</th></tr></table>"])
def test_a_page_of_another_shape(page: bytes) -> None:
    with pytest.raises(ValueError, match="no table"):
        read_index_page(page)


@pytest.mark.parametrize(
    ("content", "name", "size", "measured", "whole"),
    [
        (b"<html>x</html>", "a.htm", None, False, True),
        (b"<HTML>x</BODY></HTML>\n\n", "a.htm", None, True, True),
        (b"<html>x", "a.htm", None, True, False),
        (b"<html>x", "a.htm", 7, True, True),  # the filer left the end out; the index's size agrees
        (b"<html>x", "a.htm", 8, True, False),
        (b"plain half", "a.htm", None, True, False),
        (b"plain", "a.txt", None, True, True),
        (b"plain", "a.txt", None, False, False),
        (b"<html>x", "a.txt", None, True, False),
        (b"%PDF-1.4 x", "a.htm", None, True, True),  # not HTML whatever it is called: the parser says so
    ],
)
def test_when_a_document_is_whole(content: bytes, name: str, size: int | None, measured: bool, whole: bool) -> None:
    assert whole_document(size)(Fetched(f"http://x/{name}", content, {}, measured)) is whole


COLUMNS = {
    "accessionNumber": ["0000000320-24-000002", "0000000320-24-000001", "0000000320-23-000009"],
    "form": ["10-Q", "10-K", ""],
    "filingDate": ["2024-05-01", "2024-13-01", "2023-05-01"],
    "reportDate": ["2024-03-31"],
}


def test_submission_rows() -> None:
    rows, skipped = read_rows(COLUMNS, "0000000320", "Acme")
    assert [(r.entry.accession, r.entry.form, r.entry.ciks, r.columns["reportDate"]) for r in rows] == [
        ("0000000320-24-000002", "10-Q", ("320",), "2024-03-31"),
    ]
    assert [(s.line, s.reason.split()[0]) for s in skipped] == [(2, "date"), (3, "no")]


def test_older_files() -> None:
    files = [
        {"name": "a.json", "filingFrom": "2010-01-01", "filingTo": "2015-12-31"},
        {"name": "b.json", "filingFrom": "2016-01-01", "filingTo": "2020-12-31"},
    ]
    data = {"filings": {"files": files}}
    assert older_files(data, None, None) == ["a.json", "b.json"]
    assert older_files(data, "2016-01-01", None) == ["b.json"]
    assert older_files(data, None, "2015-06-30") == ["a.json"]
    assert older_files(data, "2021-01-01", None) == []


def test_snapshot_keeps_what_is_known() -> None:
    rows, _ = read_rows(COLUMNS, "320", "Acme")
    data = {
        "cik": "320",
        "name": "Acme",
        "sic": "3823",
        "tickers": ["ACM"],
        "website": "",
        "formerNames": [{"name": "Old Acme", "from": "x"}],
        "filings": {},
    }
    kept = snapshot(data, rows[0])
    assert kept["formerNames"] == ["Old Acme"]
    assert kept["filing"]["reportDate"] == "2024-03-31"
    assert "website" not in kept


def test_tickers() -> None:
    data = {"0": {"cik_str": 320, "ticker": "ACM-B", "title": "Acme"}, "1": {"cik_str": "x", "ticker": "BAD"}, "2": None}
    assert read_tickers(data) == {"ACM-B": "320"}
    assert clean_ticker(" acm.b ") == clean_ticker("ACM/B") == "ACM-B"
