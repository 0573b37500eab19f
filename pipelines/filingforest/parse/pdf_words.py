"""Words with their places, out of a PDF's pages: all that the layout code needs to know of PDFium.

PDFium (through pypdfium2) is chosen for speed: a 200-page 10-K in 2-3 s, against minutes for engines in pure Python.
"""

from __future__ import annotations

import ctypes
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass

import pypdfium2
import pypdfium2.raw as pdfium

from filingforest.errors import TooLarge, WrongFormat
from filingforest.parse.page_lines import Word

BOLD = re.compile(rb"bold|black|heavy|demi|-bd|semibold", re.IGNORECASE)
ITALIC = re.compile(rb"italic|oblique|slanted|-it\b", re.IGNORECASE)
HYPHENS = str.maketrans({"\x02": "-", "\ufffe": "-", "\xad": "-", "\ufeff": " ", "\x00": " "})
MAX_PAGES = 5_000
MAX_CHARS_A_PAGE = 200_000
SMALLEST = 2.0  # points: what no eye can read is no text of a page that has other
ADDRESS = ctypes.c_void_p  # the same functions with plain addresses: casting a pointer object costs more than the call
TEXT_OBJECT = ctypes.CFUNCTYPE(ADDRESS, ADDRESS, ctypes.c_int)(ctypes.cast(pdfium.FPDFText_GetTextObject, ADDRESS).value or 0)
FONT_OF = ctypes.CFUNCTYPE(ADDRESS, ADDRESS)(ctypes.cast(pdfium.FPDFTextObj_GetFont, ADDRESS).value or 0)
_ONE_AT_A_TIME = threading.Lock()  # PDFium is not thread-safe


@dataclass(slots=True)
class PageWords:
    """A page's words in the order of the content stream; `number` counts from 0."""

    number: int
    width: float
    height: float
    words: list[Word]


def read_pages(content: bytes, document: str | None = None, max_pages: int = MAX_PAGES) -> Iterator[PageWords]:
    """The pages in order. Raises WrongFormat (no PDF, damaged, encrypted) and TooLarge."""
    with _ONE_AT_A_TIME:
        pdf = _opened(content, document)
        try:
            if len(pdf) > max_pages:
                remedy = f"split it: at most {max_pages:,} pages are read"
                raise TooLarge(f"{len(pdf):,} pages", document=document, stage="parse", remedy=remedy)
            for number in range(len(pdf)):
                yield _page(pdf, number)
        finally:
            pdf.close()


def _opened(content: bytes, document: str | None) -> pypdfium2.PdfDocument:
    try:
        return pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        locked = "password" in str(error).lower()
        remedy = "store it without a password" if locked else "fetch it again; it may be cut off, or not a PDF"
        raise WrongFormat(f"PDFium cannot open it: {error}", document=document, stage="parse", remedy=remedy) from error


def _page(pdf: pypdfium2.PdfDocument, number: int) -> PageWords:
    """One page; a damaged page has no words and does not lose the others."""
    try:
        page = pdf[number]
    except pypdfium2.PdfiumError:
        return PageWords(number, 0.0, 0.0, [])
    try:
        turn, size = page.get_rotation(), page.get_size()
        textpage = page.get_textpage()
        words = _turned(list(_Reader(textpage).words()), turn, size)
        textpage.close()
        return PageWords(number, size[0], size[1], words)
    finally:
        page.close()


def _turned(found: list[tuple[Word, int]], turn: int, size: tuple[float, float]) -> list[Word]:
    """Words in the page's own axes -> as it is read: from the top, pages turned by /Rotate or by their text's direction upright.

    `size` is the page's as shown; in the page's own axes width and height are exchanged for a quarter turn.
    """
    quarters = [quarter for _, quarter in found]
    main = max(sorted(set(quarters)), key=quarters.count) if quarters else 0
    height = size[1] if turn % 180 == 0 else size[0]
    words = [word for word, quarter in found if quarter == main]
    seen = [word for word in words if word.size >= SMALLEST]
    words = seen if 2 * len(seen) >= len(words) else words  # all of it tiny: the text behind a picture of a page
    for word in words:
        if main == 0:
            word.y = height - word.y
    return words


