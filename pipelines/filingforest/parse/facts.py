"""Reads a filing's inline XBRL once, so that tables, text and metadata can all ask which fact an element carries.

Inline XBRL 1.1; EDGAR XBRL Guide. The tree comes from an HTML parser: names are in lower case and keep their prefix.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from filingforest.parse.elements import Element, Page
from filingforest.parse.facts_contexts import Context, read_contexts, read_units
from filingforest.parse.facts_values import decimal_text, transform
from filingforest.parse.model import Fact

MAX_TEXT = 10_000  # characters of a text fact that are kept
MAX_BLOCK = 240  # of a text block, whose text stands in the nodes anyway
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
    _by_element: dict[Element, Fact] = field(default_factory=dict)

    @classmethod
    def collect(cls, page: Page, prefix: str = "", items_only: bool = False) -> FactBook:
        """Facts of a page. `prefix` is put before every fact_id (the elements' ids are unique in one filing only).

        `items_only`: the document's own facts are read, of the others only what they are called.
        """
        book = cls()
        names = _tag_names(page.root)
        elements: dict[str, list[Element]] = {kind: [] for kind in names.values()}
        for element in page.named:
            if element.tag in names:
                elements[names[element.tag]].append(element)
        if items_only:
            elements["fact"] = book._name_only(elements["fact"])
            elements["context"] = _used(elements["context"], elements["fact"])
        if elements["fact"]:
            _Collector(book, elements, names, prefix).run(elements["fact"])
        return book

    def _name_only(self, elements: Iterable[Element]) -> list[Element]:
        """Gives elements a fact that says its concept alone; returns those that are the document's own."""
        own: list[Element] = []
        for element in elements:
            name = element.attrib.get("name") or ""
            if name.startswith("dei:"):
                own.append(element)
            else:
                self._by_element[element] = _named(name, "nonnumeric" not in element.tag)
        return own

    def fact_of(self, element: Element) -> Fact | None:
        """The fact that this element carries, None where it carries none."""
        return self._by_element.get(element)

    def __bool__(self) -> bool:
        return bool(self.facts)


@lru_cache(maxsize=5_000)
def _named(concept: str, number: bool) -> Fact:
    return Fact("", concept, "", unit="pure" if number else None)


def _used(contexts: Iterable[Element], facts: Iterable[Element]) -> list[Element]:
    """The contexts that these facts refer to."""
    wanted = {e.attrib.get("contextref") for e in facts}
    return [e for e in contexts if e.attrib.get("id") in wanted]


_IX = {
    "nonfraction": "fact",
    "nonnumeric": "fact",
    "fraction": "fact",
    "continuation": "continuation",
    "hidden": "hidden",
    "exclude": "exclude",
}


def _tag_names(root: Element) -> dict[str, str]:
    """Tag name -> what it is, under the prefixes of this document (a filer may bind others than ix and xbrli)."""
    ix, xbrli = {"ix"}, {"xbrli"}
    for name, value in root.attrib.items():
        if name.startswith("xmlns:") and value.rstrip("/").endswith("inlineXBRL"):
            ix.add(name[6:].lower())
        elif name.startswith("xmlns:") and value.endswith("2003/instance"):
            xbrli.add(name[6:].lower())
    names = {f"{prefix}:{local}": kind for prefix in sorted(ix) for local, kind in _IX.items()}
    names.update((f"{prefix}:{local}", local) for prefix in sorted(xbrli) for local in ("context", "unit"))
    return names


class _Collector:
    def __init__(self, book: FactBook, elements: dict[str, list[Element]], names: dict[str, str], prefix: str) -> None:
        self.book, self.prefix = book, prefix
        self.contexts = read_contexts(elements["context"])
        self.units = read_units(elements["unit"])
        self.continuations = {e.attrib.get("id"): e for e in elements["continuation"]}
        self.hidden = {e for h in elements["hidden"] for e in h.iter() if names.get(e.tag) == "fact"}
        self.excluded = frozenset(name for name, kind in names.items() if kind == "exclude")
        self.ids: set[str] = set()

    def run(self, elements: list[Element]) -> None:
        for n, element in enumerate(elements):
            fact = self._fact(n, element)
            self.book.facts.append(fact)
            self.book._by_element[element] = fact
            if fact.concept.startswith("dei:"):
                self._dei(fact)

    def _fact(self, n: int, element: Element) -> Fact:
        get = element.attrib.get
        context = self.contexts.get(get("contextref") or "", _NO_CONTEXT)
        name = get("name") or ""
        fact = Fact(
            self._id(n, get("id")), name, "", None, None, None, context.entity, context.start, context.end, context.dimensions,
            label_of(name), (get("xsi:nil") or get("xs:nil")) in _TRUE, element in self.hidden,
        )  # fmt: skip
        if element.tag.endswith("nonnumeric"):
            fact.value = "" if fact.is_nil else self._text(element, name)
        else:
            self._numeric(fact, element, get)
        return fact

    def _numeric(self, fact: Fact, element: Element, get: Callable[[str], str | None]) -> None:
        fact.unit, fact.decimals = self.units.get(get("unitref") or ""), get("decimals")
        scale, sign = _integer(get("scale")), get("sign")
        shown = element.string()
        self.book.shown[fact.fact_id] = Shown(scale, sign, shown.strip())
        if not fact.is_nil:
            fact.decimal = decimal_text(transform(get("format"), shown), scale, sign == "-")
            fact.value = fact.decimal if fact.decimal is not None else " ".join(shown.split())

    def _text(self, element: Element, name: str) -> str:
        limit = MAX_BLOCK if name.endswith(("TextBlock", "PolicyTextBlock")) or element.attrib.get("escape") == "true" else MAX_TEXT
        parts: list[str] = []
        self._gather(element, parts, 2 * limit)
        text = " ".join("".join(parts).split())[:limit].rstrip()
        fmt = element.attrib.get("format")
        changed = transform(fmt, text) if fmt else text
        return text if changed is None else changed

    def _gather(self, element: Element, parts: list[str], room: int) -> None:
        """Adds the text of an element and its continuations, until `room` characters are filled."""
        seen: set[str] = set()
        while room > 0:
            room = _add_text(element, parts, room, self.excluded)
            target = element.attrib.get("continuedat")
            if target is None or target in seen or target not in self.continuations:
                return
            seen.add(target)
            parts.append(" ")
            element = self.continuations[target]

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
_TRUE = ("true", "1")


def _add_text(element: Element, parts: list[str], room: int, excluded: frozenset[str]) -> int:
    """Adds an element's text with paragraphs kept apart, without what ix:exclude leaves out. Returns the room left."""
    inner = [(iter(element), "", "")]
    if element.text:
        parts.append(element.text)
        room -= len(element.text)
    while inner:
        children, space, tail = inner[-1]
        child = next(children, None) if room > 0 else None
        if child is None:
            inner.pop()
        elif child.tag in excluded:
            space, tail = "", child.tail or ""
        else:
            space = " " if child.tag in _BLOCKS else ""
            text = child.text or ""
            parts += (space, text)
            room -= len(text) + 2  # an element costs something too: tables have thousands of empty cells
            if len(child):
                inner.append((iter(child), space, child.tail or ""))
                continue
            tail = child.tail or ""
        parts += (space, tail)
        room -= len(tail)
    return room


def _integer(text: str | None) -> int:
    try:
        return int(text or 0)
    except ValueError:
        return 0


@lru_cache(maxsize=20_000)
def label_of(concept: str) -> str:
    """Words of a concept name ("Net Income Loss"): filings carry no label linkbase of their own in the page."""
    return " ".join(_WORD.findall(concept.rpartition(":")[2]))
