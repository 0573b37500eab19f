"""A corpus of any size in little time: words permuted anew in each filing, vectors around a few centres, straight into stage outputs.

Vocabulary and lengths are those of prose (Zipf's law over made-up words), so that postings and texts weigh what real ones do.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from filingforest.bundle import write_bundle
from filingforest.models.base import EmbedderInfo
from filingforest.models.passages import text_sha, unit_passages
from filingforest.schema import TABLES
from filingforest.store import Store
from filingforest.trees.chunks import build_chunks

VERSION = "synthetic"


@dataclass(frozen=True)
class Shape:
    """How large a filing is, and its vectors."""

    units: int = 250
    words: int = 90
    dimension: int = 384
    vocabulary: int = 60_000
    centres: int = 500


class ManyFilings:
    """Filing number n is a function of n, `edition` and the shape."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self._words = np.array([_word(n) for n in range(shape.vocabulary)])
        self._centres = np.random.default_rng(0).standard_normal((shape.centres, shape.dimension)).astype(np.float32)

    @property
    def info(self) -> EmbedderInfo:
        return EmbedderInfo(model=VERSION, revision="1", dimension=self.shape.dimension, method="onnx", normalised=True, max_tokens=512)

    def files(self) -> dict[str, bytes]:
        return {"model.onnx": b"no model", "tokenizer.json": b"{}", "config.json": b"{}"}

    def embed(self, texts: Sequence[str], role: str = "passage") -> Any:
        raise AssertionError("nothing is embedded while publishing")

    def entry(self, store: Store, number: int, edition: int = 0) -> dict[str, Any]:
        """Writes its stage outputs; the entry for a receipt."""
        doc_id = f"{number:010d}-24-000001"
        random = np.random.default_rng([number, edition])
        version = hashlib.sha256(f"{number} {edition}".encode()).hexdigest()[:16]
        bundles = self._bundles(doc_id, version, number, random)
        stages = {stage: f"stages/{stage}/{doc_id}/{version}.{VERSION}.zip" for stage in bundles}
        for stage, data in bundles.items():
            store.put_new(stages[stage], data)
        known = f"2024-{edition + 1:02d}-01"
        return {
            "doc_id": doc_id,
            "doc_version": version,
            "known_from": known,
            "stages": stages,
            "fingerprints": dict.fromkeys(stages, VERSION),
        }

    def _bundles(self, doc_id: str, version: str, number: int, random: Any) -> dict[str, bytes]:
        cik, year = f"{1000 + number // 5:010d}", 2019 + number % 5
        company = f"{_word(10_000 + number // 5).title()} Corp"
        entity = {"cik": cik, "name": company, "ticker": None, "sic": None}
        document = {"doc_id": doc_id, "doc_version": version, "source": "edgar", "kind": "filing", "form": "10-K", "form_base": "10-K", "company": company,
                    "cik": cik, "entities": [entity], "fiscal_year": year, "filed_at": f"{year + 1}-02-01", "known_from": f"{year + 1}-02-01"}  # fmt: skip
        base = {"doc_id": doc_id, "item": "7", "item_key": "10-K:II.7"}
        texts = self._texts(random)
        nodes: list[dict[str, Any]] = [
            {"doc_id": doc_id, "node_id": f"{doc_id}#0", "kind": "document", "clause_id": 0, "clause_path": "0", "depth": 0},
            {**base, "node_id": f"{doc_id}#1", "kind": "item", "clause_id": 1, "clause_path": "1", "depth": 1, "parent_id": f"{doc_id}#0"},
        ]
        for n, text in enumerate(texts, 1):
            nodes.append({**base, "node_id": f"{doc_id}#1.{n}", "kind": "text", "clause_id": n + 1, "clause_path": f"1.{n}", "depth": 2,
                          "parent_id": f"{doc_id}#1", "unit_key": hashlib.sha256(f"{doc_id}|{n}|{text}".encode()).hexdigest()[:24], "text": text,
                          "header": f"{company} | 10-K | FY{year}", "heading_path": ["Discussion"], "char_start": n * 700,
                          "char_end": n * 700 + len(text), "token_count": self.shape.words})  # fmt: skip
        rows: dict[str, list[dict[str, Any]]] = {"documents": [document], "nodes": nodes}
        rows["texts"] = [{"doc_id": doc_id, "doc_version": version, "text": "\n".join(texts)}]
        tables = {
            n: pa.Table.from_pylist(rows.get(n, []), schema=TABLES[n]) for n in ("documents", "texts", "nodes", "facts", "fact_mentions")
        }
        return {
            "parsed": write_bundle(tables),
            "chunks": write_bundle({"chunks": build_chunks(doc_id, tables["nodes"])}),
            "embeddings": write_bundle({"embeddings": self._embeddings(tables["nodes"], random)}),
        }

    def _texts(self, random: Any) -> list[str]:
        ranks = np.minimum(random.zipf(1.15, size=(self.shape.units, self.shape.words)), self.shape.vocabulary) - 1
        return [f"{' '.join(self._words[row])} {random.integers(1_000, 99_999):,} million" for row in ranks]

    def _embeddings(self, nodes: pa.Table, random: Any) -> pa.Table:
        shas = sorted(text_sha(text) for text in unit_passages(nodes).values())
        vectors = self._centres[random.integers(self.shape.centres, size=len(shas))]
        vectors = vectors + 0.7 * random.standard_normal(vectors.shape, dtype=np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        column = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), self.shape.dimension)
        constant = {"role": "passage", "model": VERSION, "revision": "1", "method": "onnx"}
        return pa.table({"text_sha": shas, **{name: [value] * len(shas) for name, value in constant.items()}, "vector": column})


def _word(number: int) -> str:
    letters = ""
    while True:
        number, rest = divmod(number, 100)
        letters += "bcdfghjklmnprstvwxyz"[rest % 20] + "aeiou"[rest // 20]
        if not number:
            return letters + "n"
