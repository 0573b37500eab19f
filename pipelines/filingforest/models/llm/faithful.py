"""Whether a text says only what the passages below it say: every number, date and name in it must stand in one of them.

What it cannot tell: whether a number stands for the right thing, or a sentence for the right relation. It is a gate, not a proof.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from filingforest.models.llm.dates import Date, dates
from filingforest.models.llm.names import KnownWords, names, unknown
from filingforest.models.llm.numbers import Number, numbers, scale_notes, supported


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that stands in no passage. `kind` is number, date or name."""

    kind: str
    text: str


class Evidence:
    """What the passages of one node say, read once for all the texts that are checked against them."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.dates = [date for text in texts for date in dates(text)]
        self.numbers = [(_outside_dates(text), scale_notes(text)) for text in texts]
        self.words = KnownWords(list(texts))

    def unsupported(self, text: str) -> list[Finding]:
        """What of `text` stands in no passage, in reading order, each once."""
        stated = dates(text)
        counted = [number for number in numbers(text) if not _in_date(number, stated)]
        taken = [(number.start, number.start + len(number.text)) for number in counted]
        free = [name for name in names(_without(text, stated)) if not any(a <= name.start < b for a, b in taken)]
        found = [(date.start, Finding("date", date.text)) for date in stated if not self._dated(date)]
        found += [(number.start, Finding("number", number.text)) for number in counted if not self._counted(number)]
        found += [(name.start, Finding("name", name.text)) for name in free if unknown(name, self.words)]
        return list(dict.fromkeys(finding for _, finding in sorted(found, key=lambda pair: pair[0])))

    def _dated(self, date: Date) -> bool:
        return any(date.within(other) for other in self.dates)

    def _counted(self, number: Number) -> bool:
        return any(supported(number, among, notes) for among, notes in self.numbers)


def _without(text: str, stated: Sequence[Date]) -> str:
    """`text` with zeros over its dates: what stands around them keeps its place and is not joined."""
    signs = list(text)
    for date in stated:
        signs[date.start : date.start + len(date.text)] = "0" * len(date.text)
    return "".join(signs)


def _in_date(number: Number, stated: Sequence[Date]) -> bool:
    return any(date.start <= number.start < date.start + len(date.text) for date in stated)


def _outside_dates(text: str) -> list[Number]:
    """A text's numbers, of its dates the years only: the 28th of a month is no support for 28 of anything."""
    stated = dates(text)
    years = {date.year for date in stated}
    return [number for number in numbers(text) if not _in_date(number, stated) or any(value in years for value in number.values)]
