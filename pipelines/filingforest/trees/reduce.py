"""Few coordinates for many dimensions, which is what a mixture can be fitted in: UMAP, or PCA for few rows and where UMAP fails.

UMAP compiles itself when it is first used, 30 to 100 seconds a process on a slow machine. Its compiled functions are kept on disk
here (numba's cache), so that only the first process of an installation pays for it.
"""

from __future__ import annotations

import logging
import warnings
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float64]
log = logging.getLogger(__name__)


def reduce_rows(vectors: Matrix, dimensions: int, neighbours: int, umap_from: int, seed: int) -> Matrix:
    """(rows, at most `dimensions`), the same for the same rows in the same order.

    Dimensions are clamped to a quarter of the rows: a diagonal mixture has 2d + 1 parameters a component, and with more of them than
    that BIC never finds two groups. Neighbours are clamped to the rows. Below `umap_from` rows every neighbourhood holds nearly
    everything, and PCA is used.
    """
    count, width = vectors.shape
    dimensions = max(1, min(dimensions, max(2, count // 4), count - 2, width))
    if count < umap_from:
        return _pca(vectors, dimensions)
    try:
        return _umap(vectors, dimensions, max(2, min(neighbours, count - 1)), seed)
    except Exception as error:  # whatever a numerical library raises on odd rows, the tree must be grown
        log.warning("UMAP failed on %d rows (%s); PCA is used instead", count, error)
        return _pca(vectors, dimensions)


def _umap(vectors: Matrix, dimensions: int, neighbours: int, seed: int) -> Matrix:
    start = "spectral" if len(vectors) > 2 * dimensions + 2 else "random"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        reducer = umap_class()(
            n_neighbors=neighbours, n_components=dimensions, metric="cosine", random_state=seed, n_jobs=1, init=start, low_memory=True
        )
        reduced = np.asarray(reducer.fit_transform(vectors), dtype=np.float64)
    if not np.isfinite(reduced).all():
        raise ValueError("coordinates that are not finite")
    return reduced


def _pca(vectors: Matrix, dimensions: int) -> Matrix:
    """Coordinates along the directions of greatest variance; each direction's sign is fixed, which LAPACK leaves open."""
    left, scale, right = np.linalg.svd(vectors - vectors.mean(axis=0), full_matrices=False)
    signs = np.sign(right[np.arange(len(right)), np.abs(right).argmax(axis=1)])
    return np.asarray((left * scale * np.where(signs == 0, 1.0, signs))[:, :dimensions], dtype=np.float64)


@cache
def umap_class() -> Any:
    """UMAP with its functions compiled once an installation; where no folder for that can be written, once a process."""
    import numba

    plain = numba.njit

    def kept(*given: Any, **options: Any) -> Any:
        return plain(*given, **{"cache": True, **options})

    numba.njit = kept
    try:
        return _import_umap()
    except RuntimeError as error:  # numba's "no locator available"
        log.info("compiled functions are not kept: %s", error)
        numba.njit = plain
        return _import_umap()
    finally:
        numba.njit = plain


def _import_umap() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of tensorflow, which only a part of UMAP wants that is not used here
        from umap import UMAP

    return UMAP
