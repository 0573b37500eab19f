"""What parsing produces: plain dataclasses, the same for HTML, PDF, text and Markdown. Columns as in `schema.py`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Fact:
    """One inline-XBRL fact (SEC EDGAR XBRL guide; Inline XBRL 1.1). `value` is the text after transform, sign and scale."""

    fact_id: str
    concept: str
    value: str
    decimal: str | None = None  # exact decimal text, sign and scale applied; None for text facts and nil
    unit: str | None = None  # "USD", "shares", "USD/shares", "pure"
    decimals: str | None = None
    entity: str | None = None  # CIK as in the context
    period_start: str | None = None  # ISO date; None for an instant
    period_end: str | None = None
    dimensions: dict[str, str] = field(default_factory=dict)  # axis -> member
    label: str | None = None
    is_nil: bool = False
    hidden: bool = False


@dataclass(slots=True)
class FactMention:
    """Where a fact stands: a table cell (row, column) or a character range of the normalised text."""

    fact_id: str
    node_id: str
    row: int | None = None
    column: int | None = None
    char_start: int | None = None
    char_end: int | None = None
    scale: int | None = None
    sign: str | None = None


@dataclass(slots=True)
class TableUnit:
    """A data table as in the design: flattened headers, rows with label, level, parent, texts and signed values."""

    title: str | None
    scale_note: str | None
    columns: list[str]
    rows: list[dict[str, Any]]  # label, level, parent, kind, text[], values[], unit, concept, period_end[], footnotes
    notes: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """The JSON value of `nodes.table`."""
        out: dict[str, Any] = {"title": self.title, "scale_note": self.scale_note, "columns": self.columns, "rows": self.rows}
        if self.notes:
            out["notes"] = self.notes
        return out


@dataclass(slots=True)
class Node:
    """One row of `nodes`. `char_start`/`char_end` index the document's normalised text."""

    node_id: str
    kind: str  # document, item, section, text, table, clause, error
    clause_id: int
    clause_path: str
    depth: int
    parent_id: str | None = None
    ancestor_ids: list[int] = field(default_factory=list)
    unit_key: str | None = None
    label_path: str | None = None
    label: str | None = None
    part: str | None = None
    item: str | None = None
    item_key: str | None = None
    covers: list[str] = field(default_factory=list)
    status: str | None = None
    heading: str | None = None
    heading_path: list[str] = field(default_factory=list)
    header: str | None = None
    text: str = ""
    table: dict[str, Any] | None = None
    statement: str | None = None
    confidence: float | None = None
    page: int | None = None
    page_end: int | None = None
    page_label: str | None = None
    char_start: int | None = None
    char_end: int | None = None
    token_count: int = 0


@dataclass(slots=True)
class ItemView:
    """An item for `parse --json`: full plain text after the heading, which may come from several spans."""

    item: str
    part: str | None
    status: str
    covers: list[str]
    heading: str
    text: str
    targets: list[str] = field(default_factory=list)  # node_ids that a pointer points to


@dataclass(slots=True)
class Reason:
    """Why a label was given (`parse --explain`)."""

    place: int  # character offset in the normalised text
    what: str
    why: str


@dataclass(slots=True)
class DocumentHint:
    """What is known of a document before its bytes are read: from the index, the submissions snapshot, or a file's name."""

    doc_id: str
    source: str = "folder"
    name: str = ""  # file name, for its ending
    form: str | None = None
    company: str | None = None
    cik: str | None = None
    ticker: str | None = None
    sic: str | None = None
    industry: str | None = None
    entities: list[dict[str, str | None]] = field(default_factory=list)
    filed_at: str | None = None
    accepted_at: str | None = None
    period_end: str | None = None
    fiscal_year_end: str | None = None  # "0930", from submissions
    source_url: str | None = None
    kind: str = "filing"
    title: str | None = None


@dataclass(slots=True)
class Parsed:
    """A whole parsed document. `document` holds the columns of `documents`."""

    document: dict[str, Any]
    text: str
    nodes: list[Node]
    items: list[ItemView] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    mentions: list[FactMention] = field(default_factory=list)
    reasons: list[Reason] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
