"""What one answer is worth: precision, recall and F1 of the context set, reciprocal rank, NDCG.

Definitions: Manning, Raghavan and Schuetze 2008, chapter 8; NDCG with binary gain, each piece of gold counted once (Jaervelin and
Kekaelaeinen 2002). A hit that repeats a piece counts for precision, not for recall.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

DEPTH = 10  # of MRR and NDCG


def scores(found: Sequence[Hashable | None], gold: int, ks: Sequence[int] = (5, 10, 15)) -> dict[str, float]:
    """`found` has one entry a hit in order: the piece of gold that it touches, or None; `gold` is how many pieces there are."""
    out: dict[str, float] = {}
    for k in ks:
        pieces = [piece for piece in found[:k] if piece is not None]
        precision, recall = len(pieces) / max(1, len(found[:k])), len(set(pieces)) / gold
        out[f"precision@{k}"], out[f"recall@{k}"] = precision, recall
        out[f"f1@{k}"] = 2 * precision * recall / (precision + recall) if pieces else 0.0
        out[f"found@{k}"] = float(bool(pieces))
    out["mrr"] = next((1 / place for place, piece in enumerate(found[:DEPTH], 1) if piece is not None), 0.0)
    out["ndcg@10"] = ndcg(found, gold)
    return out


def ndcg(found: Sequence[Hashable | None], gold: int, depth: int = DEPTH) -> float:
    """Discounted gain of first mentions over that of an ideal order; 0 without gold."""
    seen: set[Hashable] = set()
    gain = 0.0
    for place, piece in enumerate(found[:depth], 1):
        if piece is not None and piece not in seen:
            seen.add(piece)
            gain += 1 / math.log2(place + 1)
    ideal = sum(1 / math.log2(place + 1) for place in range(1, min(depth, gold) + 1))
    return gain / ideal if ideal else 0.0
