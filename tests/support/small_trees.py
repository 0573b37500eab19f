"""Made-up documents with trees, published in a folder: what tests of walks and of readers start from.

Doc("Quince Inc.", 2023, [Unit("Net sales grew.", "7"), ...])     as in `corpus.py`
inputs = [with_trees(doc) for doc in docs]                        each unit a chunk of its own, unless `target_tokens` says more
publish_inputs(root, [inputs])                                    or `publish_trees(root, docs)`
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from filingforest.bundle import Bundle, read_bundle, write_bundle
from filingforest.config import TreesSettings
from filingforest.flam.count import TermCounter
from filingforest.flam.lexicon import Lexicon, load_lexicon
from filingforest.models.base import EmbedderInfo, Role, Vectors
from filingforest.publish.segment import SegmentInput
from filingforest.trees.build import TreeBuilder
from filingforest.trees.chunks import build_chunks
from filingforest.trees.extractive import Extractive
from tests.support.corpus import DIMENSION, Doc, publish_inputs, vector_of


class TextEmbedder:
    """A fixed vector a text, the same for the same text in any role; counts what it is asked for."""

    info = EmbedderInfo("model", "revision", DIMENSION, "method", True, 256)

    def __init__(self) -> None:
        self.embedded: list[str] = []

    def embed(self, texts: Sequence[str], role: Role = "passage") -> Vectors:
        self.embedded += texts
        return np.stack([vector_of(text) for text in texts]) if texts else np.zeros((0, DIMENSION), np.float32)

    def files(self) -> dict[str, bytes]:
        return {}


def builder(settings: TreesSettings | None = None, lexicon: Lexicon | None = None) -> TreeBuilder:
    """The offline default over made-up vectors."""
    terms = TermCounter(lexicon or load_lexicon())
    return TreeBuilder(settings or TreesSettings(), Extractive(terms), TextEmbedder(), terms)


def chunks_of(doc: Doc, target_tokens: int = 1) -> Bundle:
    nodes = doc.parsed().table("nodes")
    return read_bundle(write_bundle({"chunks": build_chunks(doc.doc_id, nodes, target_tokens, 0)}))


def with_trees(doc: Doc, settings: TreesSettings | None = None, target_tokens: int = 1) -> SegmentInput:
    """Stage outputs of a document, its trees among them."""
    chunks = chunks_of(doc, target_tokens)
    tables = builder(settings).build(doc.doc_id, doc.parsed().table("nodes"), chunks.table("chunks"), doc.embeddings().table("embeddings"))
    trees = read_bundle(write_bundle(tables))
    return SegmentInput(doc.doc_id, doc.doc_version, doc.parsed, lambda: chunks, doc.embeddings, lambda: trees)


def publish_trees(root: Path, docs: Sequence[Doc], dead: Sequence[str] = ()) -> str:
    """An index of one segment; its address."""
    return publish_inputs(root, [[with_trees(doc) for doc in docs]], dead)
