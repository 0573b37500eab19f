"""The second ranking: a few dozen candidates, looked at more closely than a whole index can be (FinGEAR, arXiv 2509.12042, section 3.4).

Tiers: `light` weighs features that need no model; `full` adds a cross-encoder, reading as many of the best candidates as its budget of
tokens allows. Both orders are linear in their scores, so `why` can say what each contributed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

import numpy as np
import numpy.typing as npt

from filingforest.config.retrieval import RerankSettings
from filingforest.query.cross_encoder import cross_encoder
from filingforest.query.features import NAMES, features
from filingforest.query.intent import Asked
from filingforest.query.publication import Publication
from filingforest.query.rank import Candidate
from filingforest.query.scope import Note, Scope

POOL = 50  # candidates that are looked at again
Scores = npt.NDArray[np.float64]


@lru_cache(maxsize=1)
def light_weights() -> npt.NDArray[np.float64]:
    """One weight a column of `features`."""
    known: Mapping[str, float] = json.loads(files(__package__).joinpath("rerank_light.json").read_text(encoding="utf-8"))["weights"]
    return np.array([known.get(name, 0.0) for name in NAMES])


@dataclass(frozen=True, slots=True)
class Reranker:
    """Scores candidates of one question by a tier; `model` says which cross-encoder, and how much it reads."""

    publication: Publication
    asked: Asked
    scope: Scope
    tier: str
    model: RerankSettings
    texts_of: Callable[[Publication, Sequence[int]], dict[int, str]] | None = None  # read_texts, or what keeps them among questions

    def order(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """The same candidates, best first; those beyond POOL keep their order behind. Equal scores keep theirs."""
        if self.tier == "none" or not candidates:
            return list(candidates)
        looked, rest = list(candidates[:POOL]), list(candidates[POOL:])
        columns = features(self.publication, self.asked, self.scope, looked)
        scored: Scores = columns.astype(np.float64) @ light_weights()
        parts: list[dict[str, float]] = [{"light": round(float(value), 4)} for value in scored]
        if self.tier == "full":
            scored = self._read(looked, scored, parts)
        order = np.argsort(-scored, kind="stable")
        low = float(scored.min()) if len(scored) else 0.0
        ranked = [_with(looked[int(i)], float(scored[i]), parts[int(i)]) for i in order]
        return ranked + [_with(c, low - place, {}) for place, c in enumerate(rest, 1)]

    def _read(self, looked: Sequence[Candidate], light: Scores, parts: list[dict[str, float]]) -> Scores:
        """Adds the cross-encoder's scores to the best candidates; the others keep their places behind them."""
        encoder, missing = cross_encoder(self.publication, self.model.model)
        if encoder is None:
            note = Note("no_reranker", missing)
            if note not in self.scope.notes:
                self.scope.notes.append(note)
            return light
        texts = (self.texts_of or read_texts)(self.publication, [c.row for c in looked])
        order = np.argsort(-light, kind="stable")
        chosen = encoder.within(self.asked.meaning, [texts[looked[int(i)].row] for i in order], self.model.tokens)
        read = encoder.scores(self.asked.meaning, [texts[looked[int(i)].row] for i in order[:chosen]])
        out = light.copy()
        out[order[:chosen]] += encoder.info.blend * (read - read.min())
        for i, value in zip(order[:chosen], read, strict=True):
            parts[int(i)]["cross_encoder"] = round(float(value), 4)
        return out


def read_texts(publication: Publication, rows: Sequence[int]) -> dict[int, str]:
    """Texts of units by row."""
    out: dict[int, str] = {}
    for base, segment in zip(publication.base, publication.segments, strict=False):
        mine = [row for row in rows if base <= row < base + segment.units]
        found = segment.read("units", ("text",), [row - int(base) for row in mine]) if mine else []
        out.update({row: unit["text"] or "" for row, unit in zip(mine, found, strict=True)})
    return out


def _with(candidate: Candidate, score: float, parts: Mapping[str, float]) -> Candidate:
    why = {**candidate.why, "rerank": dict(parts)} if parts else candidate.why
    return Candidate(candidate.row, score, why)
