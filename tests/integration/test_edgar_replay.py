"""The EDGAR source against a server that speaks EDGAR's paths: over our samples, a tiny archive with faults, and the corpus."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from filingforest.errors import ConfigError, SourceForbidden, SourceMissing, SourceUnavailable, TooLarge, TruncatedDocument, WrongFormat
from filingforest.sources.edgar import EdgarSource
from tests.support.replay import Replay
from tests.unit.sources.edgar_helpers import ACCESSION, CIK, FLAT, PAGE, archive, settings, write

SAMPLES = Path(__file__).resolve().parent.parent.parent / "samples"
DAY = date(2024, 1, 31)


@pytest.fixture
def samples() -> Iterator[Replay]:
    with Replay(SAMPLES) as server:
        yield server


@pytest.fixture
def tiny(tmp_path: Path) -> Iterator[Replay]:
    with Replay(archive(tmp_path / "archive")) as server:
        yield server


def source(server: Replay, tmp_path: Path, **more: Any) -> EdgarSource:
    return EdgarSource(settings(server.url, tmp_path, **more))


def test_a_day_of_the_samples(samples: Replay, tmp_path: Path) -> None:
    edgar = source(samples, tmp_path)
    refs = edgar.discover_day(date(2024, 11, 15), ["10-K"])
    assert [ref.doc_id for ref in refs] == ["0009900001-24-000057", "0009900002-24-000022"]
    raw = edgar.fetch(refs[0])
    assert raw.content == (SAMPLES / "Archives/edgar/data/9900001/000990000124000057/lrkf-20240930.htm").read_bytes()
    assert (raw.hint.company, raw.hint.ticker, raw.hint.sic, raw.hint.fiscal_year_end) == (
        "Larkfield Instruments, Inc.",
        "LRKF",
        "3823",
        "0930",
    )
    assert (raw.hint.period_end, raw.hint.filed_at, raw.hint.form) == ("2024-09-30", "2024-11-15", "10-K")
    assert raw.hint.source_url == "https://www.sec.gov/Archives/edgar/data/9900001/000990000124000057/lrkf-20240930.htm"
    assert raw.provenance["told_by"] == "index"
    assert raw.provenance["submissions"]["filing"]["acceptanceDateTime"].startswith("2024-11-15T")
    json.dumps([raw.provenance, raw.ref.to_dict()])  # both travel


def test_refs_do_not_depend_on_the_server(samples: Replay, tmp_path: Path) -> None:
    with Replay(SAMPLES) as other:
        assert source(samples, tmp_path).discover_day(date(2024, 11, 15)) == source(other, tmp_path).discover_day(date(2024, 11, 15))


def test_histories_by_ticker(samples: Replay, tmp_path: Path) -> None:
    edgar = source(samples, tmp_path)
    assert [(r.form, r.filed_at) for r in edgar.discover_tickers(["lrkf"])] == [
        ("10-Q", "2025-02-05"),
        ("10-K", "2024-11-15"),
        ("10-K", "2023-11-17"),
    ]
    some = edgar.discover_tickers(["LRKF", "HRCK"], ["10-K"], since=date(2023, 11, 1), until=date(2024, 11, 15))
    assert [r.filed_at for r in some] == ["2024-11-15", "2023-11-17", "2024-11-15"]
    with pytest.raises(ConfigError, match="PLWK"):
        edgar.discover_tickers(["PLWK"])
    assert [r.filed_at for r in edgar.discover_companies(["9900003"])] == ["1997-03-27"]


def test_filters_by_company(samples: Replay, tmp_path: Path) -> None:
    edgar = source(samples, tmp_path)
    assert [r.cik for r in edgar.discover_day(date(2024, 11, 15), tickers=["HRCK"])] == ["9900002"]
    assert [r.cik for r in edgar.discover_day(date(2024, 11, 15), ciks=["0009900001"])] == ["9900001"]
    assert edgar.discover_day(date(2024, 11, 15), ciks=["1"]) == []


def test_an_old_filing_comes_out_of_its_submission(samples: Replay, tmp_path: Path) -> None:
    edgar = source(samples, tmp_path)
    (ref,) = edgar.discover_day(date(1997, 3, 27), ["10-K"])
    raw = edgar.fetch(ref)
    assert raw.provenance["told_by"] == "submission"
    assert b"PELLWICK BEARINGS CORPORATION" in raw.content
    assert b"<TYPE>" not in raw.content
    assert b"<ARTICLE>" not in raw.content  # the second document
    assert edgar.exhibits(ref) == []  # a financial data schedule is data


def test_exhibits(samples: Replay, tmp_path: Path) -> None:
    edgar = source(samples, tmp_path)
    (ref,) = edgar.discover_day(date(2024, 11, 15), ciks=["9900001"])
    (exhibit,) = edgar.exhibits(ref)
    assert (exhibit.doc_id, exhibit.kind, exhibit.form) == ("0009900001-24-000057:ex-21-1", "exhibit", "EX-21.1")
    assert b"Corvane Sensing Ltd." in edgar.fetch(exhibit).content
    assert edgar.exhibits(ref, ["EX-13"]) == []


def test_the_submission_tells_the_same_as_the_index_page(tiny: Replay, tmp_path: Path) -> None:
    tiny.fail("-index.htm", status=404, times=-1)
    edgar = source(tiny, tmp_path)
    raw = edgar.fetch(edgar.discover_day(DAY)[0])
    assert (raw.content, raw.provenance["told_by"]) == (PAGE, "submission")
    assert raw.hint.source_url == f"https://www.sec.gov/Archives/edgar/data/{CIK}/{FLAT}/tiny-20231231.htm"


def test_the_submissions_column_is_the_last_resort(tiny: Replay, tmp_path: Path) -> None:
    tiny.fail(r"-index\.htm|\.txt", status=404, times=-1)
    edgar = source(tiny, tmp_path)
    raw = edgar.fetch(edgar.discover_day(DAY)[0])
    assert (raw.content, raw.provenance["told_by"]) == (PAGE, "submissions")


def test_days_without_an_index(tiny: Replay, tmp_path: Path) -> None:
    edgar = source(tiny, tmp_path)
    assert edgar.day(date(2024, 2, 19)).no_index == "a weekend or federal holiday"
    assert "closed" in (edgar.day(date(2024, 2, 20)).no_index or "")
    assert edgar.day(date(2024, 4, 1)).refs == []  # 403: the quarter has no folder yet
    tiny.fail("master", status=403, body="<html>Access denied</html>")
    assert edgar.day(date(2025, 7, 4)).no_index == "a weekend or federal holiday"
    assert edgar.discover_day(DAY)  # none of these was taken for a refusal


def test_an_index_that_is_not_there_yet(tiny: Replay, tmp_path: Path) -> None:
    edgar = EdgarSource(settings(tiny.url, tmp_path), now=lambda: datetime(2024, 2, 20, 20, tzinfo=UTC))
    with pytest.raises(SourceUnavailable, match="not there yet"):
        edgar.discover_day(date(2024, 2, 20))


def test_look_back(tiny: Replay, tmp_path: Path) -> None:
    refs = source(tiny, tmp_path).discover_days(date(2024, 2, 2), 2, ["10-K"])
    assert [ref.doc_id for ref in refs] == [ACCESSION]
    assert len(tiny.paths("master")) == 3


def test_broken_lines_are_listed(tmp_path: Path) -> None:
    broken = f"{CIK}|TINY CO|10-K|20241399|edgar/data/{CIK}/0009800001-24-000008.txt\n"
    with Replay(archive(tmp_path / "archive", broken)) as server:
        listing = source(server, tmp_path).day(DAY)
    assert [ref.doc_id for ref in listing.refs] == [ACCESSION]
    assert [bad.reason for bad in listing.skipped] == ["date '20241399' does not exist"]


@pytest.mark.parametrize("kind", ["cut", "cut_quietly"])
@pytest.mark.parametrize("pattern", ["master", "-index.htm", r"tiny-20231231\.htm", "submissions"])
def test_cut_bodies_heal(tiny: Replay, tmp_path: Path, kind: str, pattern: str) -> None:
    tiny.fail(pattern, kind=kind, times=2)
    edgar = source(tiny, tmp_path)
    assert edgar.fetch(edgar.discover_day(DAY)[0]).content == PAGE


def test_half_a_filing_is_not_a_document(tiny: Replay, tmp_path: Path) -> None:
    edgar = source(tiny, tmp_path)
    (ref,) = edgar.discover_day(DAY)
    tiny.fail(r"tiny-20231231\.htm", kind="cut_quietly", times=-1)
    with pytest.raises(TruncatedDocument, match=ACCESSION) as caught:
        edgar.fetch(ref)
    assert caught.value.remedy
    tiny.faults.clear()
    tiny.fail("-index.htm", status=404, times=-1)
    tiny.fail(r"\d\.txt", kind="cut_quietly", times=-1)
    with pytest.raises(TruncatedDocument):
        edgar.fetch(ref)


def test_half_an_index_is_not_a_day(tiny: Replay, tmp_path: Path) -> None:
    tiny.fail("master", kind="cut_quietly", times=-1)
    with pytest.raises(SourceUnavailable):
        source(tiny, tmp_path).discover_day(DAY)


def test_403_stops_every_source_until_the_cool_down_is_over(tiny: Replay, tmp_path: Path) -> None:
    edgar, other = source(tiny, tmp_path, cooldown_s=0.8), source(tiny, tmp_path)
    (ref,) = edgar.discover_day(DAY)
    tiny.fail(r"tiny-20231231\.htm", status=403)
    with pytest.raises(SourceForbidden):
        edgar.fetch(ref)
    asked = len(tiny.seen)
    with pytest.raises(SourceForbidden):
        other.discover_day(DAY)
    assert len(tiny.seen) == asked
    until = datetime.now(UTC) + timedelta(seconds=1)
    while datetime.now(UTC) < until:
        pass
    assert other.fetch(ref).content == PAGE


def test_no_user_agent_no_request(tiny: Replay, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="name and a mail address"):
        EdgarSource(settings(tiny.url, tmp_path).__class__(base_url=tiny.url))
    assert not tiny.seen


def test_a_filing_on_paper(tiny: Replay, tmp_path: Path) -> None:
    tiny.fail("-index.htm", status=404, times=-1)
    scan = "<DOCUMENT>\n<TYPE>10-K\n<SEQUENCE>1\n<TEXT>\nbegin 644 k.pdf\nM)5!$\nend\n</TEXT>\n</DOCUMENT>\n"
    write(tmp_path / "archive", f"Archives/edgar/data/{CIK}/{ACCESSION}.txt", f"<SEC-DOCUMENT>\n{scan}</SEC-DOCUMENT>\n")
    edgar = source(tiny, tmp_path)
    with pytest.raises(WrongFormat, match="no readable document in: 1 10-K"):
        edgar.fetch(edgar.discover_day(DAY)[0])


def test_a_filing_above_the_bound(tiny: Replay, tmp_path: Path) -> None:
    edgar = source(tiny, tmp_path, max_bytes=5_000)
    (ref,) = edgar.discover_day(DAY)
    with pytest.raises(TooLarge, match=r"edgar\.max_bytes"):
        edgar.fetch(ref)


def test_a_company_that_edgar_does_not_have(tiny: Replay, tmp_path: Path) -> None:
    (tmp_path / "archive" / f"submissions/CIK{CIK:010d}.json").unlink()
    edgar = source(tiny, tmp_path)
    with pytest.raises(SourceMissing):
        edgar.discover_companies([str(CIK)])
    raw = edgar.fetch(edgar.discover_day(DAY)[0])
    assert raw.hint.company == "TINY CO"  # what the index says
    assert raw.provenance["submissions"] is None


def test_older_pages_of_a_history(tiny: Replay, tmp_path: Path) -> None:
    root = tmp_path / "archive"
    place = root / f"submissions/CIK{CIK:010d}.json"
    data = json.loads(place.read_text())
    older = {"name": f"CIK{CIK:010d}-submissions-001.json", "filingCount": 1, "filingFrom": "2004-01-01", "filingTo": "2005-12-31"}
    data["filings"]["files"] = [older]
    place.write_text(json.dumps(data))
    row = {"accessionNumber": ["0009800001-05-000003", ACCESSION], "filingDate": ["2005-03-01", "2024-01-31"], "form": ["10-K", "10-K"]}
    write(root, f"submissions/{older['name']}", json.dumps(row))
    edgar = source(tiny, tmp_path)
    assert [r.doc_id for r in edgar.discover_companies([str(CIK)], ["10-K"])] == [ACCESSION, "0009800001-05-000003"]
    assert [r.doc_id for r in edgar.discover_companies([str(CIK)], since=date(2020, 1, 1))] == [ACCESSION]


def test_threads_share_one_limiter(samples: Replay, tmp_path: Path) -> None:
    sources = [source(samples, tmp_path, rate=8.0) for _ in range(4)]
    with ThreadPoolExecutor(8) as pool:
        jobs = [pool.submit(sources[n % 4].discover_day, date(2024, 11, 15)) for n in range(24)]
    assert all(len(job.result()) == 2 for job in jobs)
    assert samples.most_in(1.0) <= 10
    assert len(samples.seen) == 24


@pytest.mark.shared
def test_the_corpus_month(shared: Path, tmp_path: Path) -> None:
    """The sixteen 10-Ks filed on nine days from 2024-01-29 to 2024-02-29, byte for byte."""
    listed = {json.loads(line)["accession"]: json.loads(line) for line in (shared / "edgar/manifest.jsonl").read_text("utf-8").splitlines()}
    with Replay(shared / "edgar") as server:
        edgar = source(server, tmp_path, rate=8.0)
        days = [date(2024, 1, 29) + timedelta(days=n) for n in range(32)]
        found = {day: refs for day in days if (refs := edgar.discover_day(day, ["10-K"]))}
        refs = [ref for refs in found.values() for ref in refs]
        assert (len(refs), len(found)) == (16, 9)
        for ref in refs:
            told = listed[ref.doc_id]
            path = shared / f"edgar/Archives/edgar/data/{ref.cik}/{ref.doc_id.replace('-', '')}/{told['primary_document']}.gz"
            raw = edgar.fetch(ref)
            assert raw.content == gzip.decompress(path.read_bytes())
            assert (raw.hint.ticker, raw.hint.period_end, raw.hint.filed_at) == (told["ticker"], told["period_end"], told["filed"])
        assert server.most_in(1.0) <= 10
