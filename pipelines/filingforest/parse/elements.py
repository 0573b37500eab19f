"""The elements of a page as plain Python lists: a reader asks each of them a dozen things, and lxml makes a new object for every answer.

lxml still reads the markup (its HTML parser mends what was left open): it tells `TreeMaker` what it meets, and no tree of its own is made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

MAX_DEPTH = 2_048
NAMED = frozenset({"a", "style"})  # tags that are looked up by name, besides those with a prefix (inline XBRL)
NO_ATTRIBUTES: dict[str, str] = {}


class TooDeep(Exception):
    """Elements are nested deeper than MAX_DEPTH."""


class Element(list["Element"]):
    """One element; the list's members are its children. `attrib` is shared by elements that look alike: it is never changed.

    Without an `__init__`, which would cost as much as all the rest of making one: see `element`.
    """

    __slots__ = ("attrib", "tag", "tail", "text")
    __eq__ = object.__eq__  # two are the same only where they are one object
    __ne__ = object.__ne__
    __hash__ = object.__hash__  # type: ignore[assignment]
    tag: str
    attrib: dict[str, str]
    text: str | None
    tail: str | None

    def iter(self) -> Iterator[Element]:
        """This element and all below it, in document order."""
        waiting = [self]
        while waiting:
            one = waiting.pop()
            yield one
            if len(one):
                waiting.extend(one[::-1])

    def string(self, named: list[Element] | None = None, tag: str = "") -> str:
        """All text inside; on the way the elements of this tag are added to `named`."""
        if not len(self):
            return self.text or ""
        parts = [self.text or ""]
        inner, tails = [iter(self)], [""]
        while inner:
            for child in inner[-1]:
                if child.tag == tag and named is not None:
                    named.append(child)
                if child.text:
                    parts.append(child.text)
                if len(child):
                    inner.append(iter(child))
                    tails.append(child.tail or "")
                    break
                if child.tail:
                    parts.append(child.tail)
            else:
                inner.pop()
                parts.append(tails.pop())
        return "".join(parts)


def element(tag: str, attrib: dict[str, str] | None = None, inside: Element | None = None) -> Element:
    """A new element without children, the last one of `inside`."""
    made = Element()
    made.tag, made.attrib, made.text, made.tail = tag, attrib or NO_ATTRIBUTES, None, None
    if inside is not None:
        inside.append(made)
    return made


@dataclass(slots=True)
class Page:
    """A page's elements. `named`: those that are looked up by name, in document order."""

    root: Element
    named: list[Element] = field(default_factory=list)


class TreeMaker:
    """A parser target (lxml) that makes elements. `close` gives the page, None where there was no element.

    What the parser calls are functions over local names, not methods: they run for each tag, and `self` would take a third of their time.
    """

    def __init__(self) -> None:
        pieces: list[str] = []  # of text since the last tag
        self.data = pieces.append
        self.start, self.end, self.close = _handlers(pieces)


def _handlers(pieces: list[str]) -> tuple[Callable[[str, dict[str, str]], None], Callable[[str], None], Callable[[], Page | None]]:
    """What happens at an element's start, at its end, and at the page's."""
    page = Page(element("#document"))
    stack, named = [page.root], page.named
    closed: Element | None = None  # the element that text now follows; None at the start of the innermost one
    attributes: dict[tuple[tuple[str, str], ...], dict[str, str]] = {}
    tags: dict[str, str] = {}

    def settle() -> None:
        text = pieces[0] if len(pieces) == 1 else "".join(pieces)
        pieces.clear()
        if closed is None:
            stack[-1].text = text
        else:
            closed.tail = text

    def start(tag: str, attrib: dict[str, str]) -> None:
        nonlocal closed
        if pieces:
            settle()
        made = Element()
        made.tag = tag = tags.setdefault(tag, tag)
        made.text = made.tail = None
        if type(attrib) is not dict:  # lxml has a type of its own for none
            made.attrib = NO_ATTRIBUTES
        elif "id" in attrib:
            made.attrib = attrib
        else:
            made.attrib = attributes.setdefault(tuple(attrib.items()), attrib)
        stack[-1].append(made)
        stack.append(made)
        closed = None
        if ":" in tag or tag in NAMED:
            named.append(made)
        if len(stack) > MAX_DEPTH:
            raise TooDeep

    def end(tag: str) -> None:
        nonlocal closed
        if pieces:
            settle()
        closed = stack.pop()

    def close() -> Page | None:
        nonlocal closed, named, page
        made = Page(page.root[0], named) if len(page.root) else None
        page, named, closed = Page(element("#document")), [], None  # lxml keeps these functions, and they must not keep the page
        stack.clear()
        return made

    return start, end, close
