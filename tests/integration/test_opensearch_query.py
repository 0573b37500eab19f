"""Both search backends give the same answers: every filter, the graph used, nothing injected, through verified TLS with a password."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from filingforest.config.opensearch import OpenSearchSettings
from filingforest.current import open_manifest
from filingforest.errors import PermissionDenied, PublicationGone, QueryError, StoreUnavailable
from filingforest.manifest import ModelEntry
from filingforest.opensearch.backend import OpenSearchBackend
from filingforest.opensearch.client import PASSWORD, USER, connect
from filingforest.opensearch.target import NAME, OpenSearchTarget
from filingforest.publish.targets import Change
from filingforest.query.filters import Filters
from filingforest.query.intent import read_question
from filingforest.query.publication import Publication, open_publication
from filingforest.query.rank import rank
from filingforest.query.scope_read import read_scope
from filingforest.store import open_store
from infra.servers.tls_proxy import TlsProxy
from tests.support import corpus
from tests.support.corpus import Doc, Unit, table_unit, vector_of

pytestmark = pytest.mark.service
NAMES = ("Abelard", "Borealis", "Cinder", "Dovetail", "Ember", "Foxglove", "Granite", "Harbor", "Iris", "Juniper")
TOPICS = ("supply chain risk", "revenue growth", "cash flow statement", "total assets", "research and development expense")


def documents(per_filing: int, years: int) -> list[Doc]:
    """Filings of ten companies with words as frequent as words are, and two tables each."""
    rng = random.Random(7)
    words = [f"w{i}" for i in range(3_000)]
    weights = [1 / (i + 10) for i in range(len(words))]
    docs = []
    for number, name in enumerate(NAMES):
        for year in range(2024 - years, 2024):
            units: list[Unit] = [
                Unit(" ".join(rng.choices(words, weights, k=rng.randint(20, 80))), item=rng.choice(("1A", "7", "8")))
                for _ in range(per_filing - 2)
            ]
            units.append(table_unit("Balance sheet", [str(year)], {"Total assets": [str(year * 3)]}, "balance_sheet"))
            units.append(table_unit("Cash flows", [str(year)], {"Capital expenditures": [str(year)]}, "cash_flow"))
            docs.append(
                Doc(f"{name} Corporation", year, units, form="10-Q" if (number + year) % 4 == 0 else "10-K", ticker=name[:4].upper())
            )
    return docs


@dataclass
class Both:
    """One publication and OpenSearch beside it."""

    publication: Publication
    settings: OpenSearchSettings
    docs: list[Doc]

    def overlap(self, backend: OpenSearchBackend, count: int) -> tuple[float, float]:
        """Shares of the top 10 that both have: of the same question, and of two different ones."""
        same, other, before = [], [], set()
        for question, filters in questions(self.docs, count):
            scope = read_scope(question, filters, self.publication.corpus)
            asked = read_question(question, scope.consumed, len(scope.found), len(scope.periods.years), scope.anonymous)
            here, there = ({c.row for c in rank(self.publication, asked, scope, 10, *b)} for b in ((), (backend,)))
            if here or there:
                same.append(len(here & there) / max(len(here), len(there)))
                other.append(len(here & before) / max(len(here), 1))
            before = there
        assert len(same) > count * 0.8
        return float(np.mean(same)), float(np.mean(other))


def questions(docs: list[Doc], count: int) -> Iterator[tuple[str, Filters]]:
    """Words of one unit, or a subject, with each filter in turn."""
    rng = random.Random(11)
    for number in range(count):
        doc = rng.choice(docs)
        unit = rng.choice(doc.units)
        question = " ".join(rng.sample(unit.text.split(), 4)) if number % 3 and unit.kind == "text" else rng.choice(TOPICS)
        every = [
            {}, {"company": doc.company}, {"company": doc.ticker}, {"company": doc.cik}, {"year": doc.year}, {"form": "10-K"},
            {"form": "10-Q", "year": doc.year}, {"item": "7"}, {"item": "1A"}, {"kind": "table"}, {"kind": "text"},
            {"since": f"{doc.year + 1}-01-01"}, {"until": f"{doc.year + 1}-06-30"}, {"as_of": f"{doc.year + 1}-06-30"}, {"doc": doc.doc_id},
        ]  # fmt: skip
        yield question, Filters.of(every[number % len(every)])


def both(folder: Path, settings: OpenSearchSettings, per_filing: int, years: int) -> Both:
    docs = documents(per_filing, years)
    corpus.publish(folder / "made", [docs], vectors=True)
    store = open_store(str(folder / "made"))
    publication = open_publication(store)
    target = OpenSearchTarget(store, settings)
    space = ModelEntry("tiny", {"model": "tiny", "revision": "1", "dimension": corpus.DIMENSION})
    manifest = replace(open_manifest(store), model=space)
    publication.manifest = replace(manifest, targets={NAME: dict(target.prepare(manifest, Change()))})
    publication.encoder.embed = lambda question: vector_of(question)  # type: ignore[method-assign]
    return Both(publication, settings, docs)


@pytest.mark.parametrize(("per_filing", "years", "count"), [(50, 4, 60), pytest.param(400, 5, 300, marks=pytest.mark.slow)])
def test_both_backends_agree(tmp_path: Path, opensearch: OpenSearchSettings, per_filing: int, years: int, count: int) -> None:
    made = both(tmp_path, opensearch, per_filing, years)
    before = graph_searches(opensearch)
    exact, shuffled = made.overlap(OpenSearchBackend(replace(opensearch, fusion="client")), count)
    assert exact >= 0.97
    assert shuffled < 0.2
    assert graph_searches(opensearch) - before >= count * 0.8  # the graph was asked, not the vectors one by one
    server = OpenSearchBackend(opensearch)
    fused, _ = made.overlap(server, count)
    assert server.fuses  # the search pipeline is there and was used
    assert fused >= 0.9


def graph_searches(settings: OpenSearchSettings) -> int:
    nodes = connect(settings).transport.perform_request("GET", "/_plugins/_knn/stats/knn_query_with_filter_requests")["nodes"]
    return sum(node["knn_query_with_filter_requests"] for node in nodes.values())


def test_scores_are_those_of_the_embedded_backend(tmp_path: Path, opensearch: OpenSearchSettings) -> None:
    made = both(tmp_path, opensearch, 12, 2)
    question = " ".join(made.docs[0].units[0].text.split()[:5])
    scope = read_scope(question, Filters(), made.publication.corpus)
    asked = read_question(question, scope.consumed)
    from filingforest.query.backend import Preference, Wanted
    from filingforest.query.embedded import Embedded

    wanted = Wanted(asked, scope.flags, Filters(), Preference())
    one = Embedded().search(made.publication, wanted).words(20)
    other = OpenSearchBackend(opensearch).search(made.publication, wanted).words(20)
    assert [row for row, _ in one] == [row for row, _ in other]
    assert [score for _, score in other] == pytest.approx([score for _, score in one], rel=1e-4)


@pytest.mark.parametrize("fusion", ["client", "server"])
def test_a_question_is_two_requests_at_most(tmp_path: Path, opensearch: OpenSearchSettings, fusion: str) -> None:
    made = both(tmp_path, opensearch, 6, 1)
    backend = OpenSearchBackend(replace(opensearch, fusion=fusion))
    sent: list[int] = []
    msearch = backend.client.msearch
    backend.client.msearch = lambda body, **options: (sent.append(len(body) // 2), msearch(body=body, **options))[1]
    backend.client.search = None
    for question, company, expected in [
        ("What were total assets?", made.docs[0].company, [2, 1]),  # words and meaning, then tables with the line item
        ("What were total qwrtp?", made.docs[0].company, [2]),  # no table has a row of that name
        ("Why did assets fall?", None, {"client": [2], "server": [1]}[fusion]),  # for reasons, of everybody: no order of tables
    ]:
        sent.clear()
        scope = read_scope(question, Filters(company=(company,) if company else ()), made.publication.corpus)
        asked = read_question(question, scope.consumed, len(scope.found), len(scope.periods.years), scope.anonymous)
        assert rank(made.publication, asked, scope, 5, backend)
        assert sent == expected, question


def test_without_the_pipeline_words_and_meaning_are_joined_here(tmp_path: Path, opensearch: OpenSearchSettings) -> None:
    made = both(tmp_path, opensearch, 12, 2)
    connect(opensearch).transport.perform_request("DELETE", f"/_search/pipeline/{opensearch.prefix}-rrf")
    backend = OpenSearchBackend(opensearch)
    exact, _ = made.overlap(backend, 15)
    assert not backend.fuses
    assert exact >= 0.97


def test_a_fault_of_one_question_does_not_end_joining_there(tmp_path: Path, opensearch: OpenSearchSettings) -> None:
    """A part of the index that does not answer, a query that the server refuses: words and meaning are joined here for that question alone."""
    made = both(tmp_path, opensearch, 6, 1)
    backend = OpenSearchBackend(opensearch)
    msearch, sent = backend.client.msearch, list[bool]()
    faults = {
        "part": lambda answer: answer["_shards"].update(failed=1, failures=[{"reason": {"reason": "circuit breaker"}}]),
        "refused": lambda answer: answer.update(error={"type": "illegal_argument_exception", "reason": "too many clauses"}, status=400),
    }

    def faulty(body, **options):
        answer = msearch(body=body, **options)
        joined = any("search_pipeline" in line for line in body)
        sent.append(joined)
        if joined and faults:
            faults.popitem()[1](answer["responses"][0])
        return answer

    backend.client.msearch = faulty
    scope = read_scope("Why did assets fall?", Filters(), made.publication.corpus)
    asked = read_question("Why did assets fall?", scope.consumed, len(scope.found), len(scope.periods.years), scope.anonymous)
    found = [[c.row for c in rank(made.publication, asked, scope, 5, backend)] for _ in range(3)]
    assert sent == [True, False, True, False, True]
    assert backend.fuses
    assert [set(rows) == set(found[2]) for rows in found] == [True] * 3


def test_an_index_that_is_gone_is_not_asked_in_another_way(tmp_path: Path, opensearch: OpenSearchSettings) -> None:
    made = both(tmp_path, opensearch, 6, 1)
    backend = OpenSearchBackend(opensearch)
    connect(opensearch).indices.delete(index=f"{opensearch.prefix}-made-units-*")
    scope = read_scope("assets", Filters(), made.publication.corpus)
    with pytest.raises(PublicationGone):
        rank(made.publication, read_question("assets", scope.consumed), scope, 5, backend)
    assert backend.fuses


@pytest.mark.parametrize(
    "question", ['revenue"}},{"match_all":{}}', "assets OR *:* AND body:/.*/", "{{#toJson}}params{{/toJson}}", "\\u0000 '; return 1;"]
)
def test_a_question_cannot_inject(tmp_path: Path, opensearch: OpenSearchSettings, question: str) -> None:
    made = both(tmp_path, opensearch, 6, 1)
    scope = read_scope(question, Filters(doc=(made.docs[0].doc_id,)), made.publication.corpus)
    asked = read_question(question, scope.consumed)
    found = rank(made.publication, asked, scope, 100, OpenSearchBackend(opensearch))
    assert {made.publication.documents[int(made.publication.owners(np.array([c.row]))[0])].doc_id for c in found} <= {made.docs[0].doc_id}


def test_a_publication_that_is_not_there_is_said(tmp_path: Path, opensearch: OpenSearchSettings) -> None:
    made = both(tmp_path, opensearch, 6, 1)
    made.publication.manifest = replace(made.publication.manifest, targets={})
    scope = read_scope("assets", Filters(), made.publication.corpus)
    with pytest.raises(QueryError, match="not in OpenSearch"):
        rank(made.publication, read_question("assets", scope.consumed), scope, 5, OpenSearchBackend(opensearch))


def test_certificates_and_passwords_are_asked_for(tmp_path: Path, opensearch: OpenSearchSettings, monkeypatch: pytest.MonkeyPatch) -> None:
    with TlsProxy(opensearch.url) as proxy:
        monkeypatch.setenv(USER, proxy.user)
        monkeypatch.setenv(PASSWORD, proxy.password)
        safe = replace(opensearch, url=proxy.url, ca_certs=str(proxy.ca))
        made = both(tmp_path, safe, 6, 1)  # loaded through it
        scope = read_scope("assets", Filters(), made.publication.corpus)
        asked = read_question("assets", scope.consumed)
        assert rank(made.publication, asked, scope, 5, OpenSearchBackend(safe))
        assert proxy.password not in repr(made.publication.manifest)
        with pytest.raises(StoreUnavailable, match="certificate"):
            rank(made.publication, asked, scope, 5, OpenSearchBackend(replace(safe, ca_certs="")))
        monkeypatch.setenv(PASSWORD, "wrong")
        with pytest.raises(PermissionDenied) as error:
            rank(made.publication, asked, scope, 5, OpenSearchBackend(safe))
        assert "wrong" not in str(error.value)
