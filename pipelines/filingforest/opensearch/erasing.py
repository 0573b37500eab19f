"""Takes a document out of a corpus's indexes for good: what is deleted is found by nobody, but its text stays in Lucene's files.

There it stays until a merge, and in every snapshot that is taken before. Lucene merges for deletions alone only when asked, by default only
segments of which a tenth is deleted, and never what OpenSearch keeps for a copy of the shard that might come back: that ends when
the shard's lease is renewed, every half minute, after a flush.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Collection
from typing import Any

from filingforest.opensearch.client import guarded
from filingforest.opensearch.indexes import generations
from filingforest.opensearch.layout import KINDS, Layout

log = logging.getLogger(__name__)
PATIENCE_S = 120.0
_LONG_S = 6 * 3_600  # a merge builds the graph of a large segment again


def erase(client: Any, layout: Layout, documents: Collection[str]) -> None:
    """Delete the units and nodes of these documents from every generation's indexes, and from their files.

    Where the files still hold deleted text after `PATIENCE_S` (a load is at work), that is told as a warning. Errors: `client.as_ours`.
    """
    names = [name for kind in KINDS for name in generations(client, layout, kind)] if documents else []
    for index in names:
        _delete(client, index, documents)
    until = time.monotonic() + PATIENCE_S
    for index in names:
        if not _expunge(client, index, until):
            log.warning("files of %s may hold deleted text until Lucene merges them: type the same again to have it done", index)


def _delete(client: Any, index: str, documents: Collection[str]) -> None:
    with guarded(index):
        client.indices.refresh(index=index)  # units of a load that was cut off are to be found, too
        body = {"query": {"terms": {"doc_id": sorted(documents)}}}
        client.delete_by_query(index=index, body=body, params={"refresh": "true"}, request_timeout=_LONG_S)


def _expunge(client: Any, index: str, until: float) -> bool:
    """Whether no file of the index holds anything deleted any more."""
    with guarded(index):
        if not _deleted(client, index):
            return True
        client.indices.put_settings(index=index, body={"index.merge.policy.expunge_deletes_allowed": 0})
        while True:
            client.indices.flush(index=index, params={"force": "true", "wait_if_ongoing": "true"}, request_timeout=_LONG_S)
            client.indices.forcemerge(index=index, params={"only_expunge_deletes": "true"}, request_timeout=_LONG_S)
            client.indices.refresh(index=index)
            if not _deleted(client, index):
                return True
            if time.monotonic() > until:
                return False
            time.sleep(2)


def _deleted(client: Any, index: str) -> int:
    """Documents that are deleted and still in files."""
    return int(client.indices.stats(index=index, metric="docs")["_all"]["total"]["docs"]["deleted"])
