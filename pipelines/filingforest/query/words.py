"""A question's words with their capitals and places, since "Target" and "target" are different questions."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

_APOSTROPHES = str.maketrans({"\u2019": "'", "\u2018": "'", "\u02bc": "'"})
_WORD = re.compile(r"\$?(?:[^\W\d_]\.){2,}|\$?[^\W_]+(?:&[^\W_]+)*(?:'[^\W_]+)?|&")
_INITIALS = re.compile(r"(?:[^\W\d_]\.){2,}")


@dataclass(frozen=True, slots=True)
class Word:
    """One word. `norm` is lower case without possessive and dots; `place` its index; `start`, `end` its characters in the question."""

    text: str
    norm: str
    start: int
    end: int
    place: int
    capital: bool  # begins with a capital or a digit
    opens: bool  # stands at the start of a sentence
    possessive: bool


def fold(text: str) -> str:
    """NFKC with straight apostrophes; the string that places count in."""
    return unicodedata.normalize("NFKC", text).translate(_APOSTROPHES)


def words_of(text: str) -> list[Word]:
    """The words of a question; "and" and "&" have the same `norm`."""
    folded = fold(text)
    out: list[Word] = []
    for match in _WORD.finditer(folded):
        raw = match.group()
        bare, quote, tail = raw.partition("'")
        possessive = (bool(quote) and (tail.lower() in ("s", ""))) or folded[match.end() : match.end() + 2] in ("' ", "'?")
        norm = (bare if possessive or tail.lower() == "s" else raw.replace("'", "")).lower().replace(".", "").lstrip("$")
        before = folded[: match.start()].rstrip(" \t\n\"'([")
        opens = not before or (before[-1] in ".?!:;" and not _INITIALS.search(before[-4:]))
        first = bare.lstrip("$")[:1]
        out.append(
            Word(
                raw,
                "&" if norm == "and" else norm,
                match.start(),
                match.end(),
                len(out),
                first.isupper() or first.isdigit(),
                opens,
                possessive,
            )
        )
    return out


@lru_cache(maxsize=1)
def vocabulary() -> Mapping[str, Any]:
    """The lists of `scope.toml`: word lists as frozen sets, tables as they are."""
    raw = tomllib.loads(files(__package__).joinpath("scope.toml").read_text(encoding="utf-8"))
    return {name: frozenset(value.split()) if isinstance(value, str) else value for name, value in raw.items()}


def listed(name: str) -> frozenset[str]:
    """One word list of `scope.toml`."""
    found: frozenset[str] = vocabulary()[name]
    return found
