"""Whether two sets of phrasings share wording: questions that judge question trees must not be made with the trees' own templates."""

from __future__ import annotations

from collections.abc import Iterable

from filingforest.tokens import tokenize

SIZE = 3


def ngrams(text: str, size: int = SIZE) -> set[tuple[str, ...]]:
    """Runs of `size` tokens. A slot ("{measure}") breaks a run: what fills it is the document's, not the template's."""
    out: set[tuple[str, ...]] = set()
    for piece in text.replace("{", "}").split("}")[::2]:
        words = tokenize(piece)
        out |= {tuple(words[i : i + size]) for i in range(len(words) - size + 1)}
    return out


def shared(these: Iterable[str], those: Iterable[str], size: int = SIZE) -> set[tuple[str, ...]]:
    """Runs of `size` tokens that stand in both sets of templates."""
    left, right = (set().union(*(ngrams(text, size) for text in texts)) if texts else set() for texts in (list(these), list(those)))
    return left & right
