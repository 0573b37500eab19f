"""Tables of a page: handed to the table reader where they hold data; one bad table must not cost the document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from filingforest.errors import DocumentError
from filingforest.parse.blocks import Block
from filingforest.parse.elements import Element
from filingforest.parse.facts import FactBook
from filingforest.parse.layout import is_index_table
from filingforest.parse.tables import TableResult, read_table
from filingforest.text import normalise


def data_table(
    table: Element, book: FactBook | None, above: Sequence[Block], warnings: list[str], items_only: bool = False
) -> Block | None:
    """The table as one block; None where it only lays out text. `above`: the blocks before it."""
    if is_index_table(table):
        return None
    before = [b.text for b in above[-6:] if not b.edge][-4:]
    try:
        result: TableResult | None = read_table(table, book, before, items_only)
    except DocumentError:
        raise
    except Exception as e:
        text = " ".join(table.string().split())
        warnings.append(f"a table could not be read ({text[:60]}): {e!r}")
        return Block(text, kind="error") if text else None
    if result is None:
        return None
    return Block(result.text, kind="table", table=result, plain=result.plain or _plain_rows(table))


def _plain_rows(table: Element) -> str:
    """A table's rows as they stand, a line each."""
    lines = (" ".join([cell.string() for cell in row if cell.tag in ("td", "th")]) for row in table.iter() if row.tag == "tr")
    return "\n".join([x for x in [normalise(line) for line in lines] if x])


def rows_of(table: Element) -> Iterator[Element]:
    """The rows of this table, not those of tables inside."""
    for child in table:
        if child.tag == "tr":
            yield child
        elif child.tag in ("tbody", "thead", "tfoot", "colgroup", "form", "font", "center"):
            yield from rows_of(child)
