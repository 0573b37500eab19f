"""Questions with gold evidence: pages (FinanceBench's form) or units. One form for all that measures retrieval, so that figures compare."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from filingforest.errors import ConfigError
from filingforest.query.answer import Hit

NUMERIC, NARRATIVE = "numeric", "narrative"
_LEGAL = re.compile(r"\b(?:the|inc|incorporated|corp|corporation|co|company|companies|plc|ltd|limited|llc|lp|holdings?|group|com|and)\b")
_HELD_OUT = 0.4  # share of companies that nothing is tuned on


@dataclass(frozen=True, slots=True)
class Question:
    """`gold` holds pages (int, from 0) of `doc`, or "doc_id unit_key" of units; `company` decides which side of the split it is on."""

    id: str
    text: str
    gold: frozenset[int | str]
    kind: str
    company: str
    doc: str | None = None
    filters: Mapping[str, Any] = field(default_factory=dict)

    def found(self, hit: Hit) -> int | str | None:
        """The piece of gold that a hit touches, None where it touches none."""
        return self.found_in(hit.doc_id, hit.unit_key, hit.page, hit.page_end)

    def found_in(self, doc_id: str, unit_key: str, page: int | None, page_end: int | None) -> int | str | None:
        """The same for a unit, by its columns."""
        unit = f"{doc_id} {unit_key}"
        if unit in self.gold:
            return unit
        if self.doc is None or page is None or self.doc.lower() not in doc_id.lower():
            return None
        return next((p for p in range(page, (page_end or page) + 1) if p in self.gold), None)


def read_questions(path: Path, own_document: bool = False) -> list[Question]:
    """Lines of {"id", "question", "doc", "company", "gold_pages" or "gold_units", "question_type"?, "reasoning"?}.

    `gold_units` are unit_keys of `doc`, or "doc_id unit_key". Errors: ConfigError that names the line.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read {path}: {error}", stage="evaluate", remedy="name a UTF-8 file of JSON lines") from error
    return [_question(line, number, own_document) for number, line in enumerate(lines, 1) if line.strip()]


def _question(text: str, number: int, own_document: bool) -> Question:
    try:
        row = json.loads(text)
        doc = row.get("doc")
        units = {unit if " " in unit else f"{doc} {unit}" for unit in row.get("gold_units", ())}
        gold: frozenset[int | str] = frozenset(units | {int(page) for page in row.get("gold_pages", ())})
        if not gold:
            raise ValueError("no gold_pages and no gold_units")
        filters = {"doc": doc} if own_document and doc else {}
        return Question(str(row.get("id", number)), row["question"], gold, _kind(row), row.get("company") or doc or "", doc, filters)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        remedy = 'write {"id": "q1", "question": "...", "doc": "NAME", "company": "NAME", "gold_pages": [12]}'
        raise ConfigError(f"line {number} is no question: {error}", stage="evaluate", remedy=remedy) from error


def _kind(row: Mapping[str, Any]) -> str:
    """`kind` where it is given; else by FinanceBench's columns: metrics and numerical reasoning are for numbers."""
    if row.get("kind") in (NUMERIC, NARRATIVE):
        return str(row["kind"])
    reasoning = str(row.get("reasoning") or "").lower()
    return NUMERIC if row.get("question_type") == "metrics-generated" or "numerical" in reasoning else NARRATIVE


def company_key(name: str) -> str:
    """A company's first distinguishing word, so that "3M", "3M CO" and "3M Company" fall on one side of the split."""
    words = _LEGAL.sub(" ", re.sub(r"[^a-z0-9 ]", " ", name.lower().replace("’", "").replace("'", ""))).split()
    return words[0] if words else name.lower()


def held_out(company: str) -> bool:
    """Whether nothing may be tuned or trained on the company: by hash of its name, so the same everywhere and for ever."""
    digest = hashlib.sha256(company_key(company).encode()).digest()
    return int.from_bytes(digest[:4], "big") / 2**32 < _HELD_OUT
