"""Asks questions of a reader and scores the answers; one row a question, so that two ways of asking can be compared in pairs."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from filingforest.config.retrieval import RetrievalSettings
from filingforest.evaluate.metrics import scores
from filingforest.evaluate.questions import Question
from filingforest.query.reader import Reader

KS = (5, 10, 15)


@dataclass(frozen=True, slots=True)
class Run:
    """One way of asking: `rows[i]` are the scores of question i, `milliseconds[i]` what it cost; `notes` counts what readers said."""

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
        """Median milliseconds a question."""
        return statistics.median(self.milliseconds) if self.milliseconds else 0.0


def run(name: str, reader: Reader, questions: Sequence[Question], chosen: RetrievalSettings, ks: Sequence[int] = KS) -> Run:
    """Every question once, in order. The first is asked twice, so that loading models is not counted."""
    if questions:
        _ask(reader, questions[0], chosen, ks)
    asked = [_ask(reader, question, chosen, ks) for question in questions]
    notes: dict[str, int] = {}
    for _, _, codes in asked:
        for code in codes:
            notes[code] = notes.get(code, 0) + 1
    return Run(name, questions, [row for row, _, _ in asked], [ms for _, ms, _ in asked], notes)


def _ask(reader: Reader, question: Question, chosen: RetrievalSettings, ks: Sequence[int]) -> tuple[dict[str, float], float, list[str]]:
    answer = reader.query(question.text, max(*ks, 10), dict(question.filters), retrieval=chosen)
    found = [question.found(hit) for hit in answer.hits]
    return scores(found, len(question.gold), ks), answer.milliseconds, [note.code for note in answer.notes]


def kinds(questions: Sequence[Question]) -> Iterator[str | None]:
    """None (all), then each kind that occurs, where there are several."""
    yield None
    found = sorted({question.kind for question in questions})
    if len(found) > 1:
        yield from found
