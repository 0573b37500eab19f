"""Trees in OpenSearch: a walk from the root by parents, summaries by words, sub-questions by their nested vectors."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from filingforest.config.opensearch import OpenSearchSettings
from filingforest.current import open_manifest
from filingforest.manifest import ModelEntry
from filingforest.opensearch.client import connect
from filingforest.opensearch.target import OpenSearchTarget
from filingforest.publish.targets import Change
from filingforest.query.publication import open_publication
from filingforest.store import open_store
from tests.support.corpus import DIMENSION, Doc, Unit
from tests.support.small_trees import publish_trees

pytestmark = pytest.mark.service


def test_trees_can_be_walked(tmp_path: Path, opensearch: OpenSearchSettings) -> None:
    texts = [
        f"Paragraph {i} says that the {name} segment grew by {i} percent."
        for i, name in enumerate(["cloud", "retail", "freight", "media"] * 3)
    ]
    docs = [Doc("Quince Inc.", 2023, [Unit(text, "7") for text in texts]), Doc("Medlar Inc.", 2023, [Unit("Net sales fell.", "7")])]
    publish_trees(tmp_path / "made", docs)
    store = open_store(str(tmp_path / "made"))
    manifest = replace(open_manifest(store), model=ModelEntry("m", {"model": "model", "revision": "revision", "dimension": DIMENSION}))
    told = OpenSearchTarget(store, opensearch).prepare(manifest, Change())
    segment = open_publication(store).segments[0]
    assert segment.trees is not None
    trees = {d.doc_id: segment.trees.of(place)[0] for place, d in enumerate(segment.documents)}
    tree = trees[docs[0].doc_id]
    assert told["nodes"] == sum(len(t) for t in trees.values())

    client, index = connect(opensearch), told["index"].replace("-units-", "-trees-")
    mine = [{"term": {"live": told["sequence"]}}, {"term": {"doc_id": docs[0].doc_id}}]

    def nodes(*clauses: dict) -> list[dict]:
        body = {"size": 100, "query": {"bool": {"filter": mine, "must": list(clauses)}}}
        return [hit["_source"] for hit in client.search(index=index, body=body)["hits"]["hits"]]

    by_place = {node["place"]: node for node in nodes()}
    assert [by_place[i]["level"] for i in range(len(tree))] == tree.levels.tolist()
    root = by_place[tree.root]
    children = {node["place"] for node in nodes({"term": {"parents": root["node"]}})}
    assert children == set(tree.children(tree.root).tolist())

    row = next(node for node in by_place.values() if node["level"] and node["questions"])
    vector = [float(v) for v in tree.questions(row["place"])[0]]
    inner = {"knn": {"questions.vector": {"vector": vector, "k": 20, "filter": {"bool": {"filter": mine}}}}}
    found = client.search(index=index, body={"query": {"nested": {"path": "questions", "query": inner}}})["hits"]["hits"]
    assert found[0]["_score"] == pytest.approx(2, abs=0.01)  # 1 + cosine
    assert row["place"] in {hit["_source"]["place"] for hit in found if hit["_score"] > 1.99}
    assert nodes({"match": {"body": row["body"].split()[0]}})
