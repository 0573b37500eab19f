"""Pairs for the question encoder: terms with definitions (FinRAD's form), questions of trees and of facts; how well it tells them apart.

Judged as FinGEAR does (arXiv 2509.12042): Pearson and Spearman between the cosine of a term and a definition, and whether they belong
together (1) or not (0). Terms are split by hash, as companies are.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from filingforest.errors import ConfigError
from filingforest.evaluate.questions import held_out
from filingforest.models.base import Vectors
from filingforest.query.publication import Publication
from filingforest.train.examples import Example

Pair = tuple[str, str]


def read_definitions(path: Path) -> list[Pair]:
    """(term, definition) of a CSV with those columns. Errors: ConfigError."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            rows = list(csv.DictReader(stream))
        found = [(row["term"].strip(), row["definition"].strip()) for row in rows]
    except (OSError, UnicodeDecodeError, KeyError, AttributeError) as error:
        remedy = "FinRAD's form is term,definition,source"
        raise ConfigError(f"{path} has no terms with definitions: {error}", stage="train", remedy=remedy) from error
    return [(term, definition) for term, definition in found if term and definition]


def split_pairs(pairs: Sequence[Pair]) -> tuple[list[Pair], list[Pair]]:
    """To learn from, and held out."""
    return [p for p in pairs if not held_out(p[0])], [p for p in pairs if held_out(p[0])]


def tree_pairs(publication: Publication, most: int = 5_000) -> list[Pair]:
    """(sub-question, summary of its node) of the question trees, without held-out companies; none where there are no trees."""
    out: list[Pair] = []
    for segment in publication.segments:
        if segment.trees is None:
            continue
        open_to = {d.doc_id for d in segment.documents if not held_out(d.company or d.doc_id)}
        rows = segment.read("tree_nodes", ("doc_id", "tree_node_id", "tree", "summary", "questions"))
        summaries = {(r["doc_id"], r["tree_node_id"]): r["summary"] for r in rows if r["summary"]}
        for row in rows:
            text = summaries.get((row["doc_id"], row["tree_node_id"]))
            if text and row["doc_id"] in open_to:
                out += [(question, text) for question in row["questions"] or ()]
    return out[:most]


def example_pairs(examples: Sequence[Example]) -> list[Pair]:
    """(question, what is embedded of its best-placed gold unit)."""
    return [(e.meaning, e.passages[int(np.flatnonzero(e.gold)[0])]) for e in examples if e.gold.any()]


def by_meaning(encode: Callable[[Sequence[str]], Vectors], examples: Sequence[Example]) -> list[npt.NDArray[np.float64]]:
    """Cosines of each question's candidates, in their order: what a ranking by meaning alone makes of them."""
    return [np.asarray(encode(e.passages) @ encode([e.meaning])[0], dtype=np.float64) for e in examples]


def correlation(terms: Vectors, definitions: Vectors, wrong: int = 4) -> dict[str, float]:
    """Pearson and Spearman over each term with its own definition and `wrong` others at fixed distances in the list."""
    count = len(terms)
    cosines, labels = [np.einsum("ij,ij->i", terms, definitions)], [np.ones(count)]
    for step in range(1, wrong + 1):
        cosines.append(np.einsum("ij,ij->i", terms, np.roll(definitions, step * 7, axis=0)))
        labels.append(np.zeros(count))
    values, truth = np.concatenate(cosines), np.concatenate(labels)
    return {"pearson": _pearson(values, truth), "spearman": _pearson(_ranks(values), _ranks(truth))}


def _pearson(a: np.ndarray[tuple[int, ...], np.dtype[np.float64]], b: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> float:
    return float(np.corrcoef(a, b)[0, 1])


def _ranks(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Ranks from 0, equal values sharing their mean rank."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    mean = ends - (counts + 1) / 2
    return np.asarray(mean[inverse], dtype=np.float64)
