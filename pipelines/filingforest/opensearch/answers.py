"""What OpenSearch answers to searches, as rows of a publication with scores, or as an error of ours."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from filingforest.errors import Corrupt, FilingForestError, NotFound, PublicationGone, StoreError
from filingforest.opensearch.client import as_ours, guarded
from filingforest.opensearch.dsl import Clause
from filingforest.query.backend import Scored
from filingforest.query.publication import Publication

# type and reason of an answer's error, as OpenSearch 3.6 gives them
_CANNOT_JOIN = (
    ("illegal_argument_exception", re.compile(r"Pipeline \S+ is not defined")),
    ("parsing_exception", re.compile(r"unknown query \[hybrid\].*")),
)


@dataclass(frozen=True)
class Answers:
    """Of one index to questions of one publication. `rows` gives the first row of each of its live documents.

    Errors of all that asks: PublicationGone, Corrupt, StoreError, StoreUnavailable, PermissionDenied.
    """

    client: Any
    index: str
    publication: Publication
    rows: Callable[[], Mapping[str, int]]

    def ask(self, bodies: Sequence[Clause]) -> list[Scored]:
        """Several searches in one request."""
        if not bodies:
            return []
        lines: list[Clause] = [part for body in bodies for part in ({"index": self.index}, body)]
        with guarded(self.index):
            answers = self.client.msearch(body=lines)["responses"]
        return [self.scored(answer) for answer in answers]

    def scored(self, answer: dict[str, Any]) -> Scored:
        """One answer's rows, best first, equal scores in reading order."""
        from opensearchpy.exceptions import TransportError

        if "error" in answer:
            error = TransportError(answer.get("status", 500), str(answer["error"].get("type")), answer)
            raise self.gone(as_ours(error, self.index)) from error
        if answer["_shards"]["failed"]:
            reason = str(answer["_shards"]["failures"][0]["reason"].get("reason"))[:300]
            message, remedy = f"part of the index did not answer: {reason}", "look at the cluster's health"
            raise StoreError(message, document=self.index, stage="query", remedy=remedy)
        found = [(self._row(hit["fields"]), float(hit["_score"])) for hit in answer["hits"]["hits"]]
        numbers = self.publication.numbers(np.array([row for row, _ in found], dtype=np.int64)).tolist()
        order = sorted(range(len(found)), key=lambda i: (-found[i][1], numbers[i]))
        return [found[i] for i in order]

    def gone(self, error: FilingForestError) -> FilingForestError:
        """The error as a reader understands it: an index that is not there is a publication that is gone."""
        if isinstance(error, NotFound):
            remedy = "call refresh() to follow CURRENT, or `filingforest publications restore`"
            return PublicationGone(f"{self.index} is not there any more", document=self.publication.id, stage="query", remedy=remedy)
        return error

    def _row(self, fields: dict[str, Any]) -> int:
        doc_id, place = fields["doc_id"][0], int(fields["place"][0])
        first = self.rows().get(doc_id)
        if first is None:
            remedy = "publish again; if it stays so, delete the index, and publish again"
            raise Corrupt(f"{doc_id} is in the index and not in the publication", document=self.index, stage="query", remedy=remedy)
        return first + place


def cannot_join(error: FilingForestError) -> bool:
    """Whether OpenSearch said that it cannot join orders at all: the search pipeline or the plugin is missing."""
    info = getattr(error.__cause__, "info", None)
    about = info.get("error") if isinstance(info, dict) else None
    if not isinstance(about, dict):
        return False
    said = (str(about.get("type")), str(about.get("reason")))
    return any(said[0] == kind and pattern.fullmatch(said[1]) for kind, pattern in _CANNOT_JOIN)


def first_rows(publication: Publication) -> dict[str, int]:
    """First row of each live document."""
    rows = {}
    for segment, base in zip(publication.segments, publication.base, strict=False):
        for place in np.flatnonzero(segment.live):
            rows[segment.documents[int(place)].doc_id] = int(base) + int(segment.starts[int(place)])
    return rows
