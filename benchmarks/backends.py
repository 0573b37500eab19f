"""Do the embedded search and OpenSearch find the same on a real index? Questions of its own tagged facts, with every filter in turn.

    python benchmarks/backends.py --index work/filings --url http://127.0.0.1:9200 [--questions 300]

The publication is loaded under a prefix of its own, which is deleted afterwards. Compared are the texts of the first ten (so that units of
the same text, between which nothing decides, count as one), for the fusion here and for OpenSearch's own. The control compares each answer
with the one before it. `graph` is how many questions OpenSearch's graph of vectors was asked with a filter, by its own count.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from filingforest.config.opensearch import OpenSearchSettings
from filingforest.evaluate.fact_questions import fact_questions
from filingforest.evaluate.heading_questions import heading_questions
from filingforest.opensearch.backend import OpenSearchBackend
from filingforest.opensearch.client import connect
from filingforest.opensearch.target import NAME, OpenSearchTarget
from filingforest.publish.targets import Change
from filingforest.query.documents import Document
from filingforest.query.filters import Filters
from filingforest.query.intent import read_question
from filingforest.query.publication import Publication, open_publication
from filingforest.query.rank import rank
from filingforest.query.scope_read import read_scope
from filingforest.store import open_store

K = 10
STATS = "/_plugins/_knn/stats/knn_query_with_filter_requests"


def asked(publication: Publication, most: int) -> Iterator[tuple[str, Filters]]:
    """Questions of facts and of headings in turn, each with the next filter, its value a document's of which it could be asked."""
    facts, headings = fact_questions(publication), heading_questions(publication)
    every = [question for pair in zip(facts, headings, strict=False) for question in pair][:most]
    rng = np.random.default_rng(5)
    live = [d for d, flag in zip(publication.documents, publication.live, strict=True) if flag]
    for number, question in enumerate(every):
        own = [d for d in live if d.company == question.company] or live
        filters = filters_of(own[int(rng.integers(len(own)))])
        yield question.text, Filters.of(filters[number % len(filters)])


def filters_of(doc: Document) -> list[dict[str, Any]]:
    """No filter, and each that there is, so that the document passes it."""
    ticker = doc.tickers[0] if doc.tickers else doc.company
    return [
        {}, {"company": doc.company}, {"company": ticker}, {"company": doc.cik}, {"year": doc.fiscal_year},
        {"form": doc.form}, {"form": doc.form, "year": doc.fiscal_year}, {"item": "7"}, {"item": "8"}, {"kind": "table"}, {"kind": "text"},
        {"kind": doc.kind}, {"since": doc.filed_at}, {"until": doc.filed_at}, {"as_of": doc.filed_at}, {"language": doc.language or "en"},
        {"doc": doc.doc_id},
    ]  # fmt: skip


def found(publication: Publication, question: str, filters: Filters, *backend: Any) -> set[str]:
    """Texts of the first ten."""
    scope = read_scope(question, filters, publication.corpus)
    read = read_question(question, scope.consumed, len(scope.found), len(scope.periods.years), scope.anonymous)
    return texts(publication, [candidate.row for candidate in rank(publication, read, scope, K, *backend)])


def texts(publication: Publication, rows: Sequence[int]) -> set[str]:
    of: set[str] = set()
    for segment, first, end in zip(publication.segments, publication.base, publication.base[1:], strict=False):
        mine = [int(row - first) for row in rows if first <= row < end]
        of |= {row["text"] for row in segment.read("units", ["text"], mine)} if mine else set()
    return of


def compare(publication: Publication, settings: OpenSearchSettings, most: int) -> dict[str, Any]:
    """Mean overlap for both fusions, of the control, the worst question, and what it cost."""
    mine, ours = OpenSearchBackend(replace(settings, fusion="client")), OpenSearchBackend(settings)
    same: dict[str, list[float]] = {"client": [], "server": [], "shuffled": []}
    before: set[str] = set()
    for question, filters in asked(publication, most):
        here, client, server = (found(publication, question, filters, *b) for b in ((), (mine,), (ours,)))
        if not here and not client:
            continue
        for name, there in (("client", client), ("server", server), ("shuffled", before)):
            same[name].append(len(here & there) / max(len(here), len(there), 1))
        before = client
    means = {name: round(float(np.mean(values)), 4) for name, values in same.items()}
    return {"questions": len(same["client"]), **means, "worst_client": min(same["client"]), "pipeline_used": ours.fuses}


def graph_requests(client: Any) -> int:
    nodes = client.transport.perform_request("GET", STATS)["nodes"]
    return sum(node["knn_query_with_filter_requests"] for node in nodes.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--index", required=True)
    parser.add_argument("--url", required=True)
    parser.add_argument("--questions", type=int, default=300)
    arguments = parser.parse_args()
    settings = OpenSearchSettings(url=arguments.url, prefix="bench-backends", timeout_s=300)
    client = connect(settings)
    store = open_store(arguments.index)
    publication = open_publication(store)
    start = time.perf_counter()
    try:
        about = dict(OpenSearchTarget(store, settings).prepare(publication.manifest, Change()))
        print(f"{about['units']:,} units loaded in {time.perf_counter() - start:,.0f} s", flush=True)
        publication.manifest = replace(publication.manifest, targets={NAME: about})
        graph = graph_requests(client)
        print(compare(publication, settings, arguments.questions) | {"graph": graph_requests(client) - graph})
    finally:
        client.indices.delete(index=f"{settings.prefix}-*", params={"ignore_unavailable": "true"})


if __name__ == "__main__":
    main()
