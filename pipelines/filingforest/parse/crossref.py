"""Filers whose body follows an order of their own: an index gives each item's pages, the body gives the text.

An item's text runs from its heading on its first page to the end of its last page, or to the next item's heading where the index only
gives where items begin. An item that lies inside another (market risk inside management's discussion) is a pointer to that place; its
units are its own, its text is told with the item around it.
"""

from __future__ import annotations

from collections.abc import Sequence

from filingforest.parse.blocks import Block
from filingforest.parse.contents import Listing
from filingforest.parse.ends import list_head, signatures
from filingforest.parse.forms import Form, ItemDef
from filingforest.parse.index_pages import Place, printed_pages, runs_of
from filingforest.parse.index_rows import Entry, entries
from filingforest.parse.items import FoundItem, Outline, Span
from filingforest.parse.labels import match_title, words_of
from filingforest.parse.looks import Body
from filingforest.parse.sections import Heading, headings

# items that such filers tell inside another: told inside -> usual places
GOOD = 0.45  # agreement of a heading on the right page with an item's title
INSIDE = {"5": ("7",), "6": ("7", "8"), "7A": ("7",), "9B": ("9A",)}


def is_cross_referenced(outline: Outline, form: Form) -> bool:
    """The body has hardly any item headings, an index has many items with pages."""
    listed = {c for x in outline.lists if x.pages for c in x.codes}
    found = {c for x in outline.items for c in x.covers}
    return len(listed) >= 4 and len(found & listed) < 0.4 * len(listed)


def find_by_pages(blocks: Sequence[Block], outline: Outline, form: Form, body: Body, labels: dict[int, str]) -> Outline:
    """The outline by an index's pages."""
    index = max((x for x in outline.lists if x.pages), key=lambda x: (len(x.codes), x.start))
    finder = _Finder(blocks, form, body, labels, outline, index)
    items = finder.items()
    out = Outline(items, outline.lists)
    out.closed = True
    return out


