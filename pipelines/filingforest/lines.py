"""A unit's lines as numbers, so that a second ranking can ask which of a question's words stand together without reading a text.

A line is a row of a table or a sentence of prose. Publication stores what is said here of each unit (`publish/segment_lines.py`), and a
reader makes the same of a text where a segment has none stored: both see the same numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from filingforest.terms import term_hash
from filingforest.text import sentences
from filingforest.tokens import is_number, tokenize

LONGEST = 400  # lines of a unit that are kept
WIDEST = 65_535  # words of a line that are kept
_CELL = " | "  # what parts the cells of a row; the first is its label

Words = npt.NDArray[np.uint32]
About = npt.NDArray[np.uint16]


@dataclass(frozen=True, slots=True)
class Lines:
    """`words`: short hashes of the different words of each line, those of its label first. `about`, (lines, 3): how many words, how
    many of them are the label's, and 1 where a number is among the words. A label has no numbers; prose has no labels.
    """

    words: Words
    about: About


@lru_cache(maxsize=200_000)
def short_hash(word: str) -> int:
    """The low 32 bits of `term_hash`: enough to tell a question's words from a unit's (2e-7 among ten and a hundred of them)."""
    return term_hash(word) & 0xFFFFFFFF


def lines_of(text: str) -> Lines:
    """The lines of a unit's text."""
    words: list[int] = []
    about: list[tuple[int, int, bool]] = []
    for line in _pieces(text)[:LONGEST]:
        found = dict.fromkeys(tokenize(line))
        label = [w for w in dict.fromkeys(tokenize(line.partition(_CELL)[0])) if not is_number(w)] if _CELL in line else []
        kept = list(dict.fromkeys([*label, *found]))[:WIDEST]
        words += map(short_hash, kept)
        about.append((len(kept), min(len(label), WIDEST), any(map(is_number, found))))
    return Lines(np.array(words, "<u4"), np.array(about, "<u2").reshape(-1, 3))


def _pieces(text: str) -> list[str]:
    """Rows of tables, sentences of prose."""
    lines = [line for line in text.splitlines() if line.strip()]
    return [line[a:b] for line in lines for a, b in ([(0, len(line))] if _CELL in line else sentences(line))]
