"""Blocks to a parsed document, the same way for every format: furniture out, paragraphs together, items, sections, units.

`build_document` is what each reader ends with.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from filingforest.parse.blocks import Block
from filingforest.parse.crossref import find_by_pages, is_cross_referenced
from filingforest.parse.ends import close_items
from filingforest.parse.facts import FactBook
from filingforest.parse.forms import Form, form_of
from filingforest.parse.furniture import Cleaned, clean
from filingforest.parse.items import FoundItem, Outline, find_by_titles, find_items
from filingforest.parse.joins import join_pages, join_tables
from filingforest.parse.language import language_of
from filingforest.parse.looks import body_of
from filingforest.parse.matter import regions
from filingforest.parse.metadata import describe
from filingforest.parse.model import DocumentHint, ItemView, Parsed, Reason
from filingforest.parse.places import Layout
from filingforest.parse.printed import page_by_numbers
from filingforest.parse.status import status_of
from filingforest.parse.targets import resolve
from filingforest.parse.tree import TreeBuilder, covered, display

NO_FORM = Form("", ())
FIRST_TEXTS = 120  # blocks that a cover page may take


def build_document(
    blocks: Sequence[Block], hint: DocumentHint, book: FactBook | None = None, *, source: str | None = None, explain: bool = False,
    items_only: bool = False, warnings: Sequence[str] = (),
) -> Parsed:  # fmt: skip
    """Everything that is known of a document, from its blocks in reading order.

    `book`: its inline-XBRL facts. `source`: the text that places are counted in, where blocks say their `span` in it.
    `items_only`: no nodes, facts and mentions.
    """
    cleaned = clean(page_by_numbers(blocks))
    body = body_of(cleaned.blocks)
    joined = join_pages(cleaned.blocks, body)
    joined = joined if items_only else join_tables(joined)
    document = describe(hint, book, [b.text for b in joined[:FIRST_TEXTS]])
    document["language"] = _language(joined[: FIRST_TEXTS * 4])
    form = form_of(document["form_base"]) or NO_FORM
    outline = find_items(joined, form, body)
    if is_cross_referenced(outline, form):
        paged = find_by_pages(joined, outline, form, body, cleaned.labels)
        outline = paged if any(item.spans for item in paged.items) else find_by_titles(joined, outline, form, body)
    joined = split_run_in(joined, outline)
    close_items(joined, outline, body)
    layout = Layout.of(joined, source)
    for item in outline.items:
        item.status = item.status or status_of(item_text(joined, item), item.heading)
    parsed = Parsed(document, layout.text, [], [view(joined, item, form) for item in outline.items], warnings=list(warnings))
    if not items_only:
        base = document["form_base"] or ""
        builder = TreeBuilder(hint.doc_id, joined, layout, body, cleaned.labels, _base(document), base, form.by_part, book)
        root = builder.root(_title(document, hint))
        for region in regions(joined, outline, body):
            builder.region(region, root)
        resolve(parsed.items, builder.nodes)
        parsed.nodes, parsed.mentions, parsed.facts = builder.nodes, builder.mentions, book.facts if book else []
    if explain:
        parsed.reasons = reasons(cleaned, layout, outline)
    return parsed


def _language(blocks: Sequence[Block]) -> str | None:
    """By its paragraphs, since figures and names are no language; by its tables where it has nothing else."""
    words = " ".join(b.text for b in blocks if b.kind != "table")
    return language_of(words) or language_of(" ".join(b.text for b in blocks))


def split_run_in(blocks: Sequence[Block], outline: Outline) -> list[Block]:
    """Blocks in which a heading and its item's text are apart; the outline's block numbers are moved along."""
    cuts = {item.spans[0].start: item.spans[0].offset for item in outline.items if item.spans and item.spans[0].offset}
    if not cuts:
        return list(blocks)
    out: list[Block] = []
    moved: list[int] = []
    for i, block in enumerate(blocks):
        moved.append(len(out))
        if i in cuts:
            out += split_block(block, cuts[i])
        else:
            out.append(block)
    moved.append(len(out))
    outline.renumber(moved)
    return out


def split_block(block: Block, at: int) -> list[Block]:
    """A block as two, the second starting at character `at` or at the first letter behind it."""
    start = at + len(block.text[at:]) - len(block.text[at:].lstrip(" .:–—-"))
    first = replace(block, text=block.text[:at].rstrip(), marks=[m for m in block.marks if m[1] <= at], cells=(), breaks=())
    marks = [(max(0, a - start), b - start, e) for a, b, e in block.marks if b > start]
    second = replace(block, text=block.text[start:], marks=marks, cells=(), breaks=(), anchors=(), links=(), level=None)
    second.style = block.style._replace(bold=0.0, underline=0.0, italic=0.0, lead=0)
    return [first, second]


def item_text(blocks: Sequence[Block], item: FoundItem) -> str:
    """An item's text after its heading, tables row by row as they stand."""
    spans = item.spans if item.told is None else item.told
    parts = [b.plain or b.text for span in spans for b in blocks[span.start : span.end]]
    return "\n".join(parts) if parts else item.stub


def view(blocks: Sequence[Block], item: FoundItem, form: Form) -> ItemView:
    """The item as `parse --json` shows it."""
    text = item_text(blocks, item)
    return ItemView(display(item, form.by_part), item.part, item.status or "full", covered(item, form.by_part), item.heading, text)


def reasons(cleaned: Cleaned, layout: Layout, outline: Outline) -> list[Reason]:
    """Why furniture was taken out and each item stands where it does."""
    out = [Reason(-1, f"furniture, page {b.page}: {b.text[:80]}", why) for b, why in cleaned.removed]
    for item in outline.items:
        place = layout.starts[item.at] if item.at is not None and item.at < len(layout.starts) else -1
        out.append(Reason(place, f"item {item.code}: {item.heading[:80]}", "; ".join(item.why)))
        out.append(Reason(place, f"item {item.code} is {item.status}", f"confidence {item.confidence}"))
    for listing in outline.lists:
        place = layout.starts[listing.start] if listing.start < len(layout.starts) else -1
        out.append(Reason(place, f"list of {len(listing.rows)} items", "rows carry pages" if listing.pages else "the same items follow"))
    return out


def _base(document: dict[str, object]) -> list[str]:
    year, period = document["fiscal_year"], document["fiscal_period"]
    when = f"FY{year}" if year and period in (None, "FY") else f"FY{year} {period}" if year else ""
    return [str(x) for x in (document["company"], document["form"], when) if x]


def _title(document: dict[str, object], hint: DocumentHint) -> str:
    return hint.title or " ".join(_base(document)) or hint.name or hint.doc_id
