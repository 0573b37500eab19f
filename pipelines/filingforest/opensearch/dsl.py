"""Questions in OpenSearch's query language, built as data and never as text: a question cannot become a query.

What comes from a question stands in three kinds of places only: the text of a `combined_fields` query, which has no syntax; values of
`term` and `terms` queries; parameters of a script whose source is a constant. Vectors are numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from filingforest.config.opensearch import OpenSearchSettings
from filingforest.opensearch.documents import index_term
from filingforest.query.backend import PREFERENCE, Preference
from filingforest.query.bm25 import HEAD_WEIGHT, K1, B
from filingforest.query.filters import Filters, Flags
from filingforest.query.items import STATEMENT

Clause = dict[str, Any]
Names = Sequence[str] | npt.NDArray[np.str_]
INTERIM = ("Q1", "Q2", "Q3")
MOST_TERMS = 500  # of one question, the rarest first
MOST_DOCUMENTS = 50_000  # ids in one clause
WINDOW = 3  # times the places asked for: candidates by the index's own scores, scored again with the publication's statistics
BM25F = """
double score = 0;
double norm = 1 - params.b + params.b * doc['length'].value / params.average;
for (int i = 0; i < params.terms.length; i++) {
    double tf = termFreq('body', params.terms[i]) / norm + params.head * termFreq('head', params.terms[i]);
    score += params.weights[i] * tf / (tf + params.k1);
}
return score * params.scale;
"""


def scope(sequence: int, wanted: npt.NDArray[np.bool_], live: npt.NDArray[np.bool_], names: Names, filters: Filters) -> list[Clause]:
    """Filter clauses: units of the publication `sequence`, of the wanted documents (`names`: ids of all), that pass `filters`."""
    clauses: list[Clause] = [{"term": {"live": sequence}}, *_documents(wanted, live, names)]
    if filters.unit_kinds:
        clauses.append({"terms": {"kind": list(filters.unit_kinds)}})
    if filters.item:
        clauses.append({"terms": {"items": [item.upper().removeprefix("ITEM").strip() for item in filters.item]}})
    return clauses


def _documents(wanted: Flags, live: Flags, names: Names) -> list[Clause]:
    """Those documents, or all but the others, whichever is said in fewer words."""
    inside, outside = wanted & live, live & ~wanted
    if not outside.any():
        return []
    if inside.sum() <= outside.sum():
        return [_any_of(_ids(inside, names))]
    return [{"bool": {"must_not": [_any_of(_ids(outside, names))]}}]


def _ids(flags: Flags, names: Names) -> list[str]:
    return [str(names[int(i)]) for i in np.flatnonzero(flags)]


def _any_of(ids: Sequence[str]) -> Clause:
    parts: list[Clause] = [{"terms": {"doc_id": list(ids[i : i + MOST_DOCUMENTS])}} for i in range(0, max(1, len(ids)), MOST_DOCUMENTS)]
    return parts[0] if len(parts) == 1 else {"bool": {"should": parts, "minimum_should_match": 1}}


def rarest(terms: Mapping[str, float], idf: npt.NDArray[np.float64]) -> tuple[dict[str, float], npt.NDArray[np.float64]]:
    """At most MOST_TERMS of a question's terms, with their idf."""
    if len(terms) <= MOST_TERMS:
        return dict(terms), idf
    names = list(terms)
    kept = sorted(np.argsort(-idf * np.array([terms[n] for n in names]), kind="stable")[:MOST_TERMS].tolist())
    return {names[i]: terms[names[i]] for i in kept}, idf[kept]


def words(terms: Mapping[str, float]) -> list[Clause]:
    """BM25F by Lucene's statistics, one clause for the terms of one weight: whatever the index happens to hold, so for candidates only."""
    groups: dict[float, list[str]] = {}
    for term, weight in terms.items():
        groups.setdefault(weight, []).append(index_term(term))
    fields = ["body", f"head^{HEAD_WEIGHT}"]
    return [{"combined_fields": {"query": " ".join(group), "fields": fields, "boost": weight}} for weight, group in groups.items()]


def any_words(terms: Mapping[str, float], filters: Sequence[Clause]) -> Clause:
    """Units in scope with at least one of the terms."""
    return {"bool": {"should": words(terms), "minimum_should_match": 1, "filter": list(filters)}}


