"""Runs the arm that the settings name over the trees in scope; says in a note where it could not."""

from __future__ import annotations

from collections.abc import Sequence

from filingforest.config.retrieval import RetrievalSettings
from filingforest.query.arms.forest import Forest
from filingforest.query.arms.guide import FALLBACK, Terms, guide, permuted
from filingforest.query.arms.pool import Order, choose, reach
from filingforest.query.arms.soft import softened
from filingforest.query.publication import Publication
from filingforest.query.rank import Candidate
from filingforest.query.scope import Note, Scope

NO_TREES = Note("no_trees", "the documents in scope have no trees: plain hybrid ranking was used")


def run_arm(
    publication: Publication,
    scope: Scope,
    text: str,
    candidates: Sequence[Candidate],
    trees: Forest | None,
    chosen: RetrievalSettings,
    k: int,
    order: Order,
    finder: Terms | None,
    control: int | None = None,
) -> list[Candidate]:
    """Ranked units. `candidates` are the hybrid's; `order` is the second ranking; `text` the question as asked."""
    if trees is None:
        _say(scope, NO_TREES)
        return order(candidates)
    weights = guide(publication, text, trees.documents, chosen, trees.dense(), finder)
    if weights.fallback:
        _say(scope, FALLBACK)
    if control is not None:
        weights = permuted(weights, control)
    if chosen.arm == "soft":
        return order(softened(publication, candidates, trees, weights, chosen.trees))
    budget = weights.budget(k, trees.leaves())
    chunks = reach(trees, budget, chosen)
    return choose(publication, chunks, budget, weights, chosen.oversample, candidates, order)


def _say(scope: Scope, note: Note) -> None:
    if note not in scope.notes:
        scope.notes.append(note)
