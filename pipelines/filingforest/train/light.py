"""Learns the light tier's weights: one number a feature, by a listwise softmax over each question's candidates.

Loss: minus the log of the probability that falls on gold (ListNet's top-one probability, Cao et al., ICML 2007), with a pull towards plain
hybrid's order, which is what the weights are before anything is learned. Numpy only; the same examples give the same weights.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from filingforest.evaluate.metrics import scores
from filingforest.query.features import NAMES
from filingforest.train.examples import Example

Floats = npt.NDArray[np.float64]
START = 3.0  # weight of the hybrid's own score
TRUST = 20.0  # and of the same once more where the question's line items are known: set, not learned, since facts are mostly of such items
_PULL, _STEPS, _RATE = 0.01, 600, 0.05


def start() -> Floats:
    """Weights that keep the hybrid's order."""
    return np.array([START if name == "fused" else 0.0 for name in NAMES])


def learn(examples: Sequence[Example]) -> Floats:
    """One weight a column of `features`, by Adam (Kingma and Ba 2015) on the whole set."""
    sets = [(e.columns.astype(np.float64), e.gold.astype(np.float64)) for e in examples if 0 < e.gold.sum() < len(e.gold)]
    learned = np.array([name != "fused_known" for name in NAMES])
    weights, first, second = start(), np.zeros(len(NAMES)), np.zeros(len(NAMES))
    for step in range(1, _STEPS + 1) if sets else ():
        gradient = _PULL * (weights - start()) - sum(_towards_gold(columns, gold, weights) for columns, gold in sets) / len(sets)
        gradient = gradient * learned
        first, second = 0.9 * first + 0.1 * gradient, 0.999 * second + 0.001 * gradient**2
        weights = weights - _RATE * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    return np.where(learned, weights, TRUST)


def _towards_gold(columns: Floats, gold: Floats, weights: Floats) -> Floats:
    shares = softmax(columns @ weights)
    wanted = shares * gold
    return np.asarray((wanted / wanted.sum() - shares) @ columns, dtype=np.float64)


def softmax(values: Floats) -> Floats:
    powers = np.exp(values - values.max())
    return np.asarray(powers / powers.sum(), dtype=np.float64)


def judge(examples: Sequence[Example], order: Sequence[Floats]) -> list[dict[str, float]]:
    """Metrics of each example when its candidates are ordered by `order[i]`, highest first."""
    out = []
    for example, values in zip(examples, order, strict=True):
        places = np.argsort(-values, kind="stable")
        found = [example.pieces[int(place)] for place in places]
        out.append(scores(found, len(example.question.gold)))
    return out


def save(weights: Floats, about: str, path: Path) -> None:
    """In the form of query/rerank_light.json."""
    named = {name: round(float(value), 3) for name, value in zip(NAMES, weights, strict=True)}
    path.write_text(json.dumps({"about": about, "weights": named}, indent=1) + "\n", encoding="utf-8")
