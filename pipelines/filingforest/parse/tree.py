"""Grows the nodes of a document out of its items, sections and units, with places, pages, headers and keys that the tables need."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from filingforest.parse.blocks import Block
from filingforest.parse.facts import FactBook
from filingforest.parse.items import FoundItem
from filingforest.parse.looks import Body
from filingforest.parse.mentions import mentions_of_table, mentions_of_text
from filingforest.parse.model import FactMention, Node
from filingforest.parse.places import Layout
from filingforest.parse.sections import Heading, depth_path, headings, section_ends
from filingforest.parse.units import Unit, cut

LONGEST_HEADER_PART = 90
LONGEST_LAST_PART = 240  # the heading directly above a unit may be a sentence that says what the unit is about


@dataclass(slots=True)
class Region:
    """Blocks [start, end) that belong together: an item's span, or matter outside items (cover, contents, signatures)."""

    start: int
    end: int
    item: FoundItem | None = None
    heading_at: int | None = None
    title: str = ""  # for matter outside items
    units: bool = True
    plain: bool = False  # a cover page: its lines are no headings
    matter: bool = False  # the matter itself, elsewhere than under the item's heading


@dataclass(slots=True)
class TreeBuilder:
    """Adds nodes in reading order. `base` are the first parts of every unit's header (company, form, year)."""

    doc_id: str
    blocks: Sequence[Block]
    layout: Layout
    body: Body
    labels: dict[int, str]
    base: list[str]
    form_base: str
    by_part: bool = False
    book: FactBook | None = None
    nodes: list[Node] = field(default_factory=list)
    mentions: list[FactMention] = field(default_factory=list)
    _children: Counter[int] = field(default_factory=Counter)
    _seen: Counter[tuple[str | None, str]] = field(default_factory=Counter)

    def root(self, heading: str) -> Node:
        """The document's own node, clause_path "0"."""
        node = Node(f"{self.doc_id}#0", "document", 0, "0", 0, heading=heading, char_start=0, char_end=len(self.layout.text))
        pages = [b.page for b in self.blocks if b.page is not None]
        node.page, node.page_end = (min(pages), max(pages)) if pages else (None, None)
        node.header = " | ".join(self.base)
        self.nodes.append(node)
        return node

    def region(self, region: Region, root: Node) -> Node:
        """An item or other matter with everything below it."""
        first = region.heading_at if region.heading_at is not None else region.start
        top = self._add(root, "item" if region.item else "section", first, region.end)
        if region.item:
            self._describe(top, region.item)
            top.status = "full" if region.matter else top.status
        else:
            top.heading, top.heading_path = region.title, [region.title]
        self._header(top)
        if region.units:
            self._fill(top, region)
        return top

    def _describe(self, node: Node, item: FoundItem) -> None:
        node.item, node.part, node.covers, node.status = display(item, self.by_part), item.part, covered(item, self.by_part), item.status
        node.item_key = item_key(self.form_base, item)
        node.label, node.heading, node.confidence = item.label or f"Item {item.code}", item.heading, item.confidence
        node.label_path, node.heading_path = node.label, [item.heading]

    def _fill(self, top: Node, region: Region) -> None:
        found = {} if region.plain else {h.index: h for h in headings(self.blocks, region.start, region.end, self.body)}
        ends = section_ends(list(found.values()), region.end)
        stack: list[Heading] = []
        open_nodes: list[Node] = []
        run: list[int] = []
        for i in range(region.start, region.end):
            heading = found.get(i)
            if heading is None:
                run.append(i)
                continue
            self._units(open_nodes[-1] if open_nodes else top, run)
            run = []
            stack = depth_path(stack, heading)
            open_nodes = open_nodes[: len(stack) - 1]
            parent = open_nodes[-1] if open_nodes else top
            open_nodes.append(self._section(parent, heading, ends[i]))
        self._units(open_nodes[-1] if open_nodes else top, run)

    def _section(self, parent: Node, heading: Heading, end: int) -> Node:
        node = self._add(parent, "section", heading.index, end)
        node.heading, node.label = self.blocks[heading.index].text, heading.label
        node.heading_path = [*parent.heading_path, node.heading]
        node.label_path = "/".join(x for x in (parent.label_path, heading.label) if x) or None
        self._header(node)
        self._mark(node, heading.index, heading.index, 0)
        return node

    def _units(self, parent: Node, run: list[int]) -> None:
        for unit in cut(self.blocks, run):
            self._unit(parent, unit)

    def _unit(self, parent: Node, unit: Unit) -> None:
        node = self._add(parent, unit.kind, unit.first, unit.last + 1)
        node.char_start = self.layout.place(self.blocks, unit.first, unit.start) if unit.start else self.layout.starts[unit.first]
        node.char_end = self.layout.ends[unit.last] if unit.end is None else self.layout.place(self.blocks, unit.last, unit.end)
        node.text, node.token_count = unit.text(self.blocks), unit.tokens
        node.heading_path, node.header, node.label_path = parent.heading_path, parent.header, parent.label_path
        node.unit_key = self._key(node)
        table = self.blocks[unit.first].table
        if unit.kind == "table" and table is not None:
            node.table, node.statement, node.heading = table.unit.as_dict(), table.statement, table.unit.title
            if self.book:
                self.mentions += mentions_of_table(self.book, node.node_id, table.cells)
        self._mark(node, unit.first, unit.last, unit.start, unit.end)

    def _mark(self, node: Node, first: int, last: int, start: int, end: int | None = None) -> None:
        if not self.book:
            return
        for i in range(first, last + 1):
            low, high = (start if i == first else 0), (end if i == last and end is not None else len(self.blocks[i].text))
            marks = [m for m in self.blocks[i].marks if low <= m[0] < high]
            self.mentions += mentions_of_text(self.book, node.node_id, marks, self.layout.starts[i])

    def _add(self, parent: Node, kind: str, first: int, end: int) -> Node:
        """A node over blocks [first, end), numbered under its parent, with the parent's item."""
        self._children[parent.clause_id] += 1
        ordinal = self._children[parent.clause_id]
        path = str(ordinal) if parent.depth == 0 else f"{parent.clause_path}.{ordinal}"
        node = Node(f"{self.doc_id}#{path}", kind, len(self.nodes), path, parent.depth + 1, parent.node_id)
        node.ancestor_ids = [*parent.ancestor_ids, parent.clause_id]
        node.part, node.item, node.item_key, node.covers = parent.part, parent.item, parent.item_key, parent.covers
        if first < end:  # blocks come in the order of their pages: the first and the last say it
            last = self.blocks[end - 1]
            node.page, node.page_end = self.blocks[first].page, last.page_end if last.page_end is not None else last.page
            node.page_label = self.labels.get(node.page) if node.page is not None else None
            node.char_start = self.layout.starts[first]
            node.char_end = self.layout.ends[end - 1]
        self.nodes.append(node)
        return node

    def _header(self, node: Node) -> None:
        parts = [p for p in node.heading_path if p]
        path = [*map(short, parts[:-1]), *(short(p, LONGEST_LAST_PART) for p in parts[-1:])]
        if node.item and path:
            path[0] = item_title(node.item, path[0])
        node.header = " | ".join([*self.base, *([" > ".join(path)] if path else [])])

    def _key(self, node: Node) -> str:
        known = (node.item_key, node.text)
        occurrence = self._seen[known]
        self._seen[known] += 1
        parts = (self.doc_id, node.item_key or "", node.text, str(occurrence))
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]


