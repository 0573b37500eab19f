"""One level of a tree: UMAP, then a Gaussian mixture whose memberships are soft (RAPTOR, arXiv 2401.18059; FinGEAR, arXiv 2509.12042).

Any number of vectors gives a defined shape: up to `direct` of them share one parent; more are clustered into at most half as
many parents, so that a tree always ends. The same rows in the same order give the same result on one machine.
"""

from __future__ import annotations

import logging
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from filingforest.trees.reduce import Matrix, reduce_rows

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ClusterSettings:
    """`threshold`: the least responsibility that makes a child a member; `direct`: so many children need no clustering.

    `umap_from`: rows from which UMAP reduces; on fewer its neighbourhoods hold everything, and PCA keeps the same distances at once.
    """

    threshold: float = 0.1
    direct: int = 5
    dimensions: int = 10
    neighbours: int = 15
    umap_from: int = 15
    max_components: int = 50
    seed: int = 17


def soft_clusters(vectors: npt.NDArray[Any], settings: ClusterSettings | None = None) -> Matrix:
    """Responsibilities (children, parents), float64: each row sums to 1, each column has a member, weak memberships are 0."""
    settings = settings or ClusterSettings()
    count = len(vectors)
    distinct = len(np.unique(vectors, axis=0)) if count else 0
    if count <= settings.direct or distinct <= 2:
        return _shared_out(count, settings.direct)
    from threadpoolctl import threadpool_limits

    given = np.asarray(vectors, dtype=np.float64)
    with threadpool_limits(1):  # sums in one order, whatever the machine; and for so few rows threads only cost
        reduced = reduce_rows(given, settings.dimensions, settings.neighbours, settings.umap_from, settings.seed)
        return _prune(_mixture(reduced, min(distinct, count // 2), settings), settings.threshold)


def _shared_out(count: int, direct: int) -> Matrix:
    """Without structure to find, neighbours in reading order share a parent: `direct` children each."""
    parents = max(1, -(-count // direct))
    out = np.zeros((count, parents))
    out[np.arange(count), np.arange(count) * parents // max(1, count)] = 1.0
    return out


def _mixture(points: Matrix, most: int, settings: ClusterSettings) -> Matrix:
    """Responsibilities of the mixture with the least BIC among 1 to `most` components; a failure at one number is no failure of all."""
    best: tuple[float, Matrix] | None = None
    worse = 0
    for components in range(1, max(1, min(most, settings.max_components)) + 1):
        fitted = _fit(points, components, settings.seed)
        if fitted is None:
            continue
        if best is None or fitted[0] < best[0]:
            best, worse = fitted, 0
        else:
            worse += 1
        if worse >= 8:  # BIC only rises from here; the rest would be time spent for nothing
            break
    return best[1] if best is not None else np.ones((len(points), 1))


def _fit(points: Matrix, components: int, seed: int) -> tuple[float, Matrix] | None:
    from sklearn.mixture import GaussianMixture

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = GaussianMixture(components, covariance_type="diag", reg_covar=1e-4, random_state=seed).fit(points)
            return float(model.bic(points)), np.asarray(model.predict_proba(points), dtype=np.float64)
        except ValueError as error:
            log.debug("a mixture of %d components failed: %s", components, error)
            return None


def _prune(responsibilities: Matrix, threshold: float) -> Matrix:
    """Drops weak memberships and empty parents; the strongest membership always stays."""
    strongest = responsibilities.argmax(axis=1)
    kept = np.where(responsibilities >= threshold, responsibilities, 0.0)
    kept[np.arange(len(kept)), strongest] = responsibilities[np.arange(len(kept)), strongest]
    kept = kept[:, kept.any(axis=0)]
    return np.asarray(kept / kept.sum(axis=1, keepdims=True), dtype=np.float64)
