"""Reads how an element looks, once for each different style: headings are told from prose by looks, and filings repeat few styles often."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, NamedTuple

POINTS = {"pt": 1.0, "px": 0.75, "in": 72.0, "cm": 28.35, "mm": 2.835, "em": 10.0, "rem": 10.0, "%": 0.1, "pc": 12.0}
FONT_SIZES = {"1": 7.5, "2": 10.0, "3": 12.0, "4": 13.5, "5": 18.0, "6": 24.0, "7": 36.0}
NAMED_SIZES = {"x-small": 7.5, "small": 10.0, "medium": 12.0, "large": 13.5, "x-large": 18.0, "smaller": 9.0, "larger": 12.0}
HEADINGS = {"h1": 18.0, "h2": 15.0, "h3": 13.0, "h4": 12.0, "h5": 10.0, "h6": 10.0}
BLOCKS = frozenset(
    [
        "p",
        "div",
        "li",
        "ul",
        "ol",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
        "center",
        "dl",
        "dt",
        "dd",
        "blockquote",
        "pre",
        "body",
        "table",
        "tbody",
        "thead",
        "tfoot",
        "tr",
        "td",
        "th",
        "form",
        "section",
        "article",
        "header",
        "footer",
        "main",
        "nav",
        "address",
        "fieldset",
        "figure",
        "figcaption",
        "caption",
        "page",
    ]
)
BOLD_TAGS, ITALIC_TAGS, UNDERLINE_TAGS = frozenset({"b", "strong", "th"}), frozenset({"i", "em", "cite"}), frozenset({"u", "ins"})
LENGTH = re.compile(r"(-?\d*\.?\d+)\s*(pt|px|in|cm|mm|em|rem|pc|%)?")


class Look(NamedTuple):
    """What is inherited by the text inside an element. Sizes and indents in points, 0 = not known."""

    bold: bool = False
    italic: bool = False
    underline: bool = False
    size: float = 0.0
    align: str = ""
    indent: float = 0.0


@dataclass(slots=True)
class Effect:
    """What an element does to the flow of text.

    `below`: the effects of the elements met inside its look, by tag and attributes; `met`: the same by the attributes' identity.
    """

    look: Look
    block: bool
    hidden: bool = False
    page_before: bool = False
    page_after: bool = False
    edge: str = ""  # top or bottom: a box that holds a running header or footer
    inline: bool = False  # only changes how text looks
    below: dict[Any, Effect] = field(default_factory=dict, repr=False, compare=False)
    met: dict[tuple[str, int], Effect] = field(default_factory=dict, repr=False, compare=False)


def length(value: str) -> float:
    """A CSS length in points; a number without a unit is pixels."""
    m = LENGTH.match(value.strip())
    return float(m[1]) * POINTS[m[2] or "px"] if m else 0.0


def declarations(style: str) -> dict[str, str]:
    """`a: b; c: d` as a dict, names and values in lower case."""
    out = {}
    for part in style.lower().split(";"):
        name, colon, value = part.partition(":")
        if colon:
            out[name.strip()] = value.replace("!important", "").strip()
    return out


def _size(value: str, parent: float) -> float:
    if value.endswith(("%", "em")):
        m = LENGTH.match(value)
        factor = float(m[1]) / (100 if value.endswith("%") else 1) if m else 1.0
        return (parent or 10.0) * factor
    return NAMED_SIZES.get(value) or length(value) or parent


def _font(css: dict[str, str]) -> None:
    """`font: bold 10pt Times` spelled out."""
    short = css.get("font", "")
    if short:
        words = short.split()
        if "bold" in words or any(w in ("600", "700", "800", "900") for w in words):
            css.setdefault("font-weight", "bold")
        elif "font-weight" not in css:
            css["font-weight"] = "normal"
        if "italic" in words:
            css.setdefault("font-style", "italic")
        size = next((w.split("/")[0] for w in words if re.match(r"[\d.]+(pt|px|em|%)", w)), None)
        if size:
            css.setdefault("font-size", size)


def look_of(tag: str, css: dict[str, str], attributes: dict[str, str], parent: Look) -> Look:
    """The inherited look inside an element of this tag and style."""
    bold, italic, underline, size, align, indent = parent
    if tag in HEADINGS:
        bold, size = True, HEADINGS[tag]
    elif tag == "font":
        size = FONT_SIZES.get(attributes.get("size", ""), size)
    elif tag == "center":
        align = "center"
    bold, italic, underline = bold or tag in BOLD_TAGS, italic or tag in ITALIC_TAGS, underline or tag in UNDERLINE_TAGS
    align = attributes.get("align", align).lower()
    if css:
        weight = css.get("font-weight")
        if weight:
            bold = weight in ("bold", "bolder") or (weight.isdigit() and int(weight) >= 600)
        if "font-style" in css:
            italic = css["font-style"] in ("italic", "oblique")
        decoration = css.get("text-decoration", css.get("text-decoration-line", ""))
        underline = underline or "underline" in decoration
        if "font-size" in css:
            size = _size(css["font-size"], size)
        align = css.get("text-align", align)
        for name in ("margin-left", "padding-left"):
            if name in css and "%" not in css[name]:
                indent += max(0.0, length(css[name]))
    return Look(bold, italic, underline, round(size, 1), align if align in ("left", "center", "right") else "", round(indent, 1))


def effect_of(tag: str, css: dict[str, str], attributes: dict[str, str], parent: Look) -> Effect:
    """Everything that the walk over a page needs to know of an element."""
    if css:
        _font(css)
    display = css.get("display", "")
    block = tag in BLOCKS and not display.startswith("inline") and css.get("float", "none") == "none"
    before = css.get("page-break-before") in ("always", "left", "right") or css.get("break-before") in ("page", "always")
    after = css.get("page-break-after") in ("always", "left", "right") or css.get("break-after") in ("page", "always")
    edge = ""
    if css.get("position") == "absolute" and css.get("bottom", "").startswith("0"):
        edge = "bottom"
    elif "min-height" in css and css.get("width") == "100%":
        edge = "top"
    hidden = display == "none" or css.get("visibility") == "hidden"
    before = before or tag == "page"
    inline = not (block or before or after or tag == "td")
    return Effect(look_of(tag, css, attributes, parent), block, hidden, before, after, edge, inline)