def short(heading: str, longest: int = LONGEST_HEADER_PART) -> str:
    """A heading for use in a path."""
    return heading if len(heading) <= longest else heading[: longest - 1].rsplit(" ", 1)[0] + "…"


def item_title(item: str, heading: str) -> str:
    """ "ITEM 7. LIQUIDITY" -> "Item 7 LIQUIDITY": one spelling of the label in headers."""
    number = item.split(".", 1)[-1] if item[:1] in "IV" else item
    low = heading.lower()
    at = low.find(number.lower())
    rest = heading[at + len(number) :].lstrip(" .:–—-|") if low.startswith("item") and at >= 0 else heading
    return f"Item {number} {rest}".strip()


def display(item: FoundItem, by_part: bool) -> str:
    """The item for display: "7A"; "II.1A" where numbers start again in each part."""
    return f"{item.part}.{item.code}" if by_part and item.part else item.code


def covered(item: FoundItem, by_part: bool) -> list[str]:
    """`covers` for display."""
    return [f"{item.part}.{c}" if by_part and item.part else c for c in item.covers]


def item_key(form_base: str, item: FoundItem) -> str:
    """`form_base:part.item`; without a part where the form has none."""
    return f"{form_base}:{item.part}.{item.code}" if item.part else f"{form_base}:{item.code}"
