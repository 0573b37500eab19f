"""Snapshots of a corpus's index, one a publication, in a repository that is registered in OpenSearch (an S3 bucket of its own).

Segments of Lucene that snapshots share are stored once, so a night's snapshot costs what the night changed. A snapshot holds the state
too: the night after a restore goes on from where the snapshot was taken.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any

from filingforest.errors import NotFound
from filingforest.opensearch.client import guarded
from filingforest.opensearch.indexes import show
from filingforest.opensearch.layout import KINDS, Layout
from filingforest.opensearch.state import State, read_state

log = logging.getLogger(__name__)
_LONG_S = 6 * 3_600


@dataclass(frozen=True)
class Taken:
    """One snapshot. `at` is an ISO instant; one that is not `whole` was cut off, and is taken again when it is asked for."""

    name: str
    publication: str
    at: str
    whole: bool


def name_of(layout: Layout, publication: str) -> str:
    """What a publication's snapshot is called."""
    return f"{layout.alias()}-{publication}".lower()


def found(client: Any, layout: Layout, repository: str) -> list[Taken]:
    """The corpus's snapshots, oldest publication first. Errors: NotFound where no such repository is registered."""
    pattern = name_of(layout, "*")
    try:
        with guarded(repository):
            answer = client.snapshot.get(repository=repository, snapshot=pattern, params={"ignore_unavailable": "true"})
    except NotFound as error:
        remedy = f'register it: PUT _snapshot/{repository} {{"type": "s3", "settings": {{"bucket": ..., "base_path": ...}}}}'
        raise NotFound("OpenSearch knows no such repository", document=repository, stage="opensearch", remedy=remedy) from error
    return sorted((_taken(each, len(pattern) - 1) for each in answer["snapshots"]), key=lambda taken: taken.publication)


def _taken(about: dict[str, Any], start: int) -> Taken:
    return Taken(about["snapshot"], about["snapshot"][start:], about.get("start_time", ""), about["state"] == "SUCCESS")


def listed(client: Any, layout: Layout, repository: str) -> list[str]:
    """Names of those that are whole, in order."""
    return [taken.name for taken in found(client, layout, repository) if taken.whole]


def take(client: Any, layout: Layout, repository: str, publication: str, generation: str) -> str:
    """Take the publication's snapshot, where it is not there yet; its name. A broken one is taken again."""
    name = name_of(layout, publication)
    if name not in listed(client, layout, repository):
        _delete(client, repository, name)
        body = {**_body(layout, generation), "metadata": {"publication": publication}}
        with guarded(name):
            client.snapshot.create(
                repository=repository, snapshot=name, body=body, params={"wait_for_completion": "true"}, request_timeout=_LONG_S
            )
        log.info("opensearch: snapshot %s", name)
    return name


def forget(client: Any, layout: Layout, repository: str, publication: str) -> None:
    """Delete a publication's snapshot."""
    _delete(client, repository, name_of(layout, publication))


def forget_all(client: Any, layout: Layout, repository: str) -> None:
    """Delete every snapshot of the corpus."""
    for name in listed(client, layout, repository):
        _delete(client, repository, name)


def restore(client: Any, layout: Layout, repository: str, publication: str, generation: str, sequence: int) -> State:
    """Bring a publication's index back into a cluster that has none of that name, and let the alias show it.

    Errors: NotFound for a snapshot that is not there; StoreError where the index is there already.
    """
    name = name_of(layout, publication)
    if name not in listed(client, layout, repository):
        raise NotFound("no such snapshot", document=name, stage="opensearch", remedy=f"GET _snapshot/{repository}/_all lists them")
    body = {**_body(layout, generation), "include_aliases": False}
    with guarded(name):
        client.snapshot.restore(
            repository=repository, snapshot=name, body=body, params={"wait_for_completion": "true"}, request_timeout=_LONG_S
        )
        client.cluster.health(
            index=f"{layout.alias()}-{generation}", params={"wait_for_status": "yellow", "timeout": "300s"}, request_timeout=310
        )
    show(client, layout, generation, sequence)
    return read_state(client, layout, generation)


def _body(layout: Layout, generation: str) -> dict[str, Any]:
    names = [*(f"{layout.alias(kind)}-{generation}" for kind in KINDS), layout.state]
    return {"indices": ",".join(names), "ignore_unavailable": True, "include_global_state": False}


def _delete(client: Any, repository: str, name: str) -> None:
    with guarded(name):
        client.snapshot.delete(repository=repository, snapshot=name, ignore=404, request_timeout=_LONG_S)
