"""One shape for what every format's reader hands over, so that furniture, items, sections and units are found by the same code.

A reader (HTML, PDF, plain text, Markdown) yields `Block`s in reading order and calls `build.build_document(blocks, hint, ...)`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from filingforest.parse.tables import TableResult


class Style(NamedTuple):
    """How a block looks. A reader fills in what its format knows; the defaults mean "not known"."""

    bold: float = 0.0  # share of the letters that are bold, 0-1
    italic: float = 0.0
    underline: float = 0.0
    size: float = 0.0  # font size in points, 0 = not known
    align: str = ""  # left, center, right, ""
    indent: float = 0.0  # left indent in points
    lead: int = 0  # number of leading characters that are bold, italic or underlined (a run-in heading)


PLAIN = Style()


@dataclass(slots=True)
class Block:
    """A paragraph, heading, list entry, line of a layout table, or data table, in reading order.

    `text` is normalised (text.normalise) and is one paragraph: a reader joins wrapped lines; joining over pages is done later.
    `page` counts from 0, None where the format has no pages. `level` is 1-6 where the format itself says "heading" (h1-h6, '#').
    `marks` are (start, end, element) for inline-XBRL elements in `text`.
    """

    text: str
    page: int | None = None
    kind: str = "text"  # text, list (starts with a bullet or number), table, error
    style: Style = PLAIN
    level: int | None = None
    table: TableResult | None = None  # for kind "table"
    plain: str = ""  # for kind "table": its rows as they stand, a line each ("" where `text` is that)
    cells: tuple[str, ...] = ()  # the filled cells, where the block is one row of a layout table
    anchors: tuple[str, ...] = ()  # ids and names that links can point to
    links: tuple[str, ...] = ()  # '#target' links inside
    marks: list[tuple[int, int, Any]] = field(default_factory=list)
    row_of: int | None = None  # number of the layout table that this is a row of
    edge: str = ""  # 'top' or 'bottom' where the format knows that it stands in the page's margin
    breaks: tuple[int, ...] = ()  # where a line was broken inside the paragraph
    page_end: int | None = None  # set where a paragraph was rejoined over a page break
    span: tuple[int, int] | None = None  # its place in the source, where the source is kept as it is (a text file)
