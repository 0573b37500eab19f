"""Snapshots of a corpus's index, one a publication, in a repository that is registered in OpenSearch (an S3 bucket of its own).

Segments of Lucene that snapshots share are stored once, so a night's snapshot costs what the night changed. A snapshot holds the state
too: the night after a restore goes on from where the snapshot was taken.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from filingforest.errors import NotFound, PublicationError, StoreUnavailable
from filingforest.opensearch.client import guarded
from filingforest.opensearch.indexes import ensure_state, exists, show
from filingforest.opensearch.layout import KINDS, Layout
from filingforest.opensearch.state import State, read_state

log = logging.getLogger(__name__)
_LONG_S = 6 * 3_600
_POLL_S = 1.0
_WAIT = {"wait_for_completion": "true"}
WHOLE, UNDER_WAY = "SUCCESS", "IN_PROGRESS"


@dataclass(frozen=True)
class Taken:
    """One snapshot. `at` is an ISO instant; one that is not `whole` is under way (`state`) or broken, and taken again when asked for."""

    name: str
    publication: str
    at: str
    whole: bool
    state: str


def name_of(layout: Layout, publication: str) -> str:
    """What a publication's snapshot is called."""
    return f"{layout.alias()}-{publication}".lower()


def found(client: Any, layout: Layout, repository: str, publication: str = "*") -> list[Taken]:
    """The corpus's snapshots in whatever state, oldest publication first. Errors: NotFound where no such repository is registered."""
    start, name = len(name_of(layout, "")), name_of(layout, publication)
    try:
        with guarded(repository):
            answer = client.snapshot.get(repository=repository, snapshot=name, params={"ignore_unavailable": "true"})
    except NotFound as error:
        remedy = f'register it: PUT _snapshot/{repository} {{"type": "s3", "settings": {{"bucket": ..., "base_path": ...}}}}'
        raise NotFound("OpenSearch knows no such repository", document=repository, stage="opensearch", remedy=remedy) from error
    return sorted((_taken(each, start) for each in answer["snapshots"]), key=lambda taken: taken.publication)


def _taken(about: Mapping[str, Any], start: int) -> Taken:
    state = about["state"]
    return Taken(about["snapshot"], about["snapshot"][start:], about.get("start_time", ""), state == WHOLE, state)


def listed(client: Any, layout: Layout, repository: str) -> list[str]:
    """Names of those that are whole, in order."""
    return [taken.name for taken in found(client, layout, repository) if taken.whole]


def take(client: Any, layout: Layout, repository: str, publication: str, generation: str) -> str:
    """Take the publication's snapshot, where it is not there yet; its name. A broken one is taken again, one under way waited for.

    Errors: PublicationError where not all of it could be taken.
    """
    name = name_of(layout, publication)
    if any(taken.whole for taken in _ended(client, layout, repository, publication)):
        return name
    _delete(client, repository, name)
    body = {**_body(*_indexes(layout, generation), layout.state), "metadata": {"publication": publication}}
    with guarded(name):
        answer = client.snapshot.create(repository=repository, snapshot=name, body=body, params=_WAIT, request_timeout=_LONG_S)
    _must_be_whole(answer["snapshot"], name, "look at the cluster's log and at the repository, then `filingforest publications snapshot`")
    log.info("opensearch: snapshot %s", name)
    return name


def forget(client: Any, layout: Layout, repository: str, publication: str) -> None:
    """Delete a publication's snapshot."""
    _delete(client, repository, name_of(layout, publication))


def forget_all(client: Any, layout: Layout, repository: str) -> None:
    """Delete every snapshot of the corpus: whole, broken or under way. Errors: PublicationError where some are still there."""
    for taken in found(client, layout, repository):
        _delete(client, repository, taken.name)
    if left := [f"{taken.name} ({taken.state})" for taken in found(client, layout, repository)]:
        message, remedy = f"snapshots are still there: {', '.join(left)}", "wait until they are at an end, then type the same again"
        raise PublicationError(message, document=repository, stage="opensearch", remedy=remedy)


