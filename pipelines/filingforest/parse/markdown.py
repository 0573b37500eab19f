"""Markdown with its own headings, lists and tables; the text of the document is the file's own, as for plain text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

from filingforest.parse.blocks import Block, Style
from filingforest.parse.build import build_document
from filingforest.parse.elements import element
from filingforest.parse.layout import is_index_table
from filingforest.parse.model import DocumentHint, Parsed
from filingforest.parse.tables import read_table
from filingforest.text import normalise, visible

FRONT_MATTER = "---"
BEFORE = 4  # blocks above a table that may name it
MAX_NESTING = 50  # lists in lists and quotes in quotes


def parse_markdown(text: str, hint: DocumentHint, explain: bool = False, items_only: bool = False) -> Parsed:
    """A decoded Markdown file (CommonMark with tables), parsed; its text stays as it is."""
    return build_document(read_markdown(text), hint, source=text, explain=explain, items_only=items_only)


def read_markdown(text: str) -> list[Block]:
    """The blocks of a Markdown text: `level` says which of its headings `#` to `######` a block is."""
    return _Reader(text).read()


class _Reader:
    """Walks the tokens of one file. `starts` are the places of its lines."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = _line_starts(text)
        self.blocks: list[Block] = []
        self.lists: list[str] = []  # the marks of the open lists' items
        self.level: int | None = None
        self.tables = 0

    def read(self) -> list[Block]:
        parser = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING}).enable("table")
        tokens = parser.parse(_without_front_matter(self.text))
        i = 0
        while i < len(tokens):
            if tokens[i].type == "table_open":
                end = next(k for k in range(i, len(tokens)) if tokens[k].type == "table_close")
                self._table(tokens[i : end + 1])
                i = end
            else:
                self._token(tokens[i])
            i += 1
        return self.blocks

    def _token(self, token: Token) -> None:
        if token.type == "heading_open":
            self.level = int(token.tag[1])
        elif token.type == "heading_close":
            self.level = None
        elif token.type in ("bullet_list_open", "ordered_list_open"):
            self.lists.append("")
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            self.lists.pop()
        elif token.type == "list_item_open":
            self.lists[-1] = f"{token.info}{token.markup} " if token.info else "• "
        elif token.type == "inline":
            self._inline(token)
        elif token.type in ("fence", "code_block", "html_block"):
            self._add(normalise(token.content), Style(), token)

    def _inline(self, token: Token) -> None:
        text, style = _plain(token.children or [])
        mark = self.lists[-1] if self.lists else ""
        if self.lists:
            self.lists[-1] = ""
        self._add(mark + text if text else "", style, token, "list" if mark else "text")

    def _add(self, text: str, style: Style, token: Token, kind: str = "text") -> None:
        if text:
            self.blocks.append(Block(text, kind=kind, style=style, level=self.level, span=self._span(token)))

    def _span(self, token: Token) -> tuple[int, int]:
        first, last = token.map or [0, 0]
        start, end = self.starts[min(first, len(self.starts) - 1)], self.starts[min(last, len(self.starts) - 1)]
        piece = self.text[start:end]
        return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())

    def _table(self, tokens: Sequence[Token]) -> None:
        table = element("table")
        for token in tokens:
            if token.type == "tr_open":
                row = element("tr", inside=table)
            elif token.type in ("th_open", "td_open"):
                cell = element(token.tag, inside=row)
            elif token.type == "inline":
                cell.text, cell.tail = visible(_plain(token.children or [])[0]), "\n"
        before = [b.text for b in self.blocks[-BEFORE:] if b.kind == "text"]
        result = None if is_index_table(table) else read_table(table, None, before)
        rows = [[normalise(cell.text or "") for cell in tr] for tr in table]
        if result is not None:
            plain = "\n".join(" ".join(filter(None, x)) for x in rows)
            self.blocks.append(Block(result.text, kind="table", table=result, plain=plain, span=self._span(tokens[0])))
            return
        self.tables += 1
        for filled, token in zip(rows, (t for t in tokens if t.type == "tr_open"), strict=True):
            cells = tuple(filter(None, filled))
            self.blocks.append(Block(" ".join(cells), cells=cells, row_of=self.tables, span=self._span(token)))


def _plain(children: Sequence[Token]) -> tuple[str, Style]:
    """The words of inline tokens, and how much of them is bold or italic."""
    parts: list[str] = []
    bold = italic = strong = slanted = 0
    for child in children:
        strong += child.type == "strong_open"
        strong -= child.type == "strong_close"
        slanted += child.type == "em_open"
        slanted -= child.type == "em_close"
        piece = " " if child.type in ("softbreak", "hardbreak") else "" if child.type == "html_inline" else child.content
        parts.append(piece)
        bold += len(piece) if strong else 0
        italic += len(piece) if slanted else 0
    text = "".join(parts)
    size = len(text) or 1
    return normalise(text), Style(bold=bold / size, italic=italic / size)


def _line_starts(text: str) -> list[int]:
    return [0, *(i for i in _after_breaks(text) if i < len(text)), len(text)]


def _after_breaks(text: str) -> Iterator[int]:
    at = text.find("\n")
    while at >= 0:
        yield at + 1
        at = text.find("\n", at + 1)


def _without_front_matter(text: str) -> str:
    """Blanks the YAML between two `---` at the very start, so that lines keep their numbers."""
    if not text.startswith(FRONT_MATTER + "\n"):
        return text
    end = text.find(f"\n{FRONT_MATTER}\n", 3)
    return "\n" * text.count("\n", 0, end + 5) + text[end + 5 :] if end > 0 else text
