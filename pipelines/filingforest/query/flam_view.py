"""How often finance terms stand in each Item, as a matrix to look at: rows are Items, columns terms or clusters of terms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from filingforest.query.publication import Publication
from filingforest.query.scope import demanded


@dataclass(frozen=True, slots=True)
class HeatMap:
    """`counts[i, j]`: occurrences of column j in Item i; `rates` the same for each 1,000 tokens of the Item."""

    items: Sequence[str]
    columns: Sequence[str]
    counts: npt.NDArray[np.int64]
    rates: npt.NDArray[np.float64]


def heat_map(publications: Sequence[Publication], filters: Any = None, terms: Sequence[str] = (), most: int = 30) -> HeatMap:
    """Over the documents that pass `filters`; `terms` chooses the columns, else the `most` commonest terms. Empty without trees."""
    counts: dict[str, Counter[str]] = {}
    tokens: Counter[str] = Counter()
    for publication in publications:
        flags = demanded(filters, publication.corpus) if filters is not None else publication.live
        for segment, mine in zip(publication.segments, publication.split(flags), strict=True):
            if segment.flam is None or not mine.any():
                continue
            tokens.update(segment.flam.tokens(mine))
            for term, by_item in segment.flam.by_term(mine).items():
                counts.setdefault(term, Counter()).update(by_item)
    columns = list(dict.fromkeys(terms)) or [
        term for term, _ in sorted(_totals(counts).items(), key=lambda pair: (-pair[1], pair[0]))[:most]
    ]
    found = {term: counts.get(term, Counter()) for term in columns}
    items = sorted((item for item in tokens if any(by_item[item] for by_item in found.values())), key=_reading_order)
    cells = [[by_item[item] for by_item in found.values()] for item in items]
    matrix = np.array(cells, np.int64).reshape(len(items), len(columns))
    lengths = np.array([max(1, tokens[item]) for item in items], np.float64)
    return HeatMap(items, columns, matrix, 1000.0 * matrix / lengths[:, None])


def _totals(counts: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    return {term: sum(by_item.values()) for term, by_item in counts.items()}


def _reading_order(item: str) -> tuple[str, str, int, str]:
    """10-K:I.1A before 10-K:I.2 before 10-K:II.7."""
    form, _, rest = item.partition(":")
    part, _, number = rest.rpartition(".")
    digits = "".join(c for c in number if c.isdigit())
    return form, part, int(digits or 0), number
