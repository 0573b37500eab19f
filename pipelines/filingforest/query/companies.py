"""Finds the publication's companies in a question by name, short name, initials or ticker, and notices a company that is not there.

Only the publication's own documents say what a company is called. A capital, a possessive or a place in the sentence ("did X say")
tells a name from a word; an unknown name must end in a note, never in another company's passages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from filingforest.query.documents import Document
from filingforest.query.words import Word, listed, words_of

_STATE = re.compile(r"\s*[/\\](?:[A-Z]{2,3}|NEW)[/\\]?\s*$")
_LONGEST = 7


@dataclass(slots=True)
class Company:
    """One company of a publication. `key` is its CIK where there is one, else its glued short name."""

    key: str
    name: str
    names: set[str] = field(default_factory=set)
    tickers: set[str] = field(default_factory=set)
    ciks: set[str] = field(default_factory=set)
    documents: list[int] = field(default_factory=list)  # places in the publication's list of documents


@dataclass(frozen=True, slots=True)
class Found:
    """A company recognised in a question, and the words that named it."""

    company: Company
    text: str
    places: tuple[int, ...]
    how: str  # name, short name, initials, ticker, its own texts, filter


def name_words(name: str) -> list[str]:
    """A registered name's words without the state of incorporation: "Acme Widgets Inc /DE/" -> acme, widgets, inc."""
    words = [w.norm for w in words_of(_STATE.sub("", name).replace("-", " ").replace("_", " "))]
    return words[1:] if words[:1] == ["the"] and len(words) > 1 else words


def core_words(words: Sequence[str]) -> list[str]:
    """Words without legal forms and the like at the end; never empty."""
    out = list(words)
    while len(out) > 1 and (out[-1] in listed("suffixes") or out[-1] == "&"):
        out.pop()
    return out


def glue(words: Iterable[str]) -> str:
    """One string for a name however it is spaced: "Acme & Sons", "AcmeSons" and "ACME_SONS" are alike."""
    return "".join(word for word in words if word != "&")


class CompanyIndex:
    """All names of a publication's companies. Built once a publication; `find` is read-only and thread-safe.

    The first document in `order` (places; as they come by default) that names a company says what it is called.
    """

    def __init__(self, documents: Sequence[Document], order: Iterable[int] | None = None) -> None:
        self.companies: dict[str, Company] = {}
        self._keys: dict[str, str] = {}  # glued short name -> key
        for place in range(len(documents)) if order is None else order:
            self._add(place, documents[place])
        self.tickers = {t.upper(): c for c in self.companies.values() for t in c.tickers}
        self.aliases = _aliases(self.companies.values())

    def _add(self, place: int, document: Document) -> None:
        if not document.names:
            return
        glued = [glue(core_words(name_words(name))) for name in document.names]
        # without a CIK, one shared name is enough: a company that was renamed, or a file called after it
        key = document.cik or next((self._keys[g] for g in glued if g in self._keys), glued[0])
        self._keys.update({g: key for g in glued if g not in self._keys})
        company = self.companies.setdefault(key, Company(key, document.names[0]))
        company.names.update(document.names)
        company.tickers.update(document.tickers)
        company.ciks.update(cik.lstrip("0") for cik in document.ciks)
        company.documents.append(place)

    def named(self, value: str) -> list[Company]:
        """Companies that a filter means: CIK, ticker, or a name however it is written; empty where none is."""
        bare = value.strip()
        if bare.isdigit():
            return [c for c in self.companies.values() if bare.lstrip("0") in c.ciks]
        if bare.upper() in self.tickers:
            return [self.tickers[bare.upper()]]
        words = name_words(bare)
        for candidate in (glue(words), glue(core_words(words))):
            if candidate in self.aliases:
                return [self.companies[key] for key in sorted(self.aliases[candidate][0])]
        return []

    def find(self, words: Sequence[Word], ordinary: Callable[[str, Company], bool] = lambda word, company: False) -> list[Found]:
        """Companies in a question, in the order named, longest names first. `ordinary` says whether a word is common in other texts."""
        out: dict[str, Found] = {}
        cased, place = has_case(words), 0
        while place < len(words):
            found = self._at(words, place, cased, ordinary) or self._ticker_at(words, place, cased)
            for each in found:
                out.setdefault(each.company.key, each)
            place += len(found[0].places) if found else 1
        return list(out.values())

    def _at(self, words: Sequence[Word], place: int, cased: bool, ordinary: Callable[[str, Company], bool]) -> list[Found]:
        for size in range(min(_LONGEST, len(words) - place), 0, -1):
            span = words[place : place + size]
            if span[0].norm == "&" or span[-1].norm == "&":
                continue
            alias = self.aliases.get(glue(w.norm for w in span))
            if not alias:
                continue
            companies = [self.companies[key] for key in sorted(alias[0])]
            if _is_name(span, cased, lambda word: ordinary(word, companies[0])):  # noqa: B023 - called at once
                text = " ".join(w.text for w in span)
                return [Found(company, text, tuple(w.place for w in span), alias[1]) for company in companies]
        return []

    def _ticker_at(self, words: Sequence[Word], place: int, cased: bool) -> list[Found]:
        word = words[place]
        company = self.tickers.get(word.norm.upper())
        if company and cased and is_ticker(words, place):
            return [Found(company, word.text, (place,), "ticker")]
        return []


