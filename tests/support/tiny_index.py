"""Tiny documents as stage outputs and receipts, so that publishing is tested without crawling, parsing or a real model."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from filingforest.bundle import read_bundle, write_bundle
from filingforest.config import Settings
from filingforest.models.base import EmbedderInfo, normalise
from filingforest.models.passages import embed_units
from filingforest.publish.publish import PublishResult, publish
from filingforest.publish.receipts import write_receipt
from filingforest.schema import TABLES, conform
from filingforest.store import Store
from filingforest.trees.chunks import build_chunks

MODEL_FILES = {"model.onnx": b"not a real model", "tokenizer.json": b"{}", "config.json": b"{}"}


@dataclass
class TinyEmbedder:
    """Vectors from hashes: deterministic, normalised, 8 dimensions."""

    revision: str = "r1"
    embedded: list[str] = field(default_factory=list)

    @property
    def info(self) -> EmbedderInfo:
        return EmbedderInfo(model="tiny", revision=self.revision, dimension=8, method="onnx", normalised=True, max_tokens=64)

    def files(self) -> dict[str, bytes]:
        return MODEL_FILES

    def embed(self, texts: Sequence[str], role: str = "passage"):
        self.embedded += texts
        rows = [np.frombuffer(hashlib.sha256(text.encode()).digest()[:8], "u1").astype(np.float32) + 1 for text in texts]
        return normalise(np.stack(rows)) if rows else np.zeros((0, 8), np.float32)


def parsed(doc_id: str, version: str, texts: Sequence[str], *, year: int = 2023, cik: str = "0000000001", orphan: bool = False) -> bytes:
    """A parsed bundle: a document node, one item, a text unit for each of `texts`."""
    document = {
        "doc_id": doc_id, "doc_version": version, "source": "edgar", "kind": "filing", "form": "10-K", "form_base": "10-K", "cik": cik,
        "company": f"Company {cik}", "entities": [{"cik": cik, "name": f"Company {cik}", "ticker": None, "sic": None}],
        "fiscal_year": year, "filed_at": f"{year + 1}-02-01", "known_from": f"{year + 1}-02-01",
    }  # fmt: skip
    base = {"doc_id": doc_id, "item": "7", "item_key": "10-K:II.7"}
    nodes = [
        {"doc_id": doc_id, "node_id": f"{doc_id}#0", "kind": "document", "clause_id": 0, "clause_path": "0", "depth": 0},
        {**base, "node_id": f"{doc_id}#1", "kind": "item", "clause_id": 1, "clause_path": "1", "depth": 1, "parent_id": f"{doc_id}#0"},
    ]
    for n, text in enumerate(texts, 1):
        key = hashlib.sha256(f"{doc_id}|{text}|{n}".encode()).hexdigest()[:24]
        nodes.append({**base, "node_id": f"{doc_id}#1.{n}", "kind": "text", "clause_id": n + 1, "clause_path": f"1.{n}", "depth": 2,
                      "parent_id": f"{doc_id}#gone" if orphan else f"{doc_id}#1", "unit_key": key, "text": text,
                      "header": f"Company {cik} | 10-K | FY{year}", "token_count": len(text.split())})  # fmt: skip
    rows = {"documents": [document], "texts": [{"doc_id": doc_id, "doc_version": version, "text": "\n".join(texts)}], "nodes": nodes}
    tables = {name: pa.Table.from_pylist(rows.get(name, []), schema=TABLES[name]) for name in ("documents", "texts", "nodes")}
    tables |= {name: TABLES[name].empty_table() for name in ("facts", "fact_mentions")}
    return write_bundle({name: conform(name, table) for name, table in tables.items()})


@dataclass
class TinyIndex:
    """An index under construction; `add` leaves a receipt, `publish` publishes."""

    store: Store
    embedder: TinyEmbedder = field(default_factory=TinyEmbedder)
    settings: Settings = field(default_factory=Settings)

    def entry(self, doc_id: str, texts: Sequence[str], *, known_from: str = "2024-02-01", **options) -> dict:
        """Stage outputs of one document, and its entry for a receipt."""
        version = hashlib.sha256("|".join(texts).encode()).hexdigest()[:16]
        bundle = parsed(doc_id, version, texts, **options)
        nodes = read_bundle(bundle).table("nodes")
        made = {
            "parsed": bundle,
            "chunks": write_bundle({"chunks": build_chunks(doc_id, nodes)}),
            "embeddings": write_bundle({"embeddings": embed_units(nodes, self.embedder)}),
        }
        mark = hashlib.sha256(bundle + self.embedder.revision.encode()).hexdigest()[:16]
        stages = {stage: f"stages/{stage}/{doc_id}/{version}.{mark}.zip" for stage in made}
        for stage, data in made.items():
            self.store.put_new(stages[stage], data)
        fingerprints = dict.fromkeys(stages, mark)
        return {
            "doc_id": doc_id,
            "doc_version": version,
            "known_from": known_from,
            "stages": stages,
            "fingerprints": fingerprints,
            "ref": {},
        }

    def receipt(self, interval: str, *entries: dict, expected: int | None = None) -> str:
        return write_receipt(self.store, "edgar", interval, entries, len(entries) if expected is None else expected)

    def add(self, interval: str, *doc_ids: str, **options) -> str:
        """A receipt for documents of two units each."""
        texts = ("revenue grew by 1.2 percent", "liquidity is enough")
        return self.receipt(interval, *(self.entry(doc_id, [f"{doc_id} {text}" for text in texts], **options) for doc_id in doc_ids))

    def publish(self, **options) -> PublishResult:
        return publish(self.store, self.settings, self.embedder, **options)


class Bare(TinyIndex):
    """An index without vectors: the tiny embedder's model is none that a reader could open."""

    def entry(self, *arguments, **options) -> dict:
        made = super().entry(*arguments, **options)
        return {**made, **{name: {k: v for k, v in made[name].items() if k != "embeddings"} for name in ("stages", "fingerprints")}}

    def publish(self, **options) -> PublishResult:
        return publish(self.store, self.settings, None, **options)
