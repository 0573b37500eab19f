"""Line items and ratios as people ask for them, and as filers print and tag them: the finance vocabulary of the reader.

"Capex" is printed as "Purchases of property, plant and equipment" and tagged as one concept; a ratio is asked for by name and
answered from the line items that it is made of. The vocabulary itself is data: `measures.toml`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from filingforest.terms import concept_key, label_key
from filingforest.tokens import tokenize

_LISTS = ("phrases", "labels", "concepts", "parts")


@dataclass(frozen=True, slots=True)
class Measure:
    """A line item (labels, concepts) or a ratio (`parts`: names of other measures). `statement` is where it is reported."""

    name: str
    statement: str | None = None
    phrases: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    concepts: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()

    def label_terms(self) -> list[str]:
        """Index terms of its printed line items, the most usual first; each once."""
        return list(dict.fromkeys(key for label in self.labels if (key := label_key(label))))

    def concept_terms(self) -> list[str]:
        """Index terms of its tagged concepts."""
        return [concept_key(concept) for concept in self.concepts]


@lru_cache(maxsize=1)
def measures() -> Mapping[str, Measure]:
    """All measures by name, in the file's order."""
    rows = tomllib.loads(files(__package__).joinpath("measures.toml").read_text(encoding="utf-8"))["measure"]
    return {row["name"]: Measure(row["name"], row.get("statement"), *(tuple(row.get(key, ())) for key in _LISTS)) for row in rows}


@lru_cache(maxsize=1)
def _phrases() -> Mapping[tuple[str, ...], str]:
    out: dict[tuple[str, ...], str] = {}
    for measure in measures().values():
        for phrase in measure.phrases:
            out.setdefault(tuple(tokenize(phrase)), measure.name)
    return out


def find_measures(words: Sequence[str]) -> list[Measure]:
    """Measures named in a question's tokens, the longest phrase first at each place, in the order asked; each once."""
    known = _phrases()
    longest = max(map(len, known))
    out: dict[str, Measure] = {}
    place = 0
    while place < len(words):
        spans = (tuple(words[place : place + size]) for size in range(longest, 0, -1))
        found = next((span for span in spans if span in known), None)
        if found:
            out.setdefault(known[found], measures()[known[found]])
        place += len(found) if found else 1
    return list(out.values())


def line_items(asked: Sequence[Measure]) -> list[Measure]:
    """The measures themselves where they have line items, then the parts of ratios; each once."""
    out: dict[str, Measure] = {m.name: m for m in asked if m.labels or m.concepts}
    for measure in asked:
        out.update({name: measures()[name] for name in measure.parts if name not in out})
    return list(out.values())
