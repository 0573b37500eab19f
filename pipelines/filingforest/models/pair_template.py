"""How a tokenizer writes a question and a passage as one sequence: which signs stand before, between and after, and the segment types.

BERT writes `[CLS] question [SEP] passage [SEP]`, RoBERTa `<s> question </s></s> passage </s>`; windows of a passage are put together from
tokens that were cut before, so the template is read off an example instead of being written down for each family.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from filingforest.errors import ConfigError

Ids = list[int]


@dataclass(frozen=True, slots=True)
class PairTemplate:
    """Special tokens before, between and after; `types` of question and passage; `pad` fills a batch."""

    before: Ids
    between: Ids
    after: Ids
    types: tuple[int, int]
    pad: int

    @classmethod
    def of(cls, tokenizer: Any) -> PairTemplate:
        """`tokenizer`: a `tokenizers.Tokenizer`. Errors: ConfigError where it does not join pairs."""
        encoded = tokenizer.encode("a", "b")
        places = [[i for i, s in enumerate(encoded.sequence_ids) if s == side] for side in (0, 1)]
        if not all(places) or len(encoded.ids) == sum(map(len, places)):
            raise ConfigError("the tokenizer does not join two texts", stage="rerank", remedy="use the tokenizer.json of a cross-encoder")
        (first, last), (start, end) = [(found[0], found[-1] + 1) for found in places]
        ids, types = list(encoded.ids), list(encoded.type_ids)
        pad = next((i for i in map(tokenizer.token_to_id, ("[PAD]", "<pad>")) if i is not None), 0)
        return cls(ids[:first], ids[last:start], ids[end:], (types[first], types[start]), pad)

    @property
    def extra(self) -> int:
        """Special tokens of a pair."""
        return len(self.before) + len(self.between) + len(self.after)

    def join(self, question: Sequence[int], passage: Sequence[int]) -> tuple[Ids, Ids]:
        """Ids and segment types of a pair."""
        head, tail = [*self.before, *question, *self.between], [*passage, *self.after]
        return head + tail, [self.types[0]] * len(head) + [self.types[1]] * len(tail)
