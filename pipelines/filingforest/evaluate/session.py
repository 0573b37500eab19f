"""Goes through ways of asking one by one: measured or taken from what was kept, told as soon as it is there."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from filingforest.evaluate.ablations import PLAIN, Variant
from filingforest.evaluate.asking import Asker
from filingforest.evaluate.kept import KeptRuns, key_of
from filingforest.evaluate.measure import Run, run
from filingforest.evaluate.questions import Question
from filingforest.query.reader import Reader

Runs = dict[str, tuple[Run, str]]  # name -> run, and the name of what it is compared with


@dataclass(frozen=True, slots=True)
class Done:
    """One way of asking is measured: `seconds` of CPU (0: it was kept), the `place` of so many."""

    run: Run
    against: Run | None
    place: int
    of: int
    seconds: float


@dataclass(slots=True)
class Session:
    """The same questions, asked of one or several indexes; `tell` hears of every way of asking that is done."""

    questions: Sequence[Question]
    kept: KeptRuns
    ks: Sequence[int]
    tell: Callable[[Done], None]
    runs: Runs = field(default_factory=dict)

    def go(self, readers: Sequence[tuple[str, Reader]], variants: Sequence[Variant]) -> Runs:
        """`readers` with their labels, the first without one: other indexes' plain hybrid is compared with the first one's."""
        of = len(readers) * len(variants)
        for label, reader in readers:
            asker = Asker(reader)
            for variant in variants:
                name, against = label + variant.name, variant.against if variant.name == PLAIN else label + variant.against
                began = time.process_time()
                measured, fresh = self._run(name, asker, variant)
                self.runs[name] = measured, against
                seconds = time.process_time() - began if fresh else 0.0
                self.tell(Done(measured, self.runs[against][0] if against in self.runs else None, len(self.runs), of, seconds))
        return self.runs

    def _run(self, name: str, asker: Asker, variant: Variant) -> tuple[Run, bool]:
        """The run, and whether it was measured now."""
        rerank = asker.reader.retriever.rerank
        key = key_of(asker.publication.id, self.questions, variant.settings, rerank, variant.control, self.ks)
        known = self.kept.get(key, name, self.questions)
        if known is not None:
            return known, False
        measured = run(name, asker, self.questions, variant.settings, variant.control, self.ks)
        self.kept.add(key, measured)
        return measured, True
