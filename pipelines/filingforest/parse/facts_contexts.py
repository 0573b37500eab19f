"""Contexts and units of an XBRL instance: what a fact's references stand for (XBRL 2.1, sections 4.7 and 4.8; XBRL Dimensions 1.0)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from filingforest.parse.elements import Element


@dataclass(slots=True)
class Context:
    """Entity (CIK), period (ISO dates; `start` is None for an instant) and dimensions (axis -> member, typed ones by their text)."""

    entity: str | None = None
    start: str | None = None
    end: str | None = None
    dimensions: dict[str, str] = field(default_factory=dict)


def read_contexts(elements: Iterable[Element]) -> dict[str, Context]:
    """id -> Context, for xbrli:context elements."""
    return {e.attrib.get("id") or "": _context(e) for e in elements}


def _context(element: Element) -> Context:
    out = Context()
    for e in element.iter():
        local = _local(e.tag)
        if local == "identifier":
            out.entity = _text(e)
        elif local == "startdate":
            out.start = _date(e)
        elif local in ("enddate", "instant"):
            out.end = _date(e)
        elif local in ("explicitmember", "typedmember"):
            out.dimensions[e.attrib.get("dimension") or ""] = " ".join(e.string().split())
    return out


def read_units(elements: Iterable[Element]) -> dict[str, str]:
    """id -> "USD", "shares", "USD/shares", "pure", for xbrli:unit elements."""
    return {e.attrib.get("id") or "": _unit(e) for e in elements}


def _unit(element: Element) -> str:
    above: list[str] = []
    below: list[str] = []
    side = above
    for e in element.iter():
        local = _local(e.tag)
        if local == "unitdenominator":
            side = below
        elif local == "unitnumerator":
            side = above
        elif local == "measure":
            side.append(_text(e).rpartition(":")[2])
    top = "*".join(above)
    return f"{top}/{'*'.join(below)}" if below else top


@lru_cache(maxsize=2_000)
def _local(tag: str) -> str:
    return tag.rpartition(":")[2].lower()


def _text(element: Element) -> str:
    return (element.text or "").strip()


def _date(element: Element) -> str | None:
    return _text(element).partition("T")[0] or None
