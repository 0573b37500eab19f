"""What is asked of a corpus's indexes besides loading and searching: they are made, shown under an alias, counted, cleared out."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from filingforest.opensearch.client import guarded
from filingforest.opensearch.layout import KINDS, Layout, read_json


def ensure(client: Any, layout: Layout) -> None:
    """Make this generation's indexes, the state's and the search pipeline where they are not there.

    Where an index had to be made, nothing is loaded, whatever the state says: somebody deleted the index, and everything is loaded anew.
    """
    from opensearchpy.exceptions import RequestError

    ensure_state(client, layout)
    made = [_create(client, layout.index(kind), layout.body(kind)) for kind in KINDS]
    if any(made):
        with guarded(layout.state):
            client.delete(index=layout.state, id=layout.generation, ignore=404, refresh=True)

    try:
        client.transport.perform_request("PUT", f"/_search/pipeline/{layout.pipeline}", body=read_json("pipeline"))
    except RequestError:  # no neural-search there: readers fuse themselves
        return


def ensure_state(client: Any, layout: Layout) -> None:
    """Make the state's index where it is not there."""
    shape = {"number_of_shards": 1, "number_of_replicas": layout.settings.replicas}
    _create(client, layout.state, {"settings": {"index": shape}, "mappings": {"dynamic": False, "properties": {}}})


def _create(client: Any, index: str, body: dict[str, Any]) -> bool:
    """Whether it was not there."""
    from opensearchpy.exceptions import RequestError

    with guarded(index):
        if client.indices.exists(index=index):
            return False
        try:
            client.indices.create(index=index, body=body)
        except RequestError as error:
            if error.error != "resource_already_exists_exception":
                raise
            return False
    return True


def exists(client: Any, index: str) -> bool:
    """Whether an index is there."""
    with guarded(index):
        return bool(client.indices.exists(index=index))


def generations(client: Any, layout: Layout, kind: str = "units") -> list[str]:
    """Every generation's index of one kind."""
    with guarded(layout.alias(kind)):
        return sorted(client.indices.get(index=f"{layout.alias(kind)}-*", params={"allow_no_indices": "true"}))


def show(client: Any, layout: Layout, generation: str, sequence: int) -> None:
    """Let the aliases show one publication, in one step. They are for people: readers name their publication themselves."""
    actions: list[dict[str, Any]] = []
    with guarded(layout.alias()):
        for kind in KINDS:
            alias = layout.alias(kind)
            index = f"{alias}-{generation}"
            actions += _removals([name for name in _holders(client, alias) if name != index], alias)
            if client.indices.exists(index=index):
                actions.append({"add": {"index": index, "alias": alias, "filter": {"term": {"live": sequence}}}})
        client.indices.update_aliases(body={"actions": actions})


def hide(client: Any, layout: Layout) -> None:
    """Let the aliases show nothing."""
    with guarded(layout.alias()):
        actions = [action for kind in KINDS for action in _removals(_holders(client, layout.alias(kind)), layout.alias(kind))]
        if actions:
            client.indices.update_aliases(body={"actions": actions})


def _holders(client: Any, alias: str) -> list[str]:
    found = client.indices.get_alias(name=alias, ignore=404)
    return [name for name, about in found.items() if isinstance(about, dict) and "aliases" in about]


def _removals(indexes: Collection[str], alias: str) -> list[dict[str, Any]]:
    return [{"remove": {"index": name, "alias": alias}} for name in indexes]


def count(client: Any, index: str, sequence: int) -> int:
    """Units of one publication."""
    with guarded(index):
        _refresh(client, index)
        return int(client.count(index=index, body={"query": {"term": {"live": sequence}}})["count"])


def shows(client: Any, units: str, sequence: int) -> int:
    """Units and nodes of one publication that readers see now, in one request, by the name of its index of units; 0 where none is there."""
    names = f"{units},{units.replace('-units-', '-trees-')}"
    with guarded(units):
        answer = client.count(index=names, body={"query": {"term": {"live": sequence}}}, params={"ignore_unavailable": "true"})
    return int(answer["count"])


def _refresh(client: Any, index: str) -> None:
    """Nothing refreshes by itself: what a load that was cut off has written is seen by nobody before this."""
    client.indices.refresh(index=index)


def finds(client: Any, index: str, sequence: int, name: str, vector: list[float]) -> bool:
    """Whether a search with a unit's own vector finds it (or one just as near) among the first ten."""
    body = {"size": 10, "_source": False, "query": {"knn": {"vector": {"vector": vector, "k": 10, "filter": {"term": {"live": sequence}}}}}}
    with guarded(index):
        hits = client.search(index=index, body=body)["hits"]["hits"]
    return any(hit["_id"] == name for hit in hits) or (bool(hits) and hits[-1]["_score"] > 1.999)  # more than ten of the same text


def delete_hidden(client: Any, index: str, sequences: Collection[int]) -> int:
    """Delete units that none of these publications shows; how many."""
    shown = [{"term": {"live": sequence}} for sequence in sorted(sequences)]
    query = {"query": {"bool": {"must_not": shown}}}
    with guarded(index):
        _refresh(client, index)
        answer = client.delete_by_query(index=index, body=query, params={"conflicts": "proceed", "refresh": "true"}, request_timeout=3_600)
    return int(answer["deleted"])


def remove(client: Any, layout: Layout, generation: str) -> None:
    """Delete a generation: indexes and state."""
    with guarded(layout.alias()):
        for kind in KINDS:
            client.indices.delete(index=f"{layout.alias(kind)}-{generation}", params={"ignore_unavailable": "true"})
        client.delete(index=layout.state, id=generation, ignore=404, refresh=True)
