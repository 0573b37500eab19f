"""A light router: what kind of question it is decides how much tables count against prose (HC-RAG, arXiv 2608.12335, section 3)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from filingforest.query.measures import Measure, find_measures, line_items
from filingforest.query.words import listed, vocabulary
from filingforest.tokens import is_number, tokenize

_ASKING = re.compile(r"[^.?!\n]*\?")
EXPANSION_WEIGHT = 0.25  # of words that the question does not say, but the line item that it means is printed with


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question asks for. `terms` weigh tokens for BM25; `items` are line items to be found in tables; `statements` named ones."""

    meaning: str  # what is embedded
    intent: str  # calculation, trend, comparison, fact
    narrative: bool  # asks for reasons or statements, not for a number
    words: tuple[str, ...]
    terms: Mapping[str, float]
    measures: tuple[Measure, ...]
    items: tuple[Measure, ...]
    statements: tuple[str, ...]

    @property
    def wants_table(self) -> bool:
        """Whether a table is the likelier answer."""
        return not self.narrative and bool(self.items or self.statements or self.intent in ("calculation", "trend"))


def read_question(question: str, consumed: frozenset[str], companies: int = 0, years: int = 0, anonymous: str = "") -> Asked:
    """Splits a question into terms, measures and intent.

    `consumed`: tokens that served as filters, of no use inside them; `anonymous`: the question without names.
    """
    tokens = tokenize(question)
    words = tuple(t for t in tokens if t not in consumed)
    measures = find_measures(tokens)
    text = f" {' '.join(tokens)} "
    narrative = _says(f" {' '.join(tokenize(_asking(question)))} ", "narrative")
    return Asked(
        meaning=_asking(anonymous or question).strip(),
        intent=_intent(text, measures, companies, years),
        narrative=narrative,
        words=words,
        terms=_terms(words or tokens, [] if narrative else line_items(measures)),
        measures=tuple(measures),
        items=tuple(line_items(measures)),
        statements=tuple(s for s, phrases in vocabulary()["statements"].items() if any(f" {p} " in text for p in phrases)),
    )


def _asking(question: str) -> str:
    """The sentences that ask, without instructions such as "if it is not useful, explain why"; all of it where none asks."""
    return " ".join(_ASKING.findall(question)) or question


def _intent(text: str, measures: Sequence[Measure], companies: int, years: int) -> str:
    if companies > 1:
        return "comparison"
    if any(m.parts for m in measures) or _says(text, "calculation"):
        return "calculation"
    if years > 2 or _says(text, "trend"):
        return "trend"
    return "comparison" if _says(text, "comparison") else "fact"


def _says(text: str, intent: str) -> bool:
    return any(f" {phrase} " in text for phrase in vocabulary()["intents"][intent])


def _terms(words: Sequence[str], items: Sequence[Measure]) -> dict[str, float]:
    """Weights of the question's own words, function words and words about the answer's form left out, then of its line items' words."""
    skipped = listed("stop") | listed("about_answers")
    terms: dict[str, float] = {}
    for word in words:
        if word not in skipped:
            terms[word] = min(terms.get(word, 0.0) + 1.0, 2.0)
    for item in items:
        for word in dict.fromkeys(w for label in item.labels[:3] for w in tokenize(label)):
            if word not in skipped and not is_number(word):
                terms.setdefault(word, EXPANSION_WEIGHT)
    return terms
