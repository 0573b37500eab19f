"""What a run is asked for: dates, look-back, batches and labels, worked out by hand."""

from __future__ import annotations

import os
from datetime import UTC, date, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from filingforest_airflow import runs
from filingforest_airflow.settings import edgar_overrides, opensearch_overrides


def context(**more: Any) -> dict[str, Any]:
    params = {"date": None, "tickers": [" aapl ", ""], "forms": ["10-K"], "look_back_days": 3, "batch_size": 8, **more.pop("params", {})}
    run = SimpleNamespace(run_type=more.pop("run_type", "scheduled"), run_after=datetime(2024, 2, 2, 9, tzinfo=UTC))
    return {"params": params, "data_interval_start": datetime(2024, 1, 31, tzinfo=UTC), "dag_run": run, **more}


def test_the_interval_is_the_filing_date() -> None:
    assert runs.filing_date(context()) == date(2024, 1, 31)


def test_the_date_param_goes_over_the_interval() -> None:
    assert runs.filing_date(context(params={"date": "2024-01-05"})) == date(2024, 1, 5)


def test_a_run_without_an_interval_takes_yesterday() -> None:
    assert runs.filing_date(context(data_interval_start=None)) == date(2024, 2, 1)


def test_the_request_of_a_scheduled_night_looks_back() -> None:
    assert runs.request_of(context()) == {
        "source": "edgar", "since": "2024-01-31", "until": "2024-01-31", "tickers": ["AAPL"], "forms": ["10-K"], "lookback_days": 3,
    }  # fmt: skip


@pytest.mark.parametrize("kind", ["backfill", SimpleNamespace(value="backfill")])
def test_a_backfill_does_not_look_back(kind: Any) -> None:
    assert runs.request_of(context(run_type=kind))["lookback_days"] == 0


@pytest.mark.parametrize(
    ("now", "due"),
    [
        (datetime(2024, 2, 1, 3, 59, tzinfo=UTC), False),  # 22:59 in New York: the index may be minutes away
        (datetime(2024, 2, 1, 4, 0, tzinfo=UTC), True),
        (datetime(2025, 1, 1, tzinfo=UTC), True),
    ],
)
def test_the_index_is_due_four_hours_after_the_day(now: datetime, due: bool) -> None:
    assert runs.index_is_due(context(), now) is due


def test_batches_carry_their_accession_numbers() -> None:
    refs = [{"doc_id": f"d{n}", "accession": f"a{n}"} for n in range(5)]
    assert [b["label"] for b in runs.split(refs, 2)] == ["a0, a1", "a2, a3", "a4"]
    assert runs.split([], 2) == []


@given(st.integers(0, 3000), st.integers(1, 9), st.integers(1, 40))
def test_batches_keep_every_document_in_order_and_never_exceed_the_limit(count: int, size: int, limit: int) -> None:
    refs = [{"doc_id": str(n)} for n in range(count)]
    batches = runs.split(refs, size, limit)
    assert runs.documents(batches) == refs
    assert len(batches) <= limit


def test_long_labels_fit_the_column() -> None:
    text = runs.label([{"accession": f"0000000000-24-{n:06d}"} for n in range(100)])
    assert len(text) == runs.LABEL_LENGTH
    assert text.endswith(" …")


def test_a_skipped_map_holds_no_documents() -> None:
    assert runs.documents(None) == []


def test_settings_from_an_edgar_connection() -> None:
    connection = SimpleNamespace(host="replay.test", schema="http", port=8080, extra_dejson={"user_agent": "A b@example.org", "rate": 2})
    assert edgar_overrides(connection) == {
        "edgar.base_url": "http://replay.test:8080", "edgar.user_agent": "A b@example.org", "edgar.rate": 2,
    }  # fmt: skip
    assert edgar_overrides(None) == {}


def test_settings_from_an_opensearch_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENSEARCH_USER", "OPENSEARCH_PASSWORD"):
        monkeypatch.setenv(name, "")
    connection = SimpleNamespace(
        host="search.test", schema="", port=9200, login="publisher", password="secret", extra_dejson={"ca_certs": "/etc/ca.pem"}
    )
    given = opensearch_overrides(connection)
    assert given == {"opensearch.url": "https://search.test:9200", "opensearch.ca_certs": "/etc/ca.pem"}
    assert (os.environ["OPENSEARCH_USER"], os.environ["OPENSEARCH_PASSWORD"]) == ("publisher", "secret")
    assert opensearch_overrides(None) == {}
