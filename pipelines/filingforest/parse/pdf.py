"""PDF: words with places become pages, lines, paragraphs and tables, in reading order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from filingforest.errors import EmptyDocument
from filingforest.parse.blocks import Block
from filingforest.parse.build import build_document
from filingforest.parse.furniture import signature
from filingforest.parse.model import DocumentHint, Parsed
from filingforest.parse.page_columns import reading_order
from filingforest.parse.page_flow import Flow, Measure
from filingforest.parse.page_lines import Line, Word, cells_of, lines_of
from filingforest.parse.pdf_words import PageWords, read_pages

MARGIN_LINES = 3  # lines at a page's top and bottom that may be running headers and footers
PUNCTUATION = ".,;:()[]“”\"'"
NARROW = 0.3  # of the type size: a gap that may be a shifted letter instead of a space
SAME_PLACE = 4.0  # points


def parse_pdf(content: bytes, hint: DocumentHint, explain: bool = False, items_only: bool = False) -> Parsed:
    """A PDF, parsed. Raises WrongFormat, TooLarge, EmptyDocument."""
    return build_document(read_pdf(content, hint), hint, explain=explain, items_only=items_only)


def read_pdf(content: bytes, hint: DocumentHint) -> list[Block]:
    """The blocks of a PDF; pages count from 0. Raises WrongFormat, TooLarge, EmptyDocument (no text: a scan)."""
    pages = [_lines(page) for page in read_pages(content, hint.doc_id)]
    if not any(pages):
        remedy = "run it through text recognition (OCR) first"
        raise EmptyDocument(f"no text on any of {len(pages)} pages", document=hint.doc_id, stage="parse", remedy=remedy)
    _mend(pages)
    _mark_margins(pages)
    flow = Flow(Measure.of(pages))
    for lines in pages:
        for part in reading_order(lines):
            flow.add_page(part)
    return flow.blocks


def _lines(page: PageWords) -> list[Line]:
    return lines_of(page.words, page.number)


def _mend(pages: Sequence[Sequence[Line]]) -> None:
    """Glues letters that stand off from their word ("Shee t"): the whole is a word of the document, a piece is none."""
    known = Counter(_bare(word) for lines in pages for line in lines for word in line.words)
    for line in (line for lines in pages for line in lines):
        changed = False
        for last, word in pairwise(line.words):
            if word.x0 - last.x1 < NARROW * word.size and _belongs(last, word, known):
                word.glued = changed = True
        if changed:
            line.cells = cells_of(line.words)


def _belongs(last: Word, word: Word, known: Counter[str]) -> bool:
    if word.text in (".", ",", ";", ":") and last.text[-1].isalnum():
        return True
    return last.text[-1].isalpha() and _is_one(_bare(last), _bare(word), known)


def _bare(word: Word) -> str:
    return word.text.lower().strip(PUNCTUATION)


def _is_one(left: str, right: str, known: Counter[str]) -> bool:
    short, long = sorted((left, right), key=len)
    if not short.isalpha() or known[left + right] <= 2:
        return False
    return known[long] <= 2 or (len(short) == 1 and short not in "ai")


def _mark_margins(pages: Sequence[Sequence[Line]]) -> None:
    """Lines that stand at the same height of many pages with the same words, numbers apart: no table may take them for a row."""
    for side, edge in ((1, "top"), (-1, "bottom")):
        places: Counter[tuple[str, int]] = Counter()
        for lines in pages:
            places.update({key for line in lines[::side][:MARGIN_LINES] for key in _keys(line)})
        for lines in pages:
            for line in lines[::side][:MARGIN_LINES]:
                if max(places[key] for key in _keys(line)) < max(3, 0.05 * len(pages)):
                    break
                line.edge = edge


def _keys(line: Line) -> list[tuple[str, int]]:
    """Its words and its height, rounded both ways so that near places meet."""
    text = signature(Block(line.text))
    return [(text, int(line.y // (2 * SAME_PLACE))), (text, -int((line.y + SAME_PLACE) // (2 * SAME_PLACE)) - 1)]
