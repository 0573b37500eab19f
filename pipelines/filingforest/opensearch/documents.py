"""What OpenSearch holds of a unit. Tokens come split by our tokenizer; the fields `text_*` are for people and their languages.

A document's `_id` is the unit's key and a hash of all that is indexed of it. So one that is there is never written again: what changed
is another document, and the two are told apart by `live`. The vector is not hashed: text and model decide it but for last digits.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

from filingforest.query.documents import Document
from filingforest.terms import term_hash, unit_terms

LONGEST_TOKEN = 200
LONGEST_KEY = 400  # bytes; an _id may have 512
GAP = "\u2581"  # stands for the blanks inside a line item's key: tokens are split at blanks
_CJK, _VIETNAMESE = ("zh", "ja", "ko"), "vi"
COLUMNS = (
    "node_id", "unit_key", "kind", "label_path", "item", "item_key", "heading_path", "statement", "page", "text", "table",
)  # fmt: skip


def index_term(term: str) -> str:
    """A term of `terms.py` as one token."""
    whole = term.replace(" ", GAP)
    return whole if len(whole) <= LONGEST_TOKEN else f"~{term_hash(term):016x}"


def document_fields(document: Document) -> dict[str, Any]:
    """What every unit of a document says of it."""
    return {
        "doc_id": document.doc_id,
        "company": document.company,
        "names": list(document.names),
        "ticker": list(document.tickers),
        "cik": list(document.ciks),
        "form": document.form,
        "form_base": document.form_base,
        "source": document.source,
        "document_kind": document.kind,
        "fiscal_year": document.fiscal_year,
        "fiscal_period": document.fiscal_period,
        "latest_year": int(document.latest[:4]) if document.latest[:4].isdigit() else None,
        "filed_at": str(document.filed_at)[:10] if document.filed_at else None,
        "known_from": document.known_from,
        "language": document.language,
        "title": document.title,
        "source_url": document.source_url,
    }


def unit_fields(row: Mapping[str, Any], place: int, language: str | None) -> dict[str, Any]:
    """What is indexed of a unit (a row of `units`); `place` counts the document's units from 0."""
    terms = unit_terms(row["text"] or "", row["heading_path"] or (), row["table"], row["statement"])
    return {
        **{name: row[name] for name in ("unit_key", "node_id", "kind", "item", "item_key", "label_path", "statement", "page")},
        "place": place,
        "items": item_names(row["item_key"]),
        "heading": " / ".join(row["heading_path"] or ()) or None,
        text_field(language): row["text"],
        "length": terms.length,
        "body": joined_tokens(terms.body),
        "head": joined_tokens(terms.head),
    }


def document_id(key: str, source: Mapping[str, Any]) -> str:
    """The `_id` of a document, given its key and all of its fields but vectors and ranges."""
    text = json.dumps(source, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    return f"{key if len(key.encode()) <= LONGEST_KEY else hashlib.sha256(key.encode()).hexdigest()[:24]}~{digest}"


def item_names(item_key: str | None) -> list[str]:
    """All that an item may be called in a filter: 10-K:II.7A, II.7A, 7A (as `query.segment.is_item` compares)."""
    key = (item_key or "").upper()
    return list(dict.fromkeys(name for name in (key, key.rpartition(":")[2], key.rpartition(".")[2]) if name))


def text_field(language: str | None) -> str:
    """The field for people that text of a language goes to."""
    spoken = (language or "").partition("-")[0].lower()
    return "text_cjk" if spoken in _CJK else "text_vi" if spoken == _VIETNAMESE else "text_en"


def joined_tokens(counts: Mapping[str, int]) -> str:
    """Each term as often as it stands there; the order says nothing."""
    parts: Iterable[str] = (token for term, count in sorted(counts.items()) for token in [index_term(term)] * count)
    return " ".join(parts)
