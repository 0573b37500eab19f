"""Cosine similarity over the published half-precision vectors: exact where a filter leaves little, sign codes first where it does not.

Three looks, each at fewer rows: differing signs of all rows (48 bytes a row at 384 dimensions), an estimate from the question's own
numbers and the row's signs for the nearest of them, and the exact cosine for the best of those. The nearest rows are sought over all
segments at once, so that many segments cost no more than one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from filingforest.query.arrays import Array
from filingforest.query.selection import Selection
from filingforest.signs import sign_codes

EXACT_ROWS = 32_000  # about 20 ms of exact search on one thread at 384 dimensions
NEAR = 40_000  # rows that differing signs leave
RESCORED = 10_000  # rows that the estimate leaves
_NOISE = 2e-6  # by which cosines of one row may differ with its neighbours
_BLOCK, _ROWS_BLOCK, _FEW_RANGES = 16_384, 1_024, 64
_QUESTION_BITS = 4
_HALF_BITS, _HALF_SHIFT, _HALF_SCALE = np.int32(-0x70002000), 13, np.float32(2.0**112)
Vector = npt.NDArray[np.float32]
Rows = npt.NDArray[np.int64]
Found = tuple[npt.NDArray[np.int64], Rows, Vector]


@dataclass(frozen=True, slots=True)
class VectorIndex:
    """L2-normalised vectors, f16 (n, d), and their sign codes, u64 (n, d / 64), both memory-mapped."""

    vectors: Array
    signs: Array

    def nearest(self, question: Vector, selection: Selection, limit: int) -> tuple[Rows, Vector]:
        """Rows and cosines of the `limit` nearest selected units, best first, equal ones in ascending row."""
        _, rows, cosines = nearest([(self, selection)], question, limit)
        return rows, cosines

    def cosines(self, question: Vector, rows: Rows) -> Vector:
        """Cosine of each row, block by block, so that memory does not grow with the rows.

        Half floats become floats by moving their bits, three times as fast as a cast: the exponent is then 112 too small, which
        the question makes up for. Exact, since both are powers of two.
        """
        out = np.empty(len(rows), np.float32)
        bits = np.empty((min(_ROWS_BLOCK, len(rows)), self.vectors.shape[1]), np.int32)
        halves, scaled = self.vectors.view(np.int16), np.asarray(question, np.float32) * _HALF_SCALE
        for start in range(0, len(rows), _ROWS_BLOCK):
            wanted = rows[start : start + _ROWS_BLOCK]
            block = bits[: len(wanted)]
            block[...] = _rows(halves, wanted)
            np.left_shift(block, _HALF_SHIFT, out=block)
            np.bitwise_and(block, _HALF_BITS, out=block)
            np.dot(block.view(np.float32), scaled, out=out[start : start + len(wanted)])
        return out


Part = tuple[VectorIndex, Selection]


def nearest(parts: Sequence[Part], question: Vector, limit: int, numbers: Callable[[Rows, Rows], Rows] | None = None) -> Found:
    """The `limit` nearest selected units of several segments: place in `parts`, row and cosine of each, best first.

    Equal ones are ordered by `numbers(places in parts, rows)`, in the order of parts and rows by default.
    """
    counts = [selection.count for _, selection in parts]
    if sum(counts) <= EXACT_ROWS:
        chosen = [selection.rows() for _, selection in parts]
    else:
        chosen = _estimated_best(parts, _fewest_differing(parts, question), question)
    found = [index.cosines(question, rows) for (index, _), rows in zip(parts, chosen, strict=True)]
    cosines = np.concatenate(found) if found else np.empty(0, np.float32)
    owners = np.repeat(np.arange(len(parts)), [len(rows) for rows in chosen])
    rows = np.concatenate(chosen) if chosen else np.empty(0, np.int64)
    kept = _highest(cosines, limit, _NOISE)
    owners, rows = owners[kept], rows[kept]
    cosines = _settled(parts, owners, rows, question)
    order = np.lexsort((numbers(owners, rows) if numbers else rows, np.zeros(len(rows)) if numbers else owners, -cosines))[:limit]
    return owners[order], rows[order], cosines[order]


def _settled(parts: Sequence[Part], owners: Rows, rows: Rows, question: Vector) -> Vector:
    """Cosines that depend on their row alone: the last digits of a matrix product depend on which rows lie beside each other."""
    out = np.empty(len(rows), np.float32)
    exact = np.asarray(question, np.float64)
    for place, (index, _) in enumerate(parts):
        mine = owners == place
        out[mine] = np.einsum("ij,j->i", index.vectors[rows[mine]].astype(np.float64), exact)
    return out


def _fewest_differing(parts: Sequence[Part], question: Vector) -> list[Rows]:
    """Rows of the fewest differing signs, NEAR of all and those that differ as much as the last, ascending."""
    code = sign_codes(np.asarray(question)[None, :])[0]
    looked = [_differing(index.signs, selection, code) for index, selection in parts]
    counts = np.zeros(64 * len(code) + 1, np.int64)
    for pieces in looked:
        for _, distances in pieces:
            counts += np.bincount(distances, minlength=len(counts))
    upto = int(np.searchsorted(np.cumsum(counts), NEAR))
    return [np.concatenate([_at(rows, distances <= upto) for rows, distances in pieces] or [np.empty(0, np.int64)]) for pieces in looked]


def _differing(signs: Array, selection: Selection, code: Array) -> list[tuple[Rows | int, npt.NDArray[np.uint16]]]:
    """Pieces of the selected rows, ascending, and how many signs differ in each; a run of rows is read in place and named by its first."""
    if selection.mask is None and len(selection.ranges) <= _FEW_RANGES:
        return [(int(a), _counted(signs[a:b], code, np.bitwise_xor)) for a, b in selection.ranges]
    rows = selection.rows()
    pieces = [rows[i : i + _BLOCK] for i in range(0, len(rows), _BLOCK)]
    return [(piece, _counted(signs[piece], code, np.bitwise_xor)) for piece in pieces]


def _at(rows: Rows | int, chosen: npt.NDArray[np.bool_]) -> Rows:
    return np.flatnonzero(chosen) + rows if isinstance(rows, int) else rows[chosen]


def _estimated_best(parts: Sequence[Part], rows: Sequence[Rows], question: Vector) -> list[Rows]:
    """Of those rows the RESCORED whose signs agree best with the question's numbers."""
    planes, step, low = _planes(np.asarray(question, np.float32))
    estimates = [_estimates(index.signs, mine, planes, step, low) for (index, _), mine in zip(parts, rows, strict=True)]
    kept = _highest(np.concatenate(estimates), RESCORED)
    edges = np.cumsum([0, *(len(mine) for mine in rows)])
    cuts = np.searchsorted(kept, edges)
    return [mine[kept[cuts[i] : cuts[i + 1]] - edges[i]] for i, mine in enumerate(rows)]


