"""A publication's documents as the reader needs them: who filed what, for which year, and when it was known."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_NO_NAME = re.compile(r"\d+|(?:fy|cy)?\d{2,4}|q[1-4]|[1-4]q|\d{1,2}-?[kq]a?|[kq]|annual|report|form|final|dated|earnings", re.I)

COLUMNS = (
    "doc_id", "source", "kind", "form", "form_base", "entities", "company", "cik", "ticker", "industry", "fiscal_year", "fiscal_period",
    "period_end", "filed_at", "accepted_at", "known_from", "published_at", "language", "title", "source_url",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Document:
    """One document of a publication; columns as in the table `documents`."""

    doc_id: str
    source: str | None
    kind: str | None
    form: str | None
    form_base: str | None
    company: str | None
    cik: str | None
    names: tuple[str, ...]
    ciks: tuple[str, ...]
    tickers: tuple[str, ...]
    fiscal_year: int | None
    fiscal_period: str | None
    period_end: str | None
    filed_at: str | None
    known_from: str | None
    language: str | None
    title: str | None
    source_url: str | None

    @classmethod
    def of_row(cls, row: Mapping[str, Any]) -> Document:
        """From a row of `documents`."""
        entities = row.get("entities") or []

        def values(name: str, own: str, *more: str) -> tuple[str, ...]:
            found = [row.get(own), *(entity.get(name) for entity in entities), *more]
            return tuple(dict.fromkeys(value for value in found if value))

        filed = row.get("filed_at") or (row.get("published_at") or "")[:10] or None
        return cls(
            doc_id=row["doc_id"],
            **{name: row.get(name) for name in _SAME},
            names=values("name", "company", file_name(row["doc_id"]) if row.get("source") == "folder" and row.get("form") else ""),
            ciks=values("cik", "cik"),
            tickers=values("ticker", "ticker"),
            filed_at=filed,
            known_from=row.get("known_from") or row.get("accepted_at") or filed,
        )

    @property
    def latest(self) -> str:
        """What newness is judged by: period end, else filing date."""
        return self.period_end or self.filed_at or ""


_SAME = tuple(name for name in Document.__slots__ if name in COLUMNS and name != "filed_at" and name != "known_from" and name != "doc_id")


def file_name(doc_id: str) -> str:
    """What a folder's document is called, without years, forms and numbers: "folder:Acme_Widgets_2023_10K" -> "Acme Widgets"."""
    words = re.split(r"[_.\s-]+", doc_id.partition(":")[2])
    return " ".join(word for word in words if word and not _NO_NAME.fullmatch(word))
