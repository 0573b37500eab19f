"""What an index and a question both make of text: hashed terms, and exact keys of a table's line items and concepts.

A segment's vocabulary is a sorted array of 64-bit hashes: looked up by binary search in a memory-mapped file, merged between
segments without strings. Among 10 million terms two share a hash with probability 3e-6 (birthday bound), and then share counts.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from filingforest.tokens import is_number, tokenize

TERMS_VERSION = "1"  # decides, with the tokenizer, what a segment is made from

LABEL_NOISE = frozenset(["a", "an", "and", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "total", "us", "usd"])
_PARENTHESES = re.compile(r"\([^()]*\)")

# how people call the primary statements; indexed beside the filer's own title
STATEMENT_NAMES: Mapping[str, str] = {
    "income": "income statement statement of operations statement of income statement of earnings",
    "balance_sheet": "balance sheet statement of financial position",
    "cash_flow": "cash flow statement statement of cash flows",
    "equity": "statement of shareholders stockholders equity",
    "comprehensive_income": "statement of comprehensive income",
}


def term_hash(term: str) -> int:
    """64-bit hash of a term, the same on every machine."""
    return int.from_bytes(hashlib.blake2b(term.encode(), digest_size=8).digest(), "little")


@lru_cache(maxsize=50_000)
def label_key(label: str) -> str | None:
    """Exact key of a line item, whatever its word order, totals and brackets.

    "Property, plant and equipment, net" -> "=equipment net plant property"
    """
    words = {w for w in tokenize(_PARENTHESES.sub(" ", label)) if w not in LABEL_NOISE and not is_number(w)}
    return "=" + " ".join(sorted(words)) if words else None


def label_keys(words: Sequence[str], longest: int = 6) -> set[str]:
    """Keys of all runs of up to `longest` words of a question, noise left out."""
    kept = [w for w in words if w not in LABEL_NOISE and not is_number(w)]
    spans = (kept[i:j] for i in range(len(kept)) for j in range(i + 1, min(len(kept), i + longest) + 1))
    return {"=" + " ".join(sorted(set(span))) for span in spans}


def concept_key(concept: str) -> str:
    """Key of a tagged concept, without its namespace: "us-gaap:Assets" -> "#assets"."""
    return "#" + concept.rpartition(":")[2].lower()


@dataclass(slots=True)
class UnitTerms:
    """Terms of one unit by field. `length` counts words of the body, not bare numbers: a table is not long for having many."""

    body: Counter[str] = field(default_factory=Counter)
    head: Counter[str] = field(default_factory=Counter)
    length: int = 1


@lru_cache(maxsize=50_000)
def _short_tokens(text: str) -> tuple[str, ...]:
    """Tokens of a heading: the same few stand over all units of a section."""
    return tuple(tokenize(text))


def unit_terms(text: str, heading_path: Iterable[str], table: str | None, statement: str | None) -> UnitTerms:
    """Body (text, line-item keys, concept keys) and head (headings, table title, statement names) of a unit.

    Company, form and year are left out on purpose: they are filters, and would only blur the ranking inside one company.
    """
    words = tokenize(text)
    out = UnitTerms(Counter(words), Counter(), max(1, sum(not is_number(w) for w in words)))
    for heading in heading_path:
        out.head.update(_short_tokens(heading))
    if statement:
        out.head.update(dict.fromkeys(tokenize(STATEMENT_NAMES.get(statement, statement.replace("_", " "))), 1))
    if table:
        parsed = json.loads(table)
        out.head.update(_short_tokens(parsed.get("title") or ""))
        out.body.update(dict.fromkeys(row_keys(parsed.get("rows") or []), 1))
    return out


def row_keys(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Line-item and concept keys of a table's rows that hold values; a row under a group also with the group's name before it."""
    for row in rows:
        label = row.get("label") or ""
        if not any(row.get("text") or row.get("values") or ()):
            continue
        for name in (label, f"{row['parent']} {label}" if row.get("parent") else ""):
            if key := label_key(name):
                yield key
        for concept in _concepts(row):
            yield concept_key(concept)


def _concepts(row: Mapping[str, Any]) -> list[str]:
    found = row.get("concept") or []
    return [found] if isinstance(found, str) else [c for c in found if c]
