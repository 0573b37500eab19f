"""Notices a company that a question names and the publication does not hold, so that nobody is answered with another's figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from filingforest.query.companies import has_case, is_ticker
from filingforest.query.measures import find_measures
from filingforest.query.words import Word, listed

_SAID = frozenset(
    ["say", "said", "report", "reported", "have", "has", "disclose", "disclosed", "earn", "earned", "pay", "paid", "spend", "spent"]
)
_ABOUT = frozenset(
    ["of", "for", "at", "by", "about", "from", "with", "versus", "vs", "than", "is", "are", "was", "were", "does", "do", "did", "has"]
)
_BESIDE = frozenset(["&", "or", "to", "versus", "vs", "than", "with"])
_ASKING = frozenset(["did", "does", "do", "has", "have", "is", "was", "were", "are", "will", "can"])


def unknown_names(words: Sequence[Word], taken: frozenset[int], is_written: Callable[[str], bool], known: bool) -> list[str]:
    """Names of companies that are not in the publication.

    `taken`: places already recognised as companies. `is_written`: whether a word occurs anywhere in the publication's texts.
    `known`: whether another company was recognised; then a name that the texts mention is its subject, not a company asked for.
    """
    out = []
    cased = has_case(words)
    weak = cased or bool(find_measures([w.norm for w in words]))  # "revenue of x"; without capitals and measures any word may be rare
    for start, end in _capital_runs(words, taken) if cased else _lower_runs(words, taken, is_written):
        span = words[start:end]
        sure = _certain(words, start, end)
        written = all(is_written(w.norm) for w in span if w.norm != "&")
        asked = _compared(words, start) if known else _asked_for(words, start, end)
        if (sure and not (known and written)) or (weak and asked and not written):
            out.append(" ".join(w.text for w in span).removesuffix("'s").removesuffix("'"))
    return list(dict.fromkeys(out))


def _capital_runs(words: Sequence[Word], taken: frozenset[int]) -> Iterator[tuple[int, int]]:
    """Runs of capitalised words that could name a company: not openers, places, parts of filings or acronyms."""
    place = 0
    while place < len(words):
        end = place
        while end < len(words) and end not in taken and (_could_name(words, end) or (end > place and words[end].norm == "&")):
            end += 1
            if words[end - 1].possessive:
                break
        while end > place and words[end - 1].norm == "&":
            end -= 1
        if end > place and any(w.text[:1].isalpha() for w in words[place:end]):
            yield place, end
        place = max(end, place + 1)


def _could_name(words: Sequence[Word], place: int) -> bool:
    word = words[place]
    if not word.capital or any(c.isdigit() for c in word.norm):
        return False
    if word.norm in listed("legal_forms") and place and words[place - 1].capital:
        return True
    if word.norm in listed("acronyms") or word.norm in listed("places") or word.norm in listed("parts"):
        return False
    if word.opens and (word.norm in listed("openers") or not word.possessive):
        return word.norm not in listed("openers") and _followed_by_name(words, place)
    return word.norm not in listed("openers") or (word.text.isupper() and is_ticker(words, place))


def _followed_by_name(words: Sequence[Word], place: int) -> bool:
    return place + 1 < len(words) and words[place + 1].capital and words[place + 1].text[:1].isalpha() and not words[place + 1].opens


def _lower_runs(words: Sequence[Word], taken: frozenset[int], is_written: Callable[[str], bool]) -> Iterator[tuple[int, int]]:
    """In a question without capitals: single words that no text of the publication holds."""
    for word in words:
        usual = any(word.norm in listed(name) for name in ("openers", "acronyms", "places", "parts", "ordinary"))
        if word.place not in taken and word.norm.isalpha() and len(word.norm) > 2 and not usual and not is_written(word.norm):
            yield word.place, word.place + 1


def _certain(words: Sequence[Word], start: int, end: int) -> bool:
    """Strong signs of a company: a legal form, a possessive (but not of "the X Act"), "did X say"."""
    if end - start > 1 and words[end - 1].norm in listed("legal_forms"):
        return True
    before = words[start - 1].norm if start else ""
    after = words[end].norm if end < len(words) else ""
    if words[end - 1].possessive and before != "the":
        return True
    return before in _ASKING and after in _SAID


def _asked_for(words: Sequence[Word], start: int, end: int) -> bool:
    """Weaker signs, enough only for a name that no text mentions: "revenue of X", "how did X", a ticker."""
    before = words[start - 1].norm if start else ""
    ticker = end - start == 1 and before != "the" and is_ticker(words, start)
    return before in _ABOUT or before in _ASKING or start == 0 or ticker


def _compared(words: Sequence[Word], start: int) -> bool:
    """Beside a company that was recognised: "A and X", "A compared to X"."""
    return start > 0 and words[start - 1].norm in _BESIDE
