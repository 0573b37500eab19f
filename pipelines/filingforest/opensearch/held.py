"""What an index holds already, visible or not: what a load asks before it writes.

Whoever takes a part for the whole writes documents a second time or leaves some open, so an answer without a shard is no answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from filingforest.errors import StoreUnavailable
from filingforest.opensearch.live import Ranges, from_source
from filingforest.opensearch.patience import Patience


@dataclass(frozen=True, slots=True)
class Held:
    """Of one index. Errors: StoreUnavailable when patience is at its end, PermissionDenied, StoreError."""

    client: Any
    index: str
    patience: Patience

    def units_of(self, documents: Sequence[str]) -> dict[str, tuple[str, Ranges]]:
        """Units of these documents: id -> (document, ranges)."""
        query = {"query": {"terms": {"doc_id": list(documents)}}, "_source": ["doc_id", "live"]}

        def found() -> dict[str, tuple[str, Ranges]]:
            from opensearchpy.helpers import scan
            from opensearchpy.helpers.errors import ScanError

            try:
                hits = scan(self.client, query=query, index=self.index, size=1_000)
                return {hit["_id"]: (hit["_source"]["doc_id"], from_source(hit["_source"].get("live"))) for hit in hits}
            except ScanError as error:
                raise _partly(self.index, error) from error

        return self.patience.ask(self.index, found)

    def documents(self, query: Mapping[str, Any]) -> set[str]:
        """Ids of the documents of all units that match, a page at a time."""
        sources = [{"doc_id": {"terms": {"field": "doc_id"}}}]
        found: set[str] = set()
        after: dict[str, Any] = {}
        while True:
            pages = {"documents": {"composite": {"size": 5_000, "sources": sources, **after}}}
            call = partial(self.client.search, index=self.index, body={"size": 0, "query": query, "aggs": pages})
            answer = self.patience.ask(self.index, partial(self._whole, call))["aggregations"]["documents"]
            found.update(bucket["key"]["doc_id"] for bucket in answer["buckets"])
            if "after_key" not in answer:
                return found
            after = {"after": answer["after_key"]}

    def refresh(self) -> None:
        """Let what was written be found."""
        self.patience.ask(self.index, partial(self._whole, partial(self.client.indices.refresh, index=self.index)))

    def count(self) -> int:
        """Documents of all publications, as far as refreshed."""
        return int(self.patience.ask(self.index, partial(self._whole, partial(self.client.count, index=self.index)))["count"])

    def _whole(self, call: Callable[[], Any]) -> Any:
        answer = call()
        if answer["_shards"]["failed"]:
            raise _partly(self.index, answer["_shards"])
        return answer


def _partly(index: str, why: object) -> StoreUnavailable:
    message, remedy = f"part of the index did not answer: {str(why)[:300]}", "look at the cluster's health, then publish again"
    return StoreUnavailable(message, document=index, stage="opensearch", remedy=remedy)
