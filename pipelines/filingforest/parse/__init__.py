"""Bytes to nodes: parse_document reads a document of any format into items, sections, units, tables and facts."""

from __future__ import annotations

import gc
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager

from filingforest.config import ParseSettings
from filingforest.errors import DocumentError, EmptyDocument
from filingforest.parse.model import DocumentHint, Parsed

__all__ = ["PARSER_VERSION", "parse_document"]

PARSER_VERSION = "6"  # bump whenever an output changes: it is the stage's version


def parse_document(
    content: bytes, hint: DocumentHint, settings: ParseSettings | None = None, explain: bool = False, items_only: bool = False
) -> Parsed:
    """The parsed document. `content` may be gzipped. `items_only`: items and text without nodes, tables' values and facts, in less time.

    Raises EmptyDocument, TooLarge, WrongFormat, TruncatedDocument, each naming the document; an element that fails becomes an error node.
    """
    try:
        with _uncollected():
            return _parse(content, hint, settings or ParseSettings(), explain, items_only)
    except DocumentError as e:
        e.document, e.stage = e.document or hint.doc_id, e.stage or "parse"
        raise


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without the cyclic garbage collector: it goes over all of a document's objects again and again, and hardly any is in a cycle."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _parse(content: bytes, hint: DocumentHint, settings: ParseSettings, explain: bool, items_only: bool) -> Parsed:
    from filingforest.parse.sniff import sniff
    from filingforest.parse.submission import header_hint

    found = sniff(content, hint.name, settings.max_bytes)
    hint = header_hint(found.header, hint)
    if found.kind == "html":
        from filingforest.parse.html import parse_html

        parsed = parse_html(found.text, hint, explain, items_only)
    elif found.kind == "pdf":
        from filingforest.parse.pdf import parse_pdf

        parsed = parse_pdf(found.data, hint, explain, items_only)
    elif found.kind == "markdown":
        from filingforest.parse.markdown import parse_markdown

        parsed = parse_markdown(found.text, hint, explain, items_only)
    else:
        from filingforest.parse.plain import parse_plain

        parsed = parse_plain(found.text, hint, explain, items_only)
    if not parsed.text.strip():
        raise EmptyDocument("no text in it", remedy="look at the document: it may be a scan")
    parsed.document["sha256"] = hashlib.sha256(content).hexdigest()
    return parsed
