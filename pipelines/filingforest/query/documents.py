"""A publication's documents as the reader needs them: who filed what, for which year, and when it was known."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

import numpy as np
import numpy.typing as npt

_NO_NAME = re.compile(r"\d+|(?:fy|cy)?\d{2,4}|q[1-4]|[1-4]q|\d{1,2}-?[kq]a?|[kq]|annual|report|form|final|dated|earnings", re.I)

INTERIM_PERIODS = ("Q1", "Q2", "Q3")
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
    def doc_name(self) -> str:
        """The id without its source: what a folder's file is called."""
        return self.doc_id.partition(":")[2]

    @property
    def doc_id_folded(self) -> str:
        return self.doc_id.lower()

    @property
    def form_folded(self) -> str:
        return (self.form or "").upper()

    @property
    def form_base_folded(self) -> str:
        return (self.form_base or "").upper()

    @property
    def base_language(self) -> str:
        """en of en-GB."""
        return (self.language or "").partition("-")[0]

    @property
    def latest(self) -> str:
        """What newness is judged by: period end, else filing date."""
        return self.period_end or self.filed_at or ""


_SAME = tuple(name for name in Document.__slots__ if name in COLUMNS and name != "filed_at" and name != "known_from" and name != "doc_id")


def file_name(doc_id: str) -> str:
    """What a folder's document is called, without years, forms and numbers: "folder:Acme_Widgets_2023_10K" -> "Acme Widgets"."""
    words = re.split(r"[_.\s-]+", doc_id.partition(":")[2])
    return " ".join(word for word in words if word and not _NO_NAME.fullmatch(word))


class Documents(Sequence[Document]):
    """The documents of a publication, with their fields as arrays: filters look at all of them for every question. Never changes."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._documents = tuple(documents)
        self._texts: dict[str, npt.NDArray[np.str_]] = {}

    @classmethod
    def of(cls, documents: Sequence[Document]) -> Documents:
        """`documents` itself where it is one already."""
        return documents if isinstance(documents, cls) else cls(documents)

    @overload
    def __getitem__(self, place: int) -> Document: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Document, ...]: ...
    def __getitem__(self, place: int | slice) -> Document | tuple[Document, ...]:
        return self._documents[place]

    def __len__(self) -> int:
        return len(self._documents)

    def text(self, name: str) -> npt.NDArray[np.str_]:
        """A field as texts; "" where a document has none."""
        if name not in self._texts:
            self._texts[name] = np.array([getattr(d, name) or "" for d in self._documents], dtype=np.str_)
        return self._texts[name]

    def among(self, name: str, values: Iterable[str]) -> npt.NDArray[np.bool_]:
        """One flag a document: whether its field is one of `values`."""
        found = np.zeros(len(self), dtype=np.bool_)
        for value in values:
            found |= self.text(name) == value
        return found

    @cached_property
    def years(self) -> npt.NDArray[np.int64]:
        """Fiscal years, 0 where unknown."""
        return np.array([d.fiscal_year or 0 for d in self._documents], dtype=np.int64)
