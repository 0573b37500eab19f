"""Asks questions of a reader and scores the answers; one row a question, so that two ways of asking can be compared in pairs."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from filingforest.config.retrieval import RetrievalSettings
from filingforest.evaluate.asking import Asker
from filingforest.evaluate.metrics import scores
from filingforest.evaluate.questions import Question

KS = (5, 10, 15)
TIMED = 15  # questions that are timed, spread over all


@dataclass(frozen=True, slots=True)
class Run:
    """One way of asking: `rows[i]` are the scores of question i; `milliseconds` CPU of those that were timed; `notes` counts notes."""

    name: str
    questions: Sequence[Question]
    rows: Sequence[dict[str, float]]
    milliseconds: Sequence[float]
    notes: dict[str, int] = field(default_factory=dict)

    def values(self, metric: str, kind: str | None = None) -> list[float]:
        """The metric question by question, of one kind only where `kind` is given."""
        return [row[metric] for row, q in zip(self.rows, self.questions, strict=True) if kind in (None, q.kind)]

    def mean(self, metric: str, kind: str | None = None) -> float:
        """0 where there is no such question."""
        values = self.values(metric, kind)
        return statistics.fmean(values) if values else 0.0

    @property
    def cost(self) -> float:
        """Median CPU milliseconds a question."""
        return statistics.median(self.milliseconds) if self.milliseconds else 0.0


def run(
    name: str,
    asker: Asker,
    questions: Sequence[Question],
    chosen: RetrievalSettings,
    control: int | None = None,
    ks: Sequence[int] = KS,
    timed: int = TIMED,
) -> Run:
    """Every question once, in order; `timed` of them once more by the reader itself. A permutation (`control`) costs what it permutes."""
    k = max(*ks, 10)
    rows, notes = [], Counter[str]()
    for question in questions:
        found, codes = asker.found(question, chosen, control, k)
        rows.append(scores(found, len(question.gold), ks))
        notes.update(codes)
    step = max(1, len(questions) // timed) if timed else 0
    costs = asker.cost(questions[::step][:timed], chosen, k) if timed and control is None else []
    return Run(name, questions, rows, costs, dict(notes))


def kinds(questions: Sequence[Question]) -> Iterator[str | None]:
    """None (all), then each kind that occurs, where there are several."""
    yield None
    found = sorted({question.kind for question in questions})
    if len(found) > 1:
        yield from found