class _Finder:
    def __init__(self, blocks: Sequence[Block], form: Form, body: Body, labels: dict[int, str], outline: Outline, index: Listing) -> None:
        self.blocks, self.form, self.index, self.styled = blocks, form, index, body.styled
        self.entries = entries(blocks, index)
        skipped = {i for x in outline.lists for i in range(x.start, x.end)}
        self.headings = [h for h in headings(blocks, 0, len(blocks), body) if h.index not in skipped]
        self.pages = printed_pages(labels)
        self.first: dict[int, int] = {}
        self.last: dict[int, int] = {}
        for i, block in enumerate(blocks):
            if block.page is not None:
                self.first.setdefault(block.page, i)
                self.last[block.page_end if block.page_end is not None else block.page] = i
        self.taken: set[int] = set()

    def items(self) -> list[FoundItem]:
        places = [p for entry in self.entries for p in self._places(entry)]
        places = [p for p in places if not self.index.start <= p.start < self.index.end]
        places.sort(key=lambda p: p.start)
        outer = self._outer(places)
        self._set_ends(outer)
        inner = [p for p in places if p not in outer]
        for place in inner:
            place.end = self._section_end(place)
        return self._build(outer, inner)

    # -- where ranges lie --------------------------------------------------------------------------------------

    def _places(self, entry: Entry) -> list[Place]:
        out = []
        for low, high in entry.ranges:
            page = self.pages.get(low)
            if page is None or page not in self.first:
                continue
            last = self.pages.get(high) if high else None
            heading = self._heading_on(page, entry)
            start = heading.index if heading else self._page_start(page)
            stop = self.last[last] + 1 if last is not None and last in self.last else None
            if stop is not None and stop <= start:
                stop = None
            out.append(Place(entry, start, stop, heading, why=[f"the index gives page {low}{'-' + high if high else ''}"]))
        return out

    def _page_start(self, page: int) -> int:
        i = self.first[page]
        ends_here = self.blocks[i].page_end is not None and self.blocks[i].page != page
        return i + 1 if ends_here and i + 1 < len(self.blocks) else i

    def _heading_on(self, page: int, entry: Entry) -> Heading | None:
        """The heading on this page that names the item; the heaviest of those that do so about as well."""
        meanings = tuple(m for code in entry.row.codes for m in self.form.defs(code))
        told = set(words_of(entry.row.title))
        here = [h for h in self.headings if self.blocks[h.index].page == page and h.index not in self.taken]
        scores = [self._agreement(self.blocks[h.index].text, meanings, told) for h in here]
        best = max(scores, default=0.0)
        if best < GOOD:
            return None
        fit = [h for h, score in zip(here, scores, strict=True) if score >= max(GOOD, 0.6 * best)]
        heading = max(fit, key=lambda h: (h.weight, -h.index))
        self.taken.add(heading.index)
        return heading

    @staticmethod
    def _agreement(text: str, meanings: tuple[ItemDef, ...], told: set[str]) -> float:
        words = set(words_of(text))
        same = len(words & told) / len(words | told) if told and words else 0.0
        return max(match_title(text, meanings).score, same)

    # -- what lies inside what ---------------------------------------------------------------------------------

    def _outer(self, places: list[Place]) -> list[Place]:
        """Places that are not inside another item's."""
        out: list[Place] = []
        for place in places:
            holder = self._holder(place, places)
            if holder is None:
                out.append(place)
            else:
                place.why.append(f"lies inside item {holder.entry.code}")
        return out

    def _holder(self, place: Place, places: list[Place]) -> Place | None:
        for other in places:
            if other.entry.key == place.entry.key or other.start > place.start:
                continue
            if other.stop is not None and place.start < other.stop:
                if self._within(place, other):
                    return other
            elif other.stop is None and place.stop is None and other.entry.code in INSIDE.get(place.entry.code, ()):
                if self.styled and _as_heavy(place, other):
                    continue
                between = {p.entry.code for p in places if other.start < p.start < place.start}
                if all(code in INSIDE or code == place.entry.code for code in between):
                    return other
        return None

    def _within(self, place: Place, other: Place) -> bool:
        """Inside a page range: on its last page only under a lighter heading, or under none at all."""
        assert other.stop is not None
        end = place.stop if place.stop is not None else place.start + 1
        if end > other.stop or (other.start == place.start and other.stop <= end):
            return False
        if place.heading is None:
            return other.stop - other.start > end - place.start
        lighter = other.heading is not None and place.heading.weight < other.heading.weight - 4
        return lighter or self._page(other.stop - 1) != self._page(place.start)

    def _page(self, i: int) -> int | None:
        return self.blocks[i].page

    def _set_ends(self, outer: list[Place]) -> None:
        signed = signatures(self.blocks, outer[-1].start) if outer else None
        size = signed if signed is not None else len(self.blocks)
        limit = list_head(self.blocks, self.index.start, 0) if any(p.start < self.index.start for p in outer) else size
        for n, place in enumerate(outer):
            following = next((p.start for p in outer[n + 1 :] if p.start > place.start), None)
            stop = limit if place.start < limit else size
            if place.stop is None:
                place.end = min(following if following is not None else stop, stop)
            else:
                shared = (
                    following is not None and place.start < following < place.stop and self._page(following) == self._page(place.stop - 1)
                )
                place.end = following if shared and following is not None else place.stop

    def _section_end(self, place: Place) -> int:
        """The end of a section by its heading's weight; of the page where it has none."""
        if place.stop is not None and place.heading is None:
            return place.stop
        page = self._page(place.start)
        if place.heading is None:
            return self.last.get(page, place.start) + 1 if page is not None else place.start + 1
        heavy = place.heading.weight - 0.01
        end = next((h.index for h in self.headings if h.index > place.start and h.weight >= heavy), len(self.blocks))
        return min(end, place.stop) if place.stop is not None else end

    # -- items -------------------------------------------------------------------------------------------------

    def _build(self, outer: list[Place], inner: list[Place]) -> list[FoundItem]:
        items: dict[tuple[str | None, str], FoundItem] = {}
        for entry in self.entries:
            items.setdefault(entry.key, self._named(entry))
        owner: dict[int, tuple[str | None, str]] = {}
        headed = [p for p in inner if p.heading is not None]
        for place in [*headed, *sorted(outer, key=lambda p: (p.heading is None, p.end - p.start))]:
            for i in range(place.start, place.end):
                owner.setdefault(i, place.entry.key)
        for place in sorted([*outer, *inner], key=lambda p: p.start):
            self._add(items[place.entry.key], place, owner, place in outer)
        for place in inner:
            holder = next((p for p in outer if p.start <= place.start < p.end), None)
            if holder is not None:
                self._cover(items[holder.entry.key], items[place.entry.key])
        return list(items.values())

    def _named(self, entry: Entry) -> FoundItem:
        row = entry.row
        item = FoundItem(row.code, row.part, row.codes, row.label, entry.heading, None, stub=entry.words)
        item.why = ["named by the cross-reference index", *row.why]
        if not entry.ranges:
            item.status = "by_reference" if entry.by_reference else "reserved" if "reserved" in row.heading.lower() else "none"
        return item

    @staticmethod
    def _body_start(place: Place) -> int:
        return place.start + 1 if place.heading is not None else place.start

    def _add(self, item: FoundItem, place: Place, owner: dict[int, tuple[str | None, str]], whole: bool) -> None:
        start = self._body_start(place)
        owned = [Span(a, b) for a, b in runs_of(i for i in range(start, place.end) if owner.get(i) == place.entry.key)]
        if item.at is None and place.heading is not None and not item.spans:
            item.at, item.heading = place.heading.index, self.blocks[place.heading.index].text
        item.spans += [s for s in owned if not any(s.start == t.start for t in item.spans)]
        item.why += place.why
        if whole:
            item.told = [*(item.told or []), Span(start, place.end)]
        elif item.told is None:
            pages = f"page {place.entry.ranges[0][0]}"
            item.status, item.told, item.stub = "pointer", [], f"{item.heading} ({pages})"[:180]

    @staticmethod
    def _cover(holder: FoundItem, inner: FoundItem) -> None:
        if inner.told == [] and inner.code not in holder.covers:
            holder.covers = (*holder.covers, inner.code)


def _as_heavy(place: Place, other: Place) -> bool:
    """Both have headings, and this one's is no lower than the other's: a section beside it, not inside."""
    return place.heading is not None and other.heading is not None and place.heading.weight >= other.heading.weight
