"""What the indexes of a corpus are called and how they are laid out; a layout that changes is another index beside the old one.

An index is called PREFIX-CORPUS-KIND-GENERATION. The generation covers everything that decides what is in it besides the documents:
mappings, tokenizer, embedding model, graph. So publications made with another model live side by side, and a rollback over such a
change finds its index untouched.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from filingforest.config.opensearch import OpenSearchSettings
from filingforest.terms import TERMS_VERSION
from filingforest.tokens import TOKENIZER_VERSION

LAYOUT_VERSION = 1
KINDS = ("units", "trees")
_SHAPING = ("engine", "quantisation", "m", "ef_construction", "shards")


@dataclass(frozen=True, slots=True)
class Layout:
    """Names and bodies of one generation of a corpus's indexes."""

    prefix: str
    corpus: str
    settings: OpenSearchSettings
    model: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def of(cls, corpus: str, settings: OpenSearchSettings, model: Mapping[str, Any] | None) -> Layout:
        """`model` is the embedding space as a manifest names it (`ModelEntry.info`); None: words only."""
        return cls(settings.prefix, slug(corpus), settings, tuple(sorted((model or {}).items())))

    @property
    def generation(self) -> str:
        """8 hex digits over all that shapes the index."""
        shape = {name: value for name, value in asdict(self.settings).items() if name in _SHAPING}
        parts = [LAYOUT_VERSION, TOKENIZER_VERSION, TERMS_VERSION, shape, self.model, [read_json(kind) for kind in KINDS]]
        return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()[:8]

    @property
    def dimension(self) -> int:
        """Of the vectors; 0 without a model."""
        return int(dict(self.model).get("dimension") or 0)

    def alias(self, kind: str = "units") -> str:
        """What people search: it shows the current publication."""
        return f"{self.prefix}-{self.corpus}-{kind}"

    def index(self, kind: str = "units") -> str:
        """This generation's index."""
        return f"{self.alias(kind)}-{self.generation}"

    @property
    def state(self) -> str:
        """Where it stands what is loaded."""
        return f"{self.prefix}-{self.corpus}-state"

    @property
    def pipeline(self) -> str:
        """The search pipeline's name."""
        return f"{self.prefix}-rrf"

    def body(self, kind: str = "units") -> dict[str, Any]:
        """What the index is created with."""
        body: dict[str, Any] = json.loads(json.dumps(read_json(kind)))
        body["settings"]["index"] |= {"number_of_shards": self.settings.shards, "number_of_replicas": self.settings.replicas}
        if self.dimension:
            properties = body["mappings"]["properties"]
            properties["vector"] = self.vector()
            if kind == "trees":
                properties["questions"]["properties"]["vector"] = self.vector()
        else:
            del body["settings"]["index"]["knn"]
        return body

    def vector(self) -> dict[str, Any]:
        """The mapping of a vector: L2-normalised, so that the inner product is the cosine."""
        s = self.settings
        parameters: dict[str, Any] = {"m": s.m, "ef_construction": s.ef_construction}
        if s.quantisation == "sq":
            parameters["encoder"] = {"name": "sq", "parameters": {"bits": 7} if s.engine == "lucene" else {"type": "fp16"}}
        method = {"name": "hnsw", "engine": s.engine, "space_type": "innerproduct", "parameters": parameters}
        return {"type": "knn_vector", "dimension": self.dimension, "method": method}


@cache
def read_json(name: str) -> dict[str, Any]:
    """One of the files beside this module."""
    found: dict[str, Any] = json.loads((Path(__file__).parent / f"{name}.json").read_text(encoding="utf-8"))
    return found


def slug(corpus: str) -> str:
    """A corpus's name as an index name can hold it; told apart by a hash where something had to go."""
    plain = re.sub(r"[^a-z0-9_]+", "_", corpus.lower()).strip("_-") or "corpus"
    return plain if plain == corpus else f"{plain}_{hashlib.sha256(corpus.encode()).hexdigest()[:6]}"
