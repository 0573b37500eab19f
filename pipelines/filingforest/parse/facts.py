"""Reads a filing's inline XBRL once, so that tables, text and metadata can all ask which fact an element carries.

Inline XBRL 1.1; EDGAR XBRL Guide. The tree comes from an HTML parser: names are in lower case and keep their prefix.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from filingforest.parse.facts_contexts import Context, read_contexts, read_units
from filingforest.parse.facts_values import decimal_text, transform
from filingforest.parse.model import Fact

MAX_TEXT = 10_000  # characters of a text fact that are kept
MAX_BLOCK = 400  # of a text block, whose text stands in the nodes anyway
MAX_CONTINUATIONS = 1_000
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


class Shown(NamedTuple):
    """A tagged number as a reader sees it: in which power of ten, under which sign attribute, in which characters."""

    scale: int = 0
    sign: str | None = None
    text: str = ""


@dataclass(slots=True)
class FactBook:
    """All facts of one document, in document order, one for each inline-XBRL element (duplicates stay, as tagged).

    `dei` holds the document's own facts ("EntityRegistrantName" -> value; the first where a class of stock splits them);
    `entities` those of co-registrants (dei facts under LegalEntityAxis): member -> {name: value}.
    """

    facts: list[Fact] = field(default_factory=list)
    dei: dict[str, str] = field(default_factory=dict)
    entities: dict[str, dict[str, str]] = field(default_factory=dict)
    shown: dict[str, Shown] = field(default_factory=dict)  # fact_id -> a number as it is written
    # the values keep their elements alive: lxml hands out the same object only as long as one is held
    _by_element: dict[Any, Fact] = field(default_factory=dict)

    @classmethod
    def collect(cls, tree: Any, prefix: str = "") -> FactBook:
        """Facts of an lxml HTML tree. `prefix` is put before every fact_id (the elements' ids are unique in one filing only)."""
        book = cls()
        names = _Names.of(tree)
        elements = list(tree.iter(*names.facts))
        if elements:
            _Collector(book, tree, names, prefix).run(elements)
        return book

    def fact_of(self, element: Any) -> Fact | None:
        """The fact that this element carries, None where it carries none."""
        return self._by_element.get(element)

    def __bool__(self) -> bool:
        return bool(self.facts)


@dataclass(slots=True)
class _Names:
    """The tag names of one document (a filer may bind other prefixes than ix and xbrli)."""

    ix: list[str]
    xbrli: list[str]

    @classmethod
    def of(cls, tree: Any) -> _Names:
        root = tree.getroottree().getroot()
        ix, xbrli = {"ix"}, {"xbrli"}
        for name, value in root.attrib.items():
            if name.startswith("xmlns:") and value.rstrip("/").endswith("inlineXBRL"):
                ix.add(name[6:].lower())
            elif name.startswith("xmlns") and value.endswith("2003/instance"):
                xbrli.add(name[6:].lower())
        return cls(sorted(ix), sorted(xbrli))

    def tags(self, local: str) -> list[str]:
        return [f"{p}:{local}" for p in self.ix]

    @property
    def facts(self) -> list[str]:
        return [t for local in ("nonfraction", "nonnumeric", "fraction") for t in self.tags(local)]

    def instance(self, local: str) -> list[str]:
        return [f"{p}:{local}" if p else local for p in self.xbrli]


class _Collector:
    def __init__(self, book: FactBook, tree: Any, names: _Names, prefix: str) -> None:
        self.book, self.prefix = book, prefix
        self.contexts = read_contexts(tree.iter(*names.instance("context")))
        self.units = read_units(tree.iter(*names.instance("unit")))
        self.continuations = {e.get("id"): e for e in tree.iter(*names.tags("continuation"))}
        self.hidden = {e for h in tree.iter(*names.tags("hidden")) for e in h.iter(*names.facts)}
        self.excluded = frozenset(names.tags("exclude"))
        self.ids: set[str] = set()

    def run(self, elements: list[Any]) -> None:
        for n, element in enumerate(elements):
            fact = self._fact(n, element)
            self.book.facts.append(fact)
            self.book._by_element[element] = fact
            if fact.concept.startswith("dei:"):
                self._dei(fact)

    def _fact(self, n: int, element: Any) -> Fact:
        get = element.get
        context = self.contexts.get(get("contextref") or "", _NO_CONTEXT)
        name = get("name") or ""
        fact = Fact(self._id(n, get("id")), name, "", label=label_of(name), hidden=element in self.hidden, is_nil=_is_nil(element))
        fact.entity, fact.period_start, fact.period_end = context.entity, context.start, context.end
        fact.dimensions = context.dimensions
        if element.tag.endswith("nonnumeric"):
            fact.value = "" if fact.is_nil else self._text(element, name)
        else:
            self._numeric(fact, element)
        return fact

    def _numeric(self, fact: Fact, element: Any) -> None:
        get = element.get
        fact.unit, fact.decimals = self.units.get(get("unitref") or ""), get("decimals")
        scale, sign = _integer(get("scale")), get("sign")
        shown = "".join(element.itertext())
        self.book.shown[fact.fact_id] = Shown(scale, sign, shown.strip())
        if not fact.is_nil:
            fact.decimal = decimal_text(transform(get("format"), shown), scale, sign == "-")
            fact.value = fact.decimal if fact.decimal is not None else " ".join(shown.split())

    def _text(self, element: Any, name: str) -> str:
        limit = MAX_BLOCK if name.endswith(("TextBlock", "PolicyTextBlock")) or element.get("escape") == "true" else MAX_TEXT
        parts: list[str] = []
        size = 0
        for piece in self._pieces(element):
            parts.append(piece)
            size += len(piece)
            if size > limit * 2:
                break
        text = " ".join("".join(parts).split())[:limit].rstrip()
        fmt = element.get("format")
        changed = transform(fmt, text) if fmt else text
        return text if changed is None else changed

    def _pieces(self, element: Any) -> Iterator[str]:
        """The text of an element and its continuations, what ix:exclude marks left out, paragraphs kept apart."""
        for _ in range(MAX_CONTINUATIONS):
            yield from _shown_text(element, self.excluded)
            following = self.continuations.pop(element.get("continuedat"), None)
            if following is None:
                return
            yield " "
            element = following

    def _id(self, n: int, given: str | None) -> str:
        fact_id = given if given and given not in self.ids else f"{given or 'fact'}.{n}"
        self.ids.add(fact_id)
        return self.prefix + fact_id

    def _dei(self, fact: Fact) -> None:
        name = fact.concept[4:]
        members = [m for axis, m in fact.dimensions.items() if axis.endswith("LegalEntityAxis")]
        if members:
            self.book.entities.setdefault(members[0], {}).setdefault(name, fact.value)
        else:
            self.book.dei.setdefault(name, fact.value)


_BLOCKS = frozenset({"div", "p", "br", "tr", "td", "th", "li", "table"})
_NO_CONTEXT = Context()


def _shown_text(element: Any, excluded: frozenset[str]) -> Iterator[str]:
    if element.text:
        yield element.text
    for child in element:
        tag = child.tag
        if isinstance(tag, str) and tag not in excluded:
            if tag in _BLOCKS:
                yield " "
            yield from _shown_text(child, excluded)
            if tag in _BLOCKS:
                yield " "
        if child.tail:
            yield child.tail


def _is_nil(element: Any) -> bool:
    return any(value in ("true", "1") for key, value in element.attrib.items() if key[-4:] == ":nil")


def _integer(text: str | None) -> int:
    try:
        return int(text or 0)
    except ValueError:
        return 0


def label_of(concept: str) -> str:
    """Words of a concept name ("Net Income Loss"): filings carry no label linkbase of their own in the page."""
    return " ".join(_WORD.findall(concept.rpartition(":")[2]))
