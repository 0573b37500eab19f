"""Scores every node of an Item's two trees for one question: words against summaries, meaning against sub-questions.

Summary tree: BM25 with idf and average length over all summaries of the corpus. Question tree: cosine to the best sub-question.
Leaves have neither: there the best of their units counts by words, and the chunk's own vector by meaning.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from filingforest.query.bm25 import K1, B
from filingforest.query.statistics import Statistics
from filingforest.query.trees import ItemTree
from filingforest.terms import term_hash

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class NodeScores:
    """One score a node in each tree; only those of one node's children are ever compared."""

    summary: Floats
    question: Floats


@dataclass(frozen=True, slots=True)
class Probe:
    """A question as trees meet it: hashed terms with idf and weight, its vector, and BM25 scores of the segment's units."""

    hashes: npt.NDArray[np.uint64]
    weights: Floats
    average: float
    vector: npt.NDArray[np.float32] | None
    units: npt.NDArray[np.float32]

    @classmethod
    def of(
        cls, terms: Mapping[str, float], stats: Statistics, vector: npt.NDArray[np.float32] | None, units: npt.NDArray[np.float32]
    ) -> Probe:
        """`stats` are those of the corpus's summaries."""
        hashes = np.array([term_hash(term) for term in terms], dtype=np.uint64)
        order = np.argsort(hashes)
        weights = stats.idf(hashes) * np.array(list(terms.values()), dtype=np.float64)
        return cls(hashes[order], weights[order], stats.average, vector, units)


def score_nodes(tree: ItemTree, probe: Probe) -> NodeScores:
    """Scores of all nodes."""
    scores = NodeScores(_summaries(tree, probe), _questions(tree, probe))
    for leaf in tree.leaves.tolist():
        units = tree.units_of(leaf)
        scores.summary[leaf] = float(probe.units[units].max(initial=0.0)) if len(units) else 0.0
    return scores


def _summaries(tree: ItemTree, probe: Probe) -> Floats:
    hashes, frequency, edges = tree.all_terms
    out = np.zeros(len(tree))
    if not len(hashes) or not len(probe.hashes):
        return out
    place = np.minimum(np.searchsorted(probe.hashes, hashes), len(probe.hashes) - 1)
    hit = np.flatnonzero(probe.hashes[place] == hashes)
    nodes = np.searchsorted(edges, hit, side="right") - 1
    norm = (1 - B) + B * np.asarray(tree.lengths, dtype=np.float64)[nodes] / probe.average
    tf = np.asarray(frequency, dtype=np.float64)[hit]
    np.add.at(out, nodes, probe.weights[place[hit]] * (K1 + 1) * tf / (tf + K1 * norm))
    return out


def _questions(tree: ItemTree, probe: Probe) -> Floats:
    out = np.zeros(len(tree))
    if probe.vector is None or tree.vectors.shape[1:] != probe.vector.shape:
        return out
    out[:] = tree.vectors.astype(np.float32) @ probe.vector
    vectors, edges = tree.all_questions
    if len(vectors):
        cosines = vectors.astype(np.float32) @ probe.vector
        for node in np.flatnonzero(np.diff(edges)).tolist():
            out[node] = float(cosines[edges[node] : edges[node + 1]].max())
    return out


def shuffle(tree: ItemTree, scores: NodeScores, control: np.random.Generator) -> None:
    """Deals the scores out anew among the nodes of each level, in place."""
    for level in np.unique(tree.levels):
        nodes = np.flatnonzero(tree.levels == level)
        for values in (scores.summary, scores.question):
            values[nodes] = values[control.permutation(nodes)]