def restore(client: Any, layout: Layout, repository: str, publication: str, generation: str, sequence: int) -> State:
    """Bring a publication's index back into a cluster that has it no more, and let the alias show it.

    What a loss left of it goes first: of one generation nodes without their units are of no use, and what the state says of it is not so.
    Errors: NotFound for a snapshot that is not there; PublicationError where the index is there already, or not all could be restored.
    """
    name = name_of(layout, publication)
    if not any(taken.whole for taken in found(client, layout, repository, publication)):
        raise NotFound("no such snapshot", document=name, stage="opensearch", remedy=f"GET _snapshot/{repository}/_all lists them")
    units, *others = _indexes(layout, generation)
    if exists(client, units):
        remedy = f"nothing was lost; to replace it all the same, delete the index first (DELETE /{units})"
        raise PublicationError(f"the index {units} is there already", document=publication, stage="opensearch", remedy=remedy)
    _remove(client, *others)
    _restore_state(client, layout, repository, name, generation)
    _restore(client, repository, name, _body(units, *others))
    with guarded(name):
        client.cluster.health(index=units, params={"wait_for_status": "yellow", "timeout": "300s"}, request_timeout=310)
    show(client, layout, generation, sequence)
    return read_state(client, layout, generation)


def _restore_state(client: Any, layout: Layout, repository: str, name: str, generation: str) -> None:
    """What the snapshot says of this generation. The state's index is all generations': it stays, and is restored beside itself."""
    aside = f"{layout.state}-restored"
    _remove(client, aside)
    _restore(client, repository, name, {**_body(layout.state), "rename_pattern": ".+", "rename_replacement": aside})
    ensure_state(client, layout)
    with guarded(aside):
        said = client.get(index=aside, id=generation, ignore=404)
        if said.get("found"):
            client.index(index=layout.state, id=generation, body=said["_source"], params={"refresh": "true"})
        else:
            client.delete(index=layout.state, id=generation, ignore=404, refresh=True)
    _remove(client, aside)


def _restore(client: Any, repository: str, name: str, body: Mapping[str, Any]) -> None:
    with guarded(name):
        answer = client.snapshot.restore(
            repository=repository, snapshot=name, body={**body, "include_aliases": False}, params=_WAIT, request_timeout=_LONG_S
        )
    _must_be_whole(answer["snapshot"], name, "look at the cluster's log, delete what was restored, then restore again")


def _must_be_whole(about: Mapping[str, Any], name: str, remedy: str) -> None:
    """Of what OpenSearch answers to taking or restoring a snapshot."""
    shards, state = about["shards"], about.get("state", WHOLE)
    if state != WHOLE or shards["failed"]:
        message = f"{shards['failed']} of {shards['total']} shards failed ({state})"
        raise PublicationError(message, document=name, stage="opensearch", remedy=remedy)


def _ended(client: Any, layout: Layout, repository: str, publication: str) -> list[Taken]:
    """The publication's snapshot, if any, when nobody is at work on it any more. Errors: StoreUnavailable."""
    until = time.monotonic() + _LONG_S
    while True:
        now = found(client, layout, repository, publication)
        if all(taken.state != UNDER_WAY for taken in now):
            return now
        if time.monotonic() > until:
            remedy = f"see what keeps it: GET _snapshot/{repository}/_current"
            raise StoreUnavailable("the snapshot is taken for hours", document=publication, stage="opensearch", remedy=remedy)
        time.sleep(_POLL_S)


def _indexes(layout: Layout, generation: str) -> list[str]:
    return [f"{layout.alias(kind)}-{generation}" for kind in KINDS]


def _body(*names: str) -> dict[str, Any]:
    return {"indices": ",".join(names), "ignore_unavailable": True, "include_global_state": False}


def _remove(client: Any, *names: str) -> None:
    with guarded(",".join(names)):
        client.indices.delete(index=",".join(names), params={"ignore_unavailable": "true"})


def _delete(client: Any, repository: str, name: str) -> None:
    with guarded(name):
        client.snapshot.delete(repository=repository, snapshot=name, ignore=404, request_timeout=_LONG_S)
