"""Flags, DAG params and retried failures ask for work in the same words."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from filingforest.errors import ConfigError
from filingforest.request import Request, parse_dates


def test_a_span_of_days_is_a_night_a_weekday() -> None:
    nights = Request("edgar", "2024-02-01", "2024-02-06", forms=("10-K",)).nights()
    assert [n.interval for n in nights] == ["2024-02-01", "2024-02-02", "2024-02-05", "2024-02-06"]
    assert all(n.since == n.until and n.forms == ("10-K",) for n in nights)


def test_a_single_day_is_asked_for_even_on_a_sunday() -> None:
    assert [n.interval for n in Request("edgar", "2024-02-04", "2024-02-04").nights()] == ["2024-02-04"]


def test_tickers_narrow_a_day_down_and_ask_for_histories_otherwise() -> None:
    assert not Request("edgar", "2024-02-01", "2024-02-01", tickers=("ABC",)).by_history
    history = Request("edgar", "2020-01-01", "2024-12-31", tickers=("xyz", "ABC"))
    assert history.by_history
    assert [n.interval for n in history.nights()] == ["2020-01-01~2024-12-31~ABC~XYZ"]
    assert Request("edgar", tickers=("ABC",)).interval == "all~ABC"


def test_files() -> None:
    asked = Request("folder", inputs=("a.htm", "b"))
    assert asked.interval == "a.htm~b"
    assert Request("folder", inputs=("/somewhere/reports/",)).interval == "reports"
    assert asked.to_dict() == {"source": "folder", "inputs": ["a.htm", "b"]}


def test_a_folder_has_one_interval_however_it_is_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "reports" / "inner").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "reports")
    assert [Request("folder", inputs=(typed,)).interval for typed in (".", "inner/..", str(tmp_path / "reports"))] == ["reports"] * 3


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"source": "usenet"}, "unknown source"),
        ({"source": "folder"}, "--input"),
        ({"source": "folder", "inputs": ["a", ""]}, "an input was named and is empty"),
        ({"source": "edgar"}, "--date"),
        ({"source": "edgar", "since": "2024-02-02", "until": "2024-02-01"}, "is after"),
        ({"source": "edgar", "since": "2024-02-30", "until": "2024-02-30"}, "is not a date"),
        ({"source": "edgar", "since": "2024-02-01"}, "needs its end"),
        ({"source": "edgar", "tickers": ["A"], "lookback_days": -1}, "negative"),
        ({"source": "edgar", "tickers": ["A"], "lookback_days": 99_999_999}, "too many"),
        ({"source": "edgar", "ticker": "A"}, "unknown request key"),
    ],
)
def test_wrong_requests_say_what_is_wrong(asked: dict[str, object], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        Request.from_dict(asked).nights()


@pytest.mark.parametrize("text", ["2024-01-29..2024-02-02", "2024-01-29:2024-02-02", "2024-01-29 .. 2024-02-02"])
def test_spans(text: str) -> None:
    assert parse_dates(text) == ("2024-01-29", "2024-02-02")


@pytest.mark.parametrize("text", ["", "..", "2024-01-29..", "yesterday", "2024-1-29", "2024-01-01..2024-01-02..2024-01-03"])
def test_what_is_no_date(text: str) -> None:
    with pytest.raises(ConfigError, match="2024-01-31"):
        parse_dates(text)


@given(st.dates(), st.dates(), st.lists(st.from_regex("[A-Z]{1,4}", fullmatch=True), max_size=3))
def test_requests_travel_as_plain_values(one: object, other: object, tickers: list[str]) -> None:
    since, until = sorted((str(one), str(other)))
    asked = Request("edgar", since, until, tickers=tuple(tickers), lookback_days=2)
    assert Request.from_dict(asked.to_dict()) == asked
