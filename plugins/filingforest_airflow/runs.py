"""What one DAG run is asked for: its params and its interval in the library's words.

One interval is one filing date. The daily index of a date appears about 22:45 New York time, hours after the interval's end in UTC.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

INDEX_DELAY = datetime.timedelta(hours=4)  # after 00:00 UTC: past 22:45 New York in summer and winter
LABEL_LENGTH = 250  # Airflow's column for a mapped task's label


def filing_date(context: Mapping[str, Any]) -> datetime.date:
    """The `date` param, else the interval's day; a run without an interval takes the last day that is over."""
    if context["params"].get("date"):
        return datetime.date.fromisoformat(context["params"]["date"])
    start = context.get("data_interval_start")
    if start is not None:
        return datetime.date(start.year, start.month, start.day)
    after = context["dag_run"].run_after
    return datetime.date(after.year, after.month, after.day) - datetime.timedelta(days=1)


def index_is_due(context: Mapping[str, Any], now: datetime.datetime | None = None) -> bool:
    """Whether EDGAR's index of the run's date can be expected by now; in a backfill it always can."""
    day = datetime.datetime.combine(filing_date(context), datetime.time(), datetime.UTC)
    return (now or datetime.datetime.now(datetime.UTC)) >= day + datetime.timedelta(days=1) + INDEX_DELAY


def request_of(context: Mapping[str, Any]) -> dict[str, Any]:
    """The library's `Request` as plain values. A backfill has a run for each day, so its runs do not look back."""
    params, day = context["params"], filing_date(context).isoformat()
    backfill = str(getattr(context["dag_run"].run_type, "value", context["dag_run"].run_type)) == "backfill"
    return {
        "source": "edgar",
        "since": day,
        "until": day,
        "tickers": [t.strip().upper() for t in params["tickers"] if t.strip()],
        "forms": list(params["forms"]),
        "lookback_days": 0 if backfill else params["look_back_days"],
    }


def split(refs: Sequence[Mapping[str, Any]], size: int, limit: int = 1000) -> list[dict[str, Any]]:
    """Batches of `size` documents, larger ones where there would be more than `limit`: Airflow maps at most 1,024 tasks."""
    size = max(size, -(-len(refs) // limit), 1)
    parts = [list(refs[start : start + size]) for start in range(0, len(refs), size)]
    return [{"label": label(part), "documents": part} for part in parts]


def label(documents: Sequence[Mapping[str, Any]]) -> str:
    """What the grid shows for a batch: its accession numbers."""
    text = ", ".join(str(d.get("accession") or d.get("doc_id")) for d in documents)
    return text if len(text) <= LABEL_LENGTH else text[: LABEL_LENGTH - 2] + " …"


def documents(batches: Iterable[Mapping[str, Any]] | None) -> list[dict[str, Any]]:
    """All documents of the batches; None is what a map over nothing leaves behind."""
    return [document for batch in batches or () for document in batch["documents"]]