def _planes(question: Vector) -> tuple[Array, float, float]:
    """The question's numbers as whole steps above the lowest, one sign code a bit of them, so that sums become counts of bits.

    After RaBitQ (Gao and Long, SIGMOD 2024, section 3.3): four bits a number lose nothing that the order of rows would show.
    """
    low = float(question.min())
    step = (float(question.max()) - low) / (2**_QUESTION_BITS - 1) or 1.0
    whole = np.rint((question - low) / step).astype(np.int64)
    bits = [np.where(whole >> bit & 1, 1.0, -1.0) for bit in range(_QUESTION_BITS)]
    return sign_codes(np.array([*bits, np.ones(len(question))])), step, low


def _estimates(signs: Array, rows: Rows, planes: Array, step: float, low: float) -> Vector:
    """Sum of the question's numbers where a row's sign is positive: what orders rows as the sum with all signs does.

    For the signs s of a row, sum(s q) = 2 sum(q where s > 0) - sum(q), and the last does not depend on the row.
    """
    codes = signs.take(rows, axis=0)
    out = np.zeros(len(rows), np.float32)
    factors = [*(step * 2**bit for bit in range(_QUESTION_BITS)), low]
    for plane, factor in zip(planes, factors, strict=True):
        out += np.float32(factor) * _counted(codes, plane, np.bitwise_and)
    return out


def _counted(codes: Array, code: Array, joined: np.ufunc) -> npt.NDArray[np.uint16]:
    """Bits of each row joined with one code. Word by word, each word of a block beside the next row's, so that sums run along memory."""
    out = np.empty(len(codes), dtype=np.uint16)
    words = np.empty((codes.shape[1], min(_BLOCK, len(codes))), dtype=np.uint64)
    bits = np.empty(words.shape, dtype=np.uint8)
    for start in range(0, len(codes), _BLOCK):
        block = codes[start : start + _BLOCK]
        size = len(block)
        joined(block.T, code[:, None], out=words[:, :size])
        np.bitwise_count(words[:, :size], out=bits[:, :size])
        np.add.reduce(bits[:, :size], axis=0, dtype=np.uint16, out=out[start : start + size])
    return out


def _highest(values: Vector, limit: int, within: float = 0.0) -> Rows:
    """Places of the `limit` highest values and of those that come as near to the last, ascending."""
    if len(values) <= limit:
        return np.arange(len(values))
    return np.flatnonzero(values >= np.partition(values, len(values) - limit)[len(values) - limit] - within)


def _rows(array: Array, rows: Rows) -> Array:
    """Rows of an array; a run without gaps is a slice, which reads a memory map in order."""
    if len(rows) and rows[-1] - rows[0] + 1 == len(rows):
        return array[rows[0] : rows[-1] + 1]
    return array.take(rows, axis=0)