def exact_words(terms: Mapping[str, float], idf: npt.NDArray[np.float64], average: float, scale: float = 1.0) -> Clause:
    """BM25F by the publication's frozen statistics, exactly as the embedded backend computes it (`query/bm25.py`), times `scale`."""
    weights = [float(value * weight * (K1 + 1)) for value, weight in zip(idf, terms.values(), strict=True)]
    constants = {"b": B, "k1": K1, "head": HEAD_WEIGHT, "average": average, "scale": scale}
    parameters = {"terms": [index_term(t) for t in terms], "weights": weights, **constants}
    return {"script_score": {"query": {"match_all": {}}, "script": {"lang": "painless", "source": BM25F, "params": parameters}}}


def nearest(vector: npt.NDArray[np.float32], filters: Sequence[Clause], depth: int, settings: OpenSearchSettings) -> Clause:
    """The nearest units in scope: the filter stands inside, so that the graph is walked until enough of them are found."""
    parameters = {"ef_search": max(settings.ef_search, depth)}
    values = np.round(vector.astype(np.float64), 7).tolist()  # as many digits as float32 has
    inner = {"vector": values, "k": depth, "filter": {"bool": {"filter": list(filters)}}, "method_parameters": parameters}
    return {"knn": {"vector": inner}}


def hybrid(parts: Sequence[Clause], depth: int) -> Clause:
    """Several queries whose orders a search pipeline joins."""
    return {"hybrid": {"queries": list(parts), "pagination_depth": depth}}


def rows_with(keys: Mapping[str, float]) -> Clause:
    """Tables with one of these keys in a row; the best one counts."""
    return {"dis_max": {"queries": [_constant({"term": {"body": index_term(key)}}, weight) for key, weight in keys.items()]}}


def of_statement(statement: str, weight: float = STATEMENT) -> Clause:
    """Tables of a statement."""
    return _constant({"term": {"statement": statement}}, weight)


def preferred(preference: Preference) -> list[Clause]:
    """A document's factor, in points: each document is in one of the classes."""
    if preference.year:
        newer: Clause = {
            "bool": {"should": [{"term": {"fiscal_year": preference.year}}, _without("fiscal_year")], "minimum_should_match": 1}
        }
    elif preference.newest.isdigit():
        newer = {"range": {"latest_year": {"gte": int(preference.newest)}}}
    else:
        newer = {"match_all": {}}
    interim: Clause = {"terms": {"fiscal_period": list(INTERIM)}}
    classes = [
        (preference.older if older else 1.0, preference.interim if between else 1.0, older, between)
        for older in (False, True)
        for between in (False, True)
    ]
    return [
        _constant(_both(_is(newer, not older), _is(interim, between)), PREFERENCE * one * other) for one, other, older, between in classes
    ]


def tables(must: Clause, more: Sequence[Clause], filters: Sequence[Clause]) -> Clause:
    """Tables in scope that match `must`; `more` adds to their scores."""
    return {"bool": {"must": [must], "should": list(more), "filter": list(filters)}}


def search(query: Clause, depth: int, again: Clause | None = None) -> Clause:
    """A search request for rows; `again` scores the best candidates once more, and then alone counts."""
    body: Clause = {
        "size": depth,
        "query": query,
        "_source": False,
        "stored_fields": "_none_",
        "docvalue_fields": ["doc_id", "place"],
        "track_total_hits": False,
    }
    if again is not None:
        body["rescore"] = {
            "window_size": WINDOW * depth,
            "query": {"rescore_query": again, "query_weight": 0.0, "rescore_query_weight": 1.0},
        }
    return body


def boosted(clauses: Sequence[Clause], boost: float) -> Clause:
    """What the clauses add up to, times `boost`."""
    return {"bool": {"should": list(clauses), "boost": boost}}


def _constant(filter_: Clause, boost: float) -> Clause:
    return {"constant_score": {"filter": filter_, "boost": boost}}


def _is(clause: Clause, yes: bool) -> Clause:
    return clause if yes else {"bool": {"must_not": [clause]}}


def _both(one: Clause, other: Clause) -> Clause:
    return {"bool": {"filter": [one, other]}}


def _without(field: str) -> Clause:
    return {"bool": {"must_not": [{"exists": {"field": field}}]}}
