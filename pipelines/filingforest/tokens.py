"""One tokenizer and one token counter, so that an index and a question can never disagree about what a word is.

Off-the-shelf analysers drop "$1.2", split "10-K" and do not segment Chinese. Stemming takes off plurals only (Harman 1991, "How
effective is suffixing?"): fuller stemmers join "operating income" with "operations", which filings keep apart.
Bump the version whenever an output changes: segments name it, and a reader refuses another.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache

TOKENIZER_VERSION = "1"
COUNTER_VERSION = "1"

_CJK = "\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f"
_LETTER = rf"[^\W\d_{_CJK}]"

_TOKEN = rf"""(?P<plain>\b(?!fy\b|fiscal\b)[a-z]{{2,}}(?=[\s,;:)]))                        # most words: tried first, for speed alone
    | (?P<cjk>[{_CJK}]+)
    | (?P<form>\b(?:(?:10-?[kq]|[68]-?k|11-?k|[24]0-?f)t?(?:405|sb)?(?:/a)?|[a-z]-\d{{1,2}}(?:/a)?)\b)   # 10-K, 10K, 10-Q/A, 8-K, S-1
    | \b(?:fy|fiscal)\s?'?(?P<fiscal>(?:19|20)?\d\d)\b                               # FY2018, FY18
    | \b(?:q(?P<q1>[1-4])|(?P<q2>[1-4])q)(?:'?(?P<qy>(?:20)?\d\d))?\b                # Q3, 3Q, Q3'24, 3Q2024
    | (?P<number>\d+(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)*{_LETTER}{{0,2}}\b|\d+)(?:'s\b)?     # 123,456  1.2  7.3.1  1a
    | (?P<initials>\b(?:{_LETTER}\.){{2,}}|\b{_LETTER}{{1,3}}(?:&{_LETTER}{{1,3}})+\b)  # U.S.  R&D
    | (?P<word>{_LETTER}[^\W_{_CJK}]*(?:'{_LETTER}+)*)
    """


def _kind_of(char: bytes) -> int:
    """ "a" in a word, "." a sign, " " neither, of a character in Windows-1252."""
    text = char.decode("cp1252", "replace")
    return ord("a" if re.match(rf"[^\W{_CJK}]", text) else "." if re.match(r"[^\w\s]", text) else " ")


_COUNTED = re.compile(rf"[{_CJK}]|[^\W{_CJK}]+|[^\w\s]")
_KINDS = bytes(_kind_of(bytes([code])) for code in range(256))  # what each character of Windows-1252 is, for speed alone
_APOSTROPHES = str.maketrans({"\u2019": "'", "\u2018": "'", "\u02bc": "'", "\u2010": "-", "\u2011": "-", "\u2012": "-", "\u00ad": None})


@cache
def _pattern() -> re.Pattern[str]:
    """Compiled when first used: it takes longer than importing the reader."""
    return re.compile(_TOKEN, re.VERBOSE)


def tokenize(text: str) -> list[str]:
    """Tokens of `text` in reading order: lower-cased, plurals and possessives taken off, CJK as overlapping bigrams."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).translate(_APOSTROPHES)
    folded = text.lower()
    out: list[str] = []
    for match in _pattern().finditer(folded):
        kind = match.lastgroup
        if kind == "plain" or kind == "word":
            out.append(_word(match.group()))
        elif kind == "cjk":
            run = match.group()
            out.extend(run[i : i + 2] for i in range(max(1, len(run) - 1)))
        else:
            out.extend(_special(match))
    return out


def count_tokens(text: str) -> int:
    """Length of `text` by our own counter: words and numbers, signs, and each CJK character, count one."""
    try:
        kinds = text.encode("cp1252").translate(_KINDS)
    except UnicodeEncodeError:
        return len(_COUNTED.findall(text))
    return kinds.count(b".") + kinds.count(b" a") + kinds.count(b".a") + kinds.startswith(b"a")


def is_number(token: str) -> bool:
    """Whether a token is a bare number: those are indexed but do not make a table "long"."""
    return token[0].isdigit() and token.replace(".", "").isdigit()


def _special(match: re.Match[str]) -> list[str]:
    """Tokens of forms, fiscal years, quarters, numbers and initials, each in one spelling."""
    found = match.groupdict()
    if form := found["form"]:
        return [re.sub(r"^(\d{1,2})-?(?=[kqf])", r"\1-", form)]
    if year := found["fiscal"]:
        return [_full_year(year)]
    if quarter := found["q1"] or found["q2"]:
        return [f"q{quarter}"] + ([_full_year(found["qy"])] if found["qy"] else [])
    if number := found["number"]:
        return [number.replace(",", "")]
    return [match.group().replace(".", "")]


def _full_year(year: str) -> str:
    """'18' -> '2018', '95' -> '1995'."""
    return year if len(year) == 4 else f"{'19' if year > '60' else '20'}{year}"


@lru_cache(maxsize=100_000)
def _word(word: str) -> str:
    """A word without possessive and plural; words outside a-z are kept whole (Vietnamese, Cyrillic, ...)."""
    word = word.removesuffix("'s").replace("'", "")
    if len(word) < 4 or not word.isascii():
        return word
    if word.endswith("ies"):
        return word if word.endswith(("eies", "aies")) or len(word) < 5 else word[:-3] + "y"
    if word.endswith("sses") or word.endswith(("xes", "ches", "shes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("us", "ss", "is")):
        return word[:-1]
    return word
