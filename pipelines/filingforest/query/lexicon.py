"""Finds a question's finance terms with the lexicon that was published with the index: plain Python, nothing of how it was made.

Case, plurals and hyphens are folded by the tokenizer that counted the corpus; where spellings overlap the longest wins.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from filingforest.errors import Corrupt, SchemaTooNew
from filingforest.tokens import TOKENIZER_VERSION, tokenize

LEXICON_FILE = "lexicon.json"
MOST_TERMS = 8  # of a cluster, in the lexicon's order: a wide cluster says little about a question


@dataclass(frozen=True)
class TermFinder:
    """`forms`: tokens of each spelling, joined by spaces -> its term. `clusters`: terms that mean nearly the same, by number."""

    forms: Mapping[str, str]
    clusters: Sequence[Sequence[str]]
    revision: str = ""

    @classmethod
    def read(cls, data: bytes) -> TermFinder:
        """From the bytes of a published lexicon. Errors: Corrupt, SchemaTooNew."""
        try:
            found = json.loads(data)
            made = cls(dict(found["forms"]), [list(terms) for terms in found["clusters"]], str(found["revision"]))
        except (ValueError, KeyError, TypeError) as error:
            remedy = "run `filingforest publications verify`"
            raise Corrupt(f"not a lexicon: {error}", document=LEXICON_FILE, stage="query", remedy=remedy) from error
        if found["tokenizer"] != TOKENIZER_VERSION:
            message = f"a lexicon for tokenizer {found['tokenizer']}; this reader has {TOKENIZER_VERSION}"
            raise SchemaTooNew(message, stage="query", remedy="install the version of filingforest that published it, or publish again")
        return made

    def find(self, text: str) -> list[str]:
        """Terms in reading order, one for each place where a spelling stands."""
        words = tokenize(text)
        found, place = [], 0
        while place < len(words):
            most = min(self._longest, len(words) - place)
            length = next((n for n in range(most, 0, -1) if " ".join(words[place : place + n]) in self.forms), 0)
            if length:
                found.append(self.forms[" ".join(words[place : place + length])])
            place += max(1, length)
        return found

    def expand(self, terms: Sequence[str], most: int = MOST_TERMS) -> dict[str, list[str]]:
        """Term -> itself and up to `most` - 1 others of its cluster; a term that no cluster knows stands alone."""
        return {term: [term, *(other for other in self._others(term) if other != term)][: max(1, most)] for term in terms}

    def cluster(self, term: str) -> int | None:
        """The number of a term's cluster."""
        return self._cluster.get(term)

    def _others(self, term: str) -> Sequence[str]:
        number = self._cluster.get(term)
        return () if number is None else self.clusters[number]

    @cached_property
    def _cluster(self) -> dict[str, int]:
        return {term: number for number, terms in enumerate(self.clusters) for term in terms}

    @cached_property
    def _longest(self) -> int:
        return max((form.count(" ") + 1 for form in self.forms), default=0)
