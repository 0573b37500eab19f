"""The columns of every table as data: name, type, description, so that schemas and documentation come from one place.

A column's place in its list is its Parquet field id: add at the end, never reorder, never reuse. A trailing `!` on the type
means that the value is required.
"""

from __future__ import annotations

from typing import NamedTuple


class Column(NamedTuple):
    """One column; `type` is a name that `schema.py` maps to an Arrow type."""

    name: str
    type: str
    description: str
    required: bool = False


def _columns(text: str) -> tuple[Column, ...]:
    rows = [line.split(None, 2) for line in text.strip().splitlines()]
    return tuple(Column(name, kind.rstrip("!"), description.strip(), kind.endswith("!")) for name, kind, description in rows)


COLUMNS: dict[str, tuple[Column, ...]] = {
    "documents": _columns("""
        doc_id            string!   accession number for a filing, ACCESSION:ex-10-1 for an exhibit, source:key otherwise
        doc_version       string!   first 16 hex digits of the bytes' sha256
        source            string    edgar, news or folder
        kind              string    filing, exhibit, article or contract
        form              string    form as filed, 10-K/A
        form_base         string    form without its amendment mark, 10-K
        is_amendment      bool      true for forms ending in /A
        amends            string    doc_id of the filing that this one amends, where known
        entities          entities  filers; the first is primary
        company           string    name of the primary filer
        cik               string    CIK of the primary filer, ten digits
        ticker            string    ticker of the primary filer
        sic               string    standard industrial classification of the primary filer
        industry          string    description of the SIC code
        fiscal_year       int32     fiscal year that the document reports on
        fiscal_period     string    FY, Q1, Q2 or Q3
        period_end        string    last day of the period reported on, ISO date
        inferred          strings   names of the fields here that were inferred, not stated
        filed_at          string    filing date, ISO date
        accepted_at       string    EDGAR's acceptance, ISO instant
        known_from        string    earliest instant or date at which the public could read it; "as of" filters use it
        published_at      string    an article's publication, ISO instant
        modified_at       string    an article's last change, ISO instant
        author            string    author of an article
        category          string    category of an article
        topic             string    topic of an article
        language          string    BCP 47 language tag of the text
        title             string    title as displayed
        lead              string    lead paragraph of an article
        source_url        string    address that the bytes came from
        canonical_url     string    address that the source calls canonical
        sha256            string    sha256 of the bytes
        parser_version    string    version of the parser that read them
    """),
    "texts": _columns("""
        doc_id            string!   document
        doc_version       string!   version of the document
        text              string    normalised text that char_start and char_end count in
    """),
    "nodes": _columns("""
        node_id           string!   doc_id#clause_path: an address within one parse
        unit_key          string    stable key of a unit over parser fixes; null for nodes that are not units
        doc_id            string!   document
        kind              string!   document, item, section, clause, text, table, metadata or error
        clause_id         int32!    number of the node in reading order
        clause_path       string!   ordinals among siblings, 7.2.3
        label_path        string    labels as people say them, 7.3(b)
        ancestor_ids      ints      clause_ids from the root down to the parent
        parent_id         string    node_id of the parent
        depth             int32     0 for the document
        label             string    number as written: Item 7A, (ii)
        part              string    part of the form, I or II
        item              string    item for display, 7A
        item_key          string    form_base:part.item, 10-K:II.7
        covers            strings   items that one heading covers together
        status            string    full, pointer, by_reference, reserved or none
        heading           string    heading of the node itself
        heading_path      strings   headings from the item down
        header            string    contextual header: company, form, fiscal year, item, heading path
        text              string    normalised text; the linear form for a table
        table             string    JSON of a table unit: title, scale_note, columns, rows
        statement         string    income, balance_sheet, cash_flow, equity or comprehensive_income
        confidence        float32   0 to 1, how sure the parser is of the label
        page              int32     first page, from 0
        page_end          int32     last page, from 0
        page_label        string    page number as printed
        char_start        int32     start in the document's normalised text
        char_end          int32     end, exclusive
        token_count       int32     tokens by this project's counter
    """),
    "facts": _columns("""
        fact_id           string!   fact within its document
        doc_id            string!   document
        entity            string    CIK as in the fact's context
        concept           string!   concept with prefix, us-gaap:Revenues
        label             string    label for people
        value             string    value as text, transform, sign and scale applied
        value_decimal     decimal   the same as an exact decimal; null for text and for what does not fit
        value_double      double    the same as a double
        unit              string    USD, shares, USD/shares, pure
        decimals          string    decimals attribute: rounding, or INF
        period_start      string    ISO date; null for an instant
        period_end        string    ISO date
        dimensions        string    JSON object axis -> member
        is_nil            bool      reported as nil
    """),
    "fact_mentions": _columns("""
        fact_id           string!   fact within its document
        node_id           string!   unit where it stands
        row               int32     row in the table unit
        column            int32     column in the table unit
        char_start        int32     start in the document's normalised text
        char_end          int32     end, exclusive
        scale             int32     power of ten that the display leaves out
        sign              string    - where the display leaves out the sign
        doc_id            string    document
    """),
    "chunks": _columns("""
        chunk_id          string!   doc_id, item_key and ordinal
        doc_id            string!   document
        item_key          string    item that the chunk lies in; it never crosses one
        ordinal           int32     place within the item, from 0
        unit_keys         strings   units that it covers, in reading order
        text              string    text, about 2,000 tokens
        token_count       int32     tokens by this project's counter
    """),
    "embeddings": _columns("""
        text_sha          string!   sha256 of what was embedded
        role              string    passage or question
        model             string    model name
        revision          string    revision of the model
        method            string    onnx or sentence-transformers
        vector            vector    L2-normalised
    """),
    "tree_nodes": _columns("""
        tree              string    summary or question
        tree_node_id      string!   node within the tree
        doc_id            string!   document
        item_key          string    item that the tree belongs to
        level             int32     0 for leaves
        parent_ids        strings   parents; several, since clustering is soft
        parent_weights    doubles   mixture responsibilities, one a parent
        chunk_ids         strings   chunks below
        summary           string    summary of an internal node
        questions         strings   sub-questions of an internal node
        generator         string    what wrote them
    """),
    "tree_items": _columns("""
        doc_id            string!   document
        item_key          string!   item; empty for what stands outside any
        content_key       string!   hash of all that its trees were made from
        leaves            int32!    chunks
        nodes             int32!    nodes of each of its two trees, leaves first, then level by level; the last is the root
        levels            int32!    levels, leaves included
        tokens            int64!    tokens of its units by this project's counter
    """),
    "tree_vectors": _columns("""
        doc_id            string!   document
        item_key          string!   item that the tree belongs to
        tree_node_id      string!   node
        role              string!   chunk, summary or question
        ordinal           int32!    place of a question among its node's
        vector            vector    L2-normalised; a chunk's is the token-weighted mean of its units'
    """),
    "edges": _columns("""
        source            string!   node or hub
        target            string!   node or hub
        type              string!   contains, next, of_company, of_year, of_industry, mentions, describes, refers_to, ...
        weight            double    strength
    """),
    "flam_counts": _columns("""
        doc_id            string!   document
        item_key          string    item
        term              string    lexicon term
        count             int64     occurrences
    """),
    "flam_terms": _columns("""
        term              string!   lexicon term
        cluster           int32     cluster of the term
        weight            double    count / sum of counts
    """),
    "flam_items": _columns("""
        item_key          string!   item
        term              string    lexicon term; null where the row is a cluster's
        cluster           int32     cluster; null where the row is a term's
        count             int64     occurrences
        weight            double    share
    """),
}