class _Reader:
    """One text page; font, size and direction are asked once a text object, since they are the same for all of it."""

    def __init__(self, textpage: pypdfium2.PdfTextPage) -> None:
        self.page = textpage.raw
        self.count = min(textpage.count_chars(), MAX_CHARS_A_PAGE)
        self.text = self._text(textpage)
        self.looks: dict[int, tuple[float, bool, bool, int]] = {}
        self.faces: dict[int, tuple[bool, bool]] = {}
        self.matrix = pdfium.FS_MATRIX()

    def words(self) -> Iterator[tuple[Word, int]]:
        """Each word with its quarter turns; an upright word's axes have their origin at the bottom left."""
        x, y = ctypes.c_double(), ctypes.c_double()
        left, right, bottom, top = ctypes.c_double(), ctypes.c_double(), ctypes.c_double(), ctypes.c_double()
        for match in re.finditer(r"\S+", self.text):
            first, last = match.start(), match.end() - 1
            pdfium.FPDFText_GetCharOrigin(self.page, first, x, y)
            size, bold, italic, quarter = self._look(first)
            if quarter == 0:
                pdfium.FPDFText_GetCharBox(self.page, last, left, right, bottom, top)
                yield Word(match[0], x.value, right.value, y.value, size, bold, italic), quarter
                continue
            pdfium.FPDFText_GetCharBox(self.page, first, left, right, bottom, top)
            start = (bottom.value, -top.value, -right.value)
            pdfium.FPDFText_GetCharBox(self.page, last, left, right, bottom, top)
            if quarter == 1:  # reads upwards
                place = (start[0], top.value, x.value)
            else:  # downwards, or upside down
                place = (start[1], -bottom.value, -x.value) if quarter == 3 else (start[2], -left.value, y.value)
            yield Word(match[0], *place, size, bold, italic), quarter

    def _text(self, textpage: pypdfium2.PdfTextPage) -> str:
        """One character an index: the index finds the box."""
        text = textpage.get_text_range(0, self.count, errors="replace") if self.count else ""
        if len(text) != self.count:
            codes = (pdfium.FPDFText_GetUnicode(self.page, i) for i in range(self.count))
            text = "".join(chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else " " for code in codes)
        return text.translate(HYPHENS)

    def _look(self, index: int) -> tuple[float, bool, bool, int]:
        """(size in points as drawn, bold, italic, quarter turns)."""
        key = TEXT_OBJECT(self.page, index)
        if not key:
            return 10.0, False, False, 0
        look = self.looks.get(key)
        if look is None:
            matrix = self.matrix
            pdfium.FPDFText_GetMatrix(self.page, index, matrix)
            scale = (matrix.c**2 + matrix.d**2) ** 0.5 or 1.0
            size = pdfium.FPDFText_GetFontSize(self.page, index) * scale
            look = self.looks[key] = (size, *self._face(key, index), _quarter(matrix.a, matrix.b))
        return look

    def _face(self, thing: int, index: int) -> tuple[bool, bool]:
        """(bold, italic) of a font, by its weight, name and flags (PDF 32000-1, table 123)."""
        font = FONT_OF(thing) or 0
        if font not in self.faces:
            name, flags = ctypes.create_string_buffer(128), ctypes.c_int()
            pdfium.FPDFText_GetFontInfo(self.page, index, name, 128, flags)
            bold = pdfium.FPDFText_GetFontWeight(self.page, index) >= 600 or BOLD.search(name.value) is not None
            italic = ITALIC.search(name.value) is not None or bool(flags.value & 0x40)
            self.faces[font] = (bold or bool(flags.value & 0x40000), italic)
        return self.faces[font]


def _quarter(a: float, b: float) -> int:
    """Counter-clockwise quarter turns of text whose matrix sends the x axis to (a, b)."""
    if abs(a) >= abs(b):
        return 0 if a >= 0 else 2
    return 1 if b > 0 else 3
