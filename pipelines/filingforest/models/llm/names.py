"""The names of a text: capitalised spans. Which of them a text below does not hold is what matters, so no list of companies is needed.

A capital at the head of a sentence says nothing; there a word counts as a name unless the passages hold it in any form, or it is one of
the ordinary words of `plain_words.txt`. Languages without capitals (Chinese, Japanese) have no names by this rule; their numbers and dates
are checked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from filingforest.text import sentences
from filingforest.tokens import tokenize

_WORD = re.compile(r"(?<![^\W_])[^\W\d_](?:[^\W_]|[&'’.](?=[^\W_]))*")
_JOINED = re.compile(r"[ \-/]|\s&\s")


@dataclass(frozen=True, slots=True)
class Name:
    """A capitalised span as written. `opens`: it begins a sentence, so its first capital may be grammar."""

    text: str
    start: int
    opens: bool = False


class KnownWords:
    """What texts hold: their words in order, for spans, and in every form, for single words."""

    def __init__(self, texts: list[str]) -> None:
        self._line = f" {' '.join(_plain(word) for text in texts for word in [*_words(text), '|'])} "
        self._lower = {word for text in texts for word in _words(text) if word.islower()}
        self._forms = {form for text in texts for form in tokenize(text)}

    def span(self, text: str) -> bool:
        """Whether the words of `text` stand side by side."""
        words = [_plain(word) for word in _words(text)]
        return f" {' '.join(words)} " in self._line or f" {' '.join(_singular(word) for word in words)} " in self._line

    def ordinary(self, text: str) -> bool:
        """Whether the word stands without a capital too, or is an ordinary one: it names nobody."""
        return text.lower() in plain_words() or text.lower() in self._lower

    def word(self, text: str) -> bool:
        """Whether the word stands in any form, or is an ordinary one."""
        return text.lower() in plain_words() or all(form in self._forms for form in tokenize(text))


def names(text: str) -> list[Name]:
    """All capitalised spans of `text` in reading order."""
    found: list[Name] = []
    for line in re.finditer(r"[^\n]+", text):
        for start, end in sentences(line.group()):
            found += _in_sentence(text, line.start() + start, line.start() + end)
    return found


def unknown(name: Name, known: KnownWords) -> bool:
    """Whether the texts below do not hold the name."""
    if known.span(name.text):
        return False
    if not name.opens:
        return True
    first, _, rest = name.text.partition(" ")
    return not (known.ordinary(first) and known.span(rest)) if rest else not known.word(first)


@cache
def plain_words() -> frozenset[str]:
    """Words that open sentences and name nobody."""
    return frozenset(files(__package__).joinpath("plain_words.txt").read_text("utf-8").split())


def _in_sentence(text: str, start: int, end: int) -> list[Name]:
    words = list(_WORD.finditer(text, start, end))
    out: list[Name] = []
    run: list[re.Match[str]] = []
    for match in words:
        joined = bool(run) and _JOINED.fullmatch(text[run[-1].end() : match.start()])
        if match.group()[0].isupper() and joined:
            run.append(match)
            continue
        if run:
            out.append(_name(text, run, words))
        run = [match] if match.group()[0].isupper() else []
    return [*out, _name(text, run, words)] if run else out


def _name(text: str, run: list[re.Match[str]], words: list[re.Match[str]]) -> Name:
    return Name(text[run[0].start() : run[-1].end()], run[0].start(), run[0] is words[0])


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+(?:[&'’.][^\W_]+)*", text)


def _plain(word: str) -> str:
    """A word without case, dots and possessive: U.S. -> us, Acme's -> acme."""
    return re.sub(r"['’]s$", "", word.lower()).replace(".", "").replace("’", "'")


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") else word
