"""The trees in scope of one question, scored: what every arm starts from.

Beyond MOST_DOCUMENTS documents only those of the best hybrid candidates are walked: a question over a whole corpus names no filing, and
the hybrid ranking knows which are worth a walk. Documents come in the publication's reading order, whatever segments they lie in: order
decides between equal scores, and how trees are packed must not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from filingforest.query.arms.nodes import NodeScores, Probe, score_nodes, shuffle
from filingforest.query.bm25 import score
from filingforest.query.filters import Flags
from filingforest.query.intent import Asked
from filingforest.query.publication import Publication
from filingforest.query.rank import Candidate
from filingforest.query.scope import Scope
from filingforest.query.trees import ItemTree, TreeIndex

MOST_DOCUMENTS = 8


@dataclass(frozen=True, slots=True)
class Grown:
    """One Item's trees with this question's scores; `allowed` are the segment's rows that may be answers, `base` its first row."""

    document: int
    base: int
    tree: ItemTree
    scores: NodeScores
    allowed: npt.NDArray[np.bool_]

    @property
    def first_row(self) -> int:
        """Row (of the publication) of the document's first unit."""
        return self.base + self.tree.first_unit

    def units(self, leaf: int) -> list[int]:
        """Rows (of the publication) of a chunk's units that pass the filters."""
        rows = self.tree.units_of(leaf)
        return [int(row) + self.base for row in rows[self.allowed[rows]].tolist()]


@dataclass(slots=True)
class Forest:
    """All trees in scope. `documents` flags those that were looked at."""

    documents: Flags
    grown: list[Grown] = field(default_factory=list)

    def dense(self) -> dict[str, float]:
        """Each Item's best cosine among its chunks."""
        out: dict[str, float] = {}
        for one in self.grown:
            best = float(one.scores.question[one.tree.leaves].max(initial=0.0))
            out[one.tree.item_key] = max(best, out.get(one.tree.item_key, 0.0))
        return out

    def leaves(self) -> dict[str, int]:
        """Chunks of each Item."""
        out: dict[str, int] = {}
        for one in self.grown:
            out[one.tree.item_key] = out.get(one.tree.item_key, 0) + len(one.tree.leaves)
        return out


def forest(
    publication: Publication, asked: Asked, scope: Scope, candidates: Sequence[Candidate], control: int | None = None
) -> Forest | None:
    """The trees of the documents in scope; None where no document has any."""
    flags = _documents(publication, scope.flags, candidates)
    found = Forest(flags)
    stats = publication.summary_stats
    if stats is None:
        return None
    vector = publication.encoder.embed(asked.meaning)
    grown: list[Grown] = []
    for index, mine in enumerate(publication.split(flags)):
        segment = publication.segments[index]
        if segment.trees is None or not mine.any():
            continue
        selection = segment.select(mine, scope.filters)
        units = score(segment.postings, asked.terms, publication.stats, selection)
        probe, allowed = Probe.of(asked.terms, stats, vector, units), selection.flags()
        for place, tree in _trees(segment.trees, mine & segment.live):
            document = int(publication.first_document[index]) + place
            grown.append(Grown(document, int(publication.base[index]), tree, score_nodes(tree, probe), allowed))
    if not grown:
        return None
    numbers = publication.numbers(np.array([one.first_row for one in grown], dtype=np.int64))
    found.grown = [grown[int(i)] for i in np.argsort(numbers, kind="stable")]
    if control is not None:
        _permute(found.grown, np.random.default_rng(control))
    return found


def _permute(grown: Sequence[Grown], generator: np.random.Generator) -> None:
    """Deals scores out anew among the nodes of each level of each tree: what structure must beat."""
    for one in grown:
        shuffle(one.tree, one.scores, generator)


def _documents(publication: Publication, flags: Flags, candidates: Sequence[Candidate]) -> Flags:
    if int(flags.sum()) <= MOST_DOCUMENTS:
        return flags
    owners = publication.owners(np.array([c.row for c in candidates], dtype=np.int64)).tolist()
    chosen = np.zeros(len(flags), dtype=np.bool_)
    chosen[list(dict.fromkeys(owners))[:MOST_DOCUMENTS]] = True
    return chosen


def _trees(index: TreeIndex, documents: Flags) -> Iterator[tuple[int, ItemTree]]:
    for place in np.flatnonzero(documents).tolist():
        for tree in index.of(place):
            yield place, tree
