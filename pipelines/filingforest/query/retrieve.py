"""From a question to its units: plain hybrid, or one of the arms over trees, then the second ranking; what the reader calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from filingforest.config.retrieval import RerankSettings, RetrievalSettings
from filingforest.query.backend import SearchBackend
from filingforest.query.intent import Asked
from filingforest.query.publication import Publication
from filingforest.query.rank import EMBEDDED, Candidate, rank
from filingforest.query.rerank import POOL, Reranker, read_texts
from filingforest.query.scope import Scope

if TYPE_CHECKING:
    from filingforest.query.arms.forest import Forest

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
            return self.hybrid(publication, asked, scope, limit)
        ranked = [self._group(publication, asked, part, text, limit) for part in _groups(scope)]
        turns = [group[i] for i in range(limit) for group in ranked if i < len(group)]
        return turns[:limit]

    def hybrid(self, publication: Publication, asked: Asked, scope: Scope, limit: int) -> list[Candidate]:
        """The first ranking."""
        return rank(publication, asked, scope, limit, self.backend)

    def trees(self, publication: Publication, asked: Asked, scope: Scope, candidates: Sequence[Candidate]) -> Forest | None:
        """The trees that an arm goes through, scored for the question; None where there are none."""
        from filingforest.query.arms.forest import forest

        return forest(publication, asked, scope, candidates, self.control)

    def texts(self, publication: Publication, rows: Sequence[int]) -> dict[int, str]:
        """Texts of units by row, for the second ranking."""
        return read_texts(publication, rows)

    def _group(self, publication: Publication, asked: Asked, scope: Scope, text: str, limit: int) -> list[Candidate]:
        order = Reranker(publication, asked, scope, self.retrieval.rerank, self.rerank, self.texts).order
        if self.retrieval.arm == "none":
            return order(self.hybrid(publication, asked, scope, max(POOL, limit)))[:limit]
        from filingforest.query.arms.run import run_arm

        candidates = self.hybrid(publication, asked, scope, max(DEEP, limit))
        trees, chosen, finder = self.trees(publication, asked, scope, candidates), self.retrieval, publication.terms
        return run_arm(publication, scope, text, candidates, trees, chosen, limit, order, finder, self.control)[:limit]


def _groups(scope: Scope) -> Sequence[Scope]:
    """The scope of each company, where several were asked for. They share one list of notes."""
    return [replace(scope, flags=flags, groups=[]) for flags in scope.groups] or [scope]
