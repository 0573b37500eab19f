"""From a question to its units: plain hybrid, or one of the arms over trees, then the second ranking; what the reader calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from filingforest.config.retrieval import RerankSettings, RetrievalSettings
from filingforest.query.backend import SearchBackend
from filingforest.query.intent import Asked
from filingforest.query.publication import Publication
from filingforest.query.rank import EMBEDDED, Candidate, rank
from filingforest.query.rerank import POOL, Reranker
from filingforest.query.scope import Scope

DEEP = 600  # hybrid candidates that arms over trees are given: every unit that any signal ranks


@dataclass(frozen=True, slots=True)
class Retriever:
    """How questions find units. `control` permutes trees and weights by that seed: what a structure must beat to be worth its keep."""

    retrieval: RetrievalSettings = field(default_factory=RetrievalSettings)
    rerank: RerankSettings = field(default_factory=RerankSettings)
    backend: SearchBackend = EMBEDDED
    control: int | None = None

    def __call__(self, publication: Publication, asked: Asked, scope: Scope, text: str, limit: int) -> list[Candidate]:
        """The best `limit` units in scope, best first; `text` is the question as asked. Several companies asked for take turns."""
        if self.retrieval.arm == "none" and self.retrieval.rerank == "none":
            return rank(publication, asked, scope, limit, self.backend)
        ranked = [self._group(publication, asked, part, text, limit) for part in _groups(scope)]
        turns = [group[i] for i in range(limit) for group in ranked if i < len(group)]
        return turns[:limit]

    def _group(self, publication: Publication, asked: Asked, scope: Scope, text: str, limit: int) -> list[Candidate]:
        order = Reranker(publication, asked, scope, self.retrieval.rerank, self.rerank.tokens).order
        if self.retrieval.arm == "none":
            return order(rank(publication, asked, scope, max(POOL, limit), self.backend))[:limit]
        from filingforest.query.arms.run import run_arm

        candidates = rank(publication, asked, scope, max(DEEP, limit), self.backend)
        finder = publication.terms
        return run_arm(publication, asked, scope, text, candidates, self.retrieval, limit, order, finder, self.control)[:limit]


def _groups(scope: Scope) -> Sequence[Scope]:
    """The scope of each company, where several were asked for. They share one list of notes."""
    return [replace(scope, flags=flags, groups=[]) for flags in scope.groups] or [scope]
