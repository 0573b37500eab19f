"""The offline default for summaries and sub-questions: nothing is written that does not stand in the text.

Summaries are the sentences nearest to their node's own vocabulary, figures first among equals (Luhn 1958; SumBasic, Vanderwende 2007).
Sub-questions are put from headings, row labels and lexicon terms, phrased as people ask. Always named in `generator`.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from filingforest.config import Settings
from filingforest.flam.count import TermCounter
from filingforest.text import sentences
from filingforest.tokens import count_tokens, is_number, tokenize
from filingforest.trees.generator import Passage, Written

GENERATOR = "extractive/1"
FIGURE = re.compile(r"\d")
COMMON = re.compile(  # words that say nothing of what a node is about
    r"a|an|and|are|as|at|be|been|by|can|for|from|has|have|in|is|it|its|may|not|of|on|or|our|such|that|the|their|these|this|to"
    r"|was|we|were|which|will|with|would|us|any|all|other|than|also|if|into|more|no|under"
)


class Extractive:
    """Summaries of at most `limit` tokens and at most `questions` sub-questions a node, from the passages below it."""

    def __init__(self, terms: TermCounter, limit: int = 160, questions: int = 8) -> None:
        self.terms, self.limit, self.questions = terms, limit, questions

    @property
    def name(self) -> str:
        """With the lexicon, whose terms the questions name."""
        return f"{GENERATOR} {self.limit} {self.questions} {self.terms.lexicon.revision}"

    def report(self) -> Mapping[str, float]:
        """Nothing: it asks nobody and cannot fail."""
        return {}

    def close(self) -> None:
        """Nothing is open."""

    def write_level(self, groups: Sequence[Sequence[Passage]]) -> list[Written]:
        """See `generator.Generator`."""
        return [Written(self.summary(group), tuple(self.sub_questions(group)), GENERATOR) for group in groups]

    def summary(self, passages: Sequence[Passage]) -> str:
        """Whole sentences and table rows in reading order."""
        pieces = list(dict.fromkeys(piece for passage in passages for piece in split(passage.text)))
        scores = _scores(pieces)
        chosen: list[int] = []
        tokens = 0
        for place in sorted(range(len(pieces)), key=lambda i: (-scores[i], i)):
            length = count_tokens(pieces[place])
            if not chosen or (scores[place] > 0 and tokens + length <= self.limit):
                chosen.append(place)
                tokens += length
        return "\n".join(pieces[i] for i in sorted(chosen))

    def sub_questions(self, passages: Sequence[Passage]) -> list[str]:
        """The commonest names below a node as questions, each once, in a fixed order."""
        headings = _commonest(h for p in passages for h in p.headings)
        labels = _commonest(x for p in passages for x in p.labels)
        terms = _commonest(t for p in passages for t in self.terms.find(p.text))
        asked = [
            *(f"What is disclosed under {h}?" for h in headings[:3]),
            *(f"How much is {_lower(x)}, and against the year before?" for x in labels[:3]),
            *(f"Where does the company stand on {t}?" for t in terms[:4]),
        ]
        return list(dict.fromkeys(asked))[: self.questions]


def open_generator(settings: Settings, terms: TermCounter) -> Extractive:
    """As `open.GENERATORS` asks for it."""
    return Extractive(terms)


def split(text: str) -> list[str]:
    """Sentences of prose; a table's linear form goes row by row."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return [line[a:b] for line in lines for a, b in ([(0, len(line))] if " | " in line else sentences(line))]


def _words(piece: str) -> list[str]:
    return [w for w in tokenize(piece) if not COMMON.fullmatch(w) and not is_number(w)]


def _vocabulary(pieces: Sequence[str]) -> dict[str, float]:
    """Words by how many pieces hold them, damped: what a node is about stands in many of its sentences, but not in all."""
    spread = Counter(word for piece in pieces for word in set(_words(piece)))
    return {word: math.log1p(n) * math.log(1 + len(pieces) / n) for word, n in spread.items()}


def _scores(pieces: Sequence[str]) -> list[float]:
    weights = _vocabulary(pieces)
    return [_score(piece, weights) for piece in pieces]


def _score(piece: str, weights: dict[str, float]) -> float:
    words = _words(piece)
    if len(words) < 3:
        return 0.0
    figure = 1.25 if FIGURE.search(piece) else 1.0
    return figure * sum(weights[w] for w in words) / (len(words) + 8)


def _commonest(names: Iterable[str]) -> list[str]:
    counts = Counter(name.strip().rstrip(":.") for name in names if len(name.strip()) > 2)
    return [name for name, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]


def _lower(label: str) -> str:
    """A row label inside a sentence: "Net sales" -> "net sales", but "EBITDA" stays."""
    return label[:1].lower() + label[1:] if label[1:2].islower() else label
