"""Queries are data: what a question says stands where nothing is read as a query."""

from __future__ import annotations

import json

import numpy as np

from filingforest.opensearch import dsl
from filingforest.opensearch.documents import document_id, index_term, item_names, text_field, unit_fields
from filingforest.query.backend import Preference
from filingforest.query.filters import Filters

HOSTILE = '"}}],"script":{"source":"while(true){}"},"query":{"match_all":{}} OR *:* AND /.*/ {"a":1} ~ ^9 \\'


def strings_and_keys(value):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield "key", key
            yield from strings_and_keys(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings_and_keys(inner)
    elif isinstance(value, str):
        yield "value", value


def test_a_hostile_question_is_a_value_in_a_query_without_syntax() -> None:
    terms = {HOSTILE: 1.0, "revenue": 2.0}
    filters = dsl.scope(3, np.array([True, False]), np.array([True, True]), [HOSTILE, "b"], Filters(item=(HOSTILE,), kind=("table",)))
    body = dsl.search(dsl.any_words(terms, filters), 10, dsl.exact_words(terms, np.array([1.0, 2.0]), 5.0))
    plain = dsl.search(dsl.any_words({"x": 1.0, "y": 2.0}, filters), 10, dsl.exact_words({"x": 1.0, "y": 2.0}, np.array([1.0, 2.0]), 5.0))
    assert [k for kind, k in strings_and_keys(body) if kind == "key"] == [k for kind, k in strings_and_keys(plain) if kind == "key"]
    assert not any("query_string" in k or "simple_query" in k for _, k in strings_and_keys(json.loads(json.dumps(body))))
    sources = [body["rescore"]["query"]["rescore_query"]["script_score"]["script"]["source"]]
    assert sources == [dsl.BM25F]


def test_all_documents_need_no_clause_and_few_are_named() -> None:
    names, live = ["a", "b", "c", "d"], np.array([True, True, True, False])
    assert dsl.scope(7, np.array([True, True, True, True]), live, names, Filters()) == [{"term": {"live": 7}}]
    assert dsl.scope(7, np.array([True, False, False, True]), live, names, Filters())[1] == {"terms": {"doc_id": ["a"]}}
    assert dsl.scope(7, np.array([True, True, False, True]), live, names, Filters())[1] == {
        "bool": {"must_not": [{"terms": {"doc_id": ["c"]}}]}
    }


def test_only_the_rarest_terms_of_an_endless_question_are_asked() -> None:
    terms = {f"t{i}": 1.0 for i in range(2_000)}
    kept, idf = dsl.rarest(terms, np.arange(2_000, dtype=float))
    assert len(kept) == len(idf) == dsl.MOST_TERMS
    assert min(idf) == 1_500


def test_preferences_are_classes_that_together_hold_every_document() -> None:
    clauses = dsl.preferred(Preference(year=2023, older=0.9, interim=0.85))
    assert [round(c["constant_score"]["boost"], 3) for c in clauses] == [8.0, 6.8, 7.2, 6.12]


def test_keys_of_line_items_are_one_token_and_endless_tokens_are_hashed() -> None:
    assert index_term("=equipment net plant") == "=equipment\u2581net\u2581plant"
    assert len(index_term("x" * 5_000)) == 17


def test_items_languages_and_ids() -> None:
    assert item_names("10-K:II.7A") == ["10-K:II.7A", "II.7A", "7A"]
    assert [text_field(tag) for tag in ("en-US", "vi", "zh-Hant", "ja", None)] == ["text_en", "text_vi", "text_cjk", "text_cjk", "text_en"]
    row = dict.fromkeys(("node_id", "kind", "label_path", "item", "statement", "page", "table"))
    row |= {"unit_key": "k", "text": "Revenue grew. Revenue", "heading_path": ["Item 7"], "item_key": "10-K:II.7"}
    source = unit_fields(row, 4, "en")
    assert (source["body"], source["head"], source["length"], source["place"]) == ("grew revenue revenue", "7 item", 3, 4)
    assert document_id("k", source) == document_id("k", dict(reversed(source.items())))
    assert document_id("k", source) != document_id("k", {**source, "page": 2})
    assert document_id("k", source).startswith("k~")