def _aliases(companies: Iterable[Company]) -> dict[str, tuple[set[str], str]]:
    """Glued name -> (company keys, how). A short form that two companies share means neither; a whole name means both."""
    out: dict[str, tuple[set[str], str]] = {}
    short: dict[str, tuple[set[str], str]] = {}
    for company in companies:
        for name in company.names:
            words = name_words(name)
            core = core_words(words)
            for whole in (words, core):
                out.setdefault(glue(whole), (set(), "name"))[0].add(company.key)
            for alias, how in _short_forms(core):
                short.setdefault(alias, (set(), how))[0].add(company.key)
    out.pop("", None)
    return out | {alias: found for alias, found in short.items() if len(found[0]) == 1 and alias not in out}


def _short_forms(core: Sequence[str]) -> list[tuple[str, str]]:
    """First words of a name, where they say something, and initials of "A & B" names."""
    out = [(glue(core[:size]), "short name") for size in range(1, len(core)) if _says_something(core[:size])]
    if "&" in core and len(core) >= 3:
        letters = ["n" if word == "&" else word[0] for word in core]
        out += [("".join(letters), "initials"), ("&".join(word[0] for word in core if word != "&"), "initials")]
    return out


def _says_something(words: Sequence[str]) -> bool:
    if words[-1] in ("&", "of", "the", "for"):
        return False
    return len(words) > 1 or (len(words[0]) > 2 and words[0] not in listed("weak") and words[0] not in listed("places"))


def _is_name(span: Sequence[Word], cased: bool, ordinary: Callable[[str], bool]) -> bool:
    """Whether words that spell a name are meant as one."""
    if len(span) > 1:
        return not cased or any(w.capital for w in span)
    word = span[0]
    common = word.norm in listed("ordinary") or word.norm in listed("openers") or word.norm in listed("parts") or ordinary(word.norm)
    if not cased:
        return not common
    if not word.capital:
        return False
    return not common or word.possessive or not word.opens


def has_case(words: Sequence[Word]) -> bool:
    """Whether capitals mean anything here: not in an all-lower, all-capitals or Title Case question."""
    letters = [w for w in words if w.text[:1].isalpha() and len(w.norm) > 3]
    inner = [w for w in letters if not w.opens]
    if not any(w.capital for w in words if w.text.lstrip("$")[:1].isalpha() and not w.opens):
        return any(w.capital and w.text[:1].isalpha() for w in words) and bool(inner)
    return sum(not w.capital for w in inner) * 4 >= len(inner) or len(inner) < 3


def is_ticker(words: Sequence[Word], place: int) -> bool:
    """Whether a word is written as a ticker: capitals, and marked ("$AI", "NYSE: AI") where it is short or a common acronym."""
    word = words[place]
    if word.text.startswith("$"):
        return True
    text = word.text.partition("'")[0]
    if not text.isupper() or len(text) > 6:
        return False
    marked = place > 0 and words[place - 1].norm in ("nyse", "nasdaq", "ticker", "symbol", "amex")
    return marked or (len(text) > 1 and word.norm not in listed("acronyms"))
