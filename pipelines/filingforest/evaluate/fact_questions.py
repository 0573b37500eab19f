"""Questions made from tagged facts: measure, company and fiscal year, in several phrasings; gold is every unit that holds the fact.

An honest examination that needs nobody's labels: the filer tagged the number, and `fact_mentions` says in which units it stands.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from filingforest.evaluate.questions import NUMERIC, Question
from filingforest.query.documents import Document
from filingforest.query.facts import fiscal_year_of
from filingforest.query.publication import Publication
from filingforest.query.segment import Segment

_COLUMNS = ("fact_id", "doc_id", "concept", "value", "unit", "period_start", "period_end", "dimensions", "is_nil")
_YEAR_DAYS = (340, 380)
_SUFFIX = re.compile(r"[\s,]+(?:inc|incorporated|corp|corporation|co|company|companies|plc|ltd|limited|l\.?p|llc|n\.?v)\.?$", re.I)
Fact = tuple[str, str, str | None, str]  # company's CIK, period end, period start, value


@dataclass(frozen=True, slots=True)
class _Asked:
    """A fact that can be asked for: of which measure, company and fiscal year, whether it is a balance, and where it stands."""

    measure: int
    company: str
    cik: str
    year: int
    instant: bool
    gold: frozenset[str]


@lru_cache(maxsize=1)
def phrasings() -> Mapping[str, Any]:
    """`duration` and `instant` templates, and the measures with their names and concepts."""
    return tomllib.loads(files(__package__).joinpath("fact_phrasings.toml").read_text(encoding="utf-8"))


def templates() -> list[str]:
    """Every template, slots in braces."""
    return [*phrasings()["duration"], *phrasings()["instant"]]


def fact_questions(publication: Publication) -> list[Question]:
    """All questions, in an order by hash that mixes companies and measures: the same facts give the same questions, in the same order."""
    asked = sorted(_askable(publication), key=lambda a: _number(f"{a.cik} {a.measure} {a.year}"))
    return [_question(a) for a in asked]


def _askable(publication: Publication) -> Iterator[_Asked]:
    found: dict[tuple[int, str, int], dict[tuple[int, bool, Fact], set[str]]] = defaultdict(lambda: defaultdict(set))
    names: dict[str, str] = {}
    for segment in publication.segments:
        documents = {d.doc_id: d for d in segment.documents if d.cik and d.company and d.fiscal_year and d.form_base == "10-K"}
        names |= {d.cik: d.company for d in documents.values() if d.cik and d.company}
        for row, units in _mentioned(segment, documents):
            place, rank = _concepts()[row["concept"].rpartition(":")[2]]
            document = documents[row["doc_id"]]
            year = fiscal_year_of(dt.date.fromisoformat(row["period_end"][:10]), document)
            fact = (document.cik or "", row["period_end"], row["period_start"], row["value"])
            found[place, document.cik or "", year][rank, not row["period_start"], fact] |= units
    for (place, cik, year), facts in found.items():
        rank, instant, fact = min(facts, key=lambda key: (key[0], str(key[2])))
        gold = frozenset().union(*(units for (_, _, other), units in facts.items() if other[1:] == fact[1:]))
        if len({key[2][3] for key in facts if key[0] == rank}) == 1:  # one value: the question has one answer
            yield _Asked(place, spoken_name(names[cik]), cik, year, instant, gold)


def _mentioned(segment: Segment, documents: Mapping[str, Document]) -> Iterator[tuple[dict[str, Any], set[str]]]:
    """Facts of whole companies and whole years of our measures, in their own filing's fiscal year, with the units they stand in."""
    wanted: dict[tuple[str, str], dict[str, Any]] = {}
    for row in segment.read("facts", _COLUMNS):
        if row["doc_id"] in documents and row["concept"].rpartition(":")[2] in _concepts() and _whole(row):
            wanted[row["doc_id"], row["fact_id"]] = row
    where: dict[tuple[str, str], set[str]] = defaultdict(set)
    for row in segment.read("fact_mentions", ("doc_id", "fact_id", "node_id")):
        if (row["doc_id"], row["fact_id"]) in wanted:
            where[row["doc_id"], row["fact_id"]].add(row["node_id"])
    keys = {row["node_id"]: row["unit_key"] for row in segment.read("units", ("node_id", "unit_key"))}
    for key, row in wanted.items():
        units = {f"{key[0]} {keys[node]}" for node in where[key] if node in keys}
        if units:
            yield row, units


def _whole(row: Mapping[str, Any]) -> bool:
    if row["dimensions"] not in (None, "", "{}") or row["is_nil"] or not row["unit"] or not row["period_end"] or not row["value"]:
        return False
    if not row["period_start"]:
        return True
    days = (dt.date.fromisoformat(row["period_end"][:10]) - dt.date.fromisoformat(row["period_start"][:10])).days
    return _YEAR_DAYS[0] <= days <= _YEAR_DAYS[1]


@lru_cache(maxsize=1)
def _concepts() -> Mapping[str, tuple[int, int]]:
    """Concept -> (place of its measure, its rank there)."""
    return {c: (place, rank) for place, m in enumerate(phrasings()["measure"]) for rank, c in enumerate(m["concepts"])}


def _question(asked: _Asked) -> Question:
    key = f"{asked.cik} {asked.measure} {asked.year}"
    template = _pick(phrasings()["instant" if asked.instant else "duration"], key + " phrasing")
    name = _pick(phrasings()["measure"][asked.measure]["names"], key + " name")
    text = template.format(company=asked.company, measure=name, year=asked.year)
    digest = hashlib.sha256(key.encode()).hexdigest()[:10]
    return Question(f"fact-{digest}", text, frozenset(asked.gold), NUMERIC, asked.company)


def _pick(options: Sequence[str], key: str) -> str:
    return options[_number(key) % len(options)]


def _number(key: str) -> int:
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big")


def spoken_name(name: str) -> str:
    """As people say it: without its legal form, capitals only where they begin a word ("ACME WIDGETS, INC." -> "Acme Widgets")."""
    while (shorter := _SUFFIX.sub("", name.strip())) != name and shorter:
        name = shorter
    shouted = name.isupper()
    words = [w.capitalize() if shouted and len(w) > 3 else w for w in name.split()]
    return " ".join(words[1:] if words and words[0].lower() == "the" and len(words) > 1 else words)
