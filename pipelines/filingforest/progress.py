"""Shows what a long run is doing: a bar on a terminal, a line a document in a log, nothing for callers that have their own."""

from __future__ import annotations

import sys
from collections import Counter
from types import TracebackType
from typing import Any, Protocol, TextIO

NEW, KNOWN, ASIDE = "new", "known", "set aside"


class Progress(Protocol):
    """Told of each stage's total and of each document's outcome (`new`, `known`, `set aside`)."""

    def start(self, stage: str, total: int) -> None: ...

    def done(self, stage: str, doc_id: str, outcome: str, why: str = "") -> None: ...

    def note(self, text: str) -> None: ...


class Tally:
    """Counts outcomes by stage; the base of those that show something, and all that a silent run needs."""

    def __init__(self) -> None:
        self.counts: dict[str, Counter[str]] = {}
        self.totals: Counter[str] = Counter()

    def start(self, stage: str, total: int) -> None:
        self.totals[stage] += total

    def done(self, stage: str, doc_id: str, outcome: str, why: str = "") -> None:
        self.counts.setdefault(stage, Counter())[outcome] += 1

    def note(self, text: str) -> None:
        pass

    def __enter__(self) -> Tally:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        pass

    def seen(self, stage: str) -> int:
        return sum(self.counts.get(stage, Counter()).values())

    def line(self, stage: str) -> str:
        """`parsed: 14 new, 1 known, 1 set aside`."""
        counts = self.counts.get(stage, Counter())
        return f"{stage}: " + (", ".join(f"{counts[k]} {k}" for k in (NEW, KNOWN, ASIDE) if counts[k]) or "nothing to do")


class Lines(Tally):
    """One line a document and stage: a log that says what was done, what was skipped and why."""

    def __init__(self, out: TextIO | None = None) -> None:
        super().__init__()
        self.out = out or sys.stderr

    def done(self, stage: str, doc_id: str, outcome: str, why: str = "") -> None:
        super().done(stage, doc_id, outcome, why)
        self.note(f"{stage} {self.seen(stage)}/{self.totals[stage]} {doc_id}: {outcome}{' ' + why if why else ''}")

    def note(self, text: str) -> None:
        print(text, file=self.out, flush=True)


class Bars(Tally):
    """A bar a stage, by rich; what is set aside is printed above the bars, with its reason."""

    def __init__(self) -> None:
        super().__init__()
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as RichProgress

        console = Console(stderr=True)
        columns = (
            TextColumn("{task.description:<11}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[doc]}"),
        )
        self.bars = RichProgress(*columns, console=console)
        self.tasks: dict[str, Any] = {}

    def __enter__(self) -> Bars:
        self.bars.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.bars.stop()

    def start(self, stage: str, total: int) -> None:
        super().start(stage, total)
        if stage not in self.tasks:
            self.tasks[stage] = self.bars.add_task(stage, total=0, doc="")
        self.bars.update(self.tasks[stage], total=self.totals[stage])

    def done(self, stage: str, doc_id: str, outcome: str, why: str = "") -> None:
        super().done(stage, doc_id, outcome, why)
        self.bars.update(self.tasks[stage], advance=1, doc=doc_id)
        if outcome == ASIDE:
            self.note(f"{stage} {doc_id}: {outcome} {why}")

    def note(self, text: str) -> None:
        self.bars.console.print(text, markup=False, highlight=False)


def for_terminal(quiet: bool = False) -> Tally:
    """Bars where standard error is a terminal and rich is there, lines otherwise, a silent tally when asked to be quiet."""
    if quiet:
        return Tally()
    if sys.stderr.isatty():
        try:
            return Bars()
        except ImportError:
            pass
    return Lines()
