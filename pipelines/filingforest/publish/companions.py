"""What a publication carries beside its documents: encoder, lexicon of finance terms, cross-encoder.

A night takes them from the settings. A takedown keeps those of the publication that readers have: it changes nothing but what it is for,
and waits for no model that somebody has configured since.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from filingforest.config import Settings
from filingforest.errors import FilingForestError
from filingforest.manifest import Manifest, ModelEntry
from filingforest.models.base import Embedder
from filingforest.publish import filesets
from filingforest.publish.flam import FlamPublisher, inherited
from filingforest.publish.flam_counts import Night
from filingforest.publish.receipts import ReceiptEntry
from filingforest.publish.reranker import ensure_reranker, reranker_inputs
from filingforest.store import Store

MODELS = "models"


class Companions(Protocol):
    """Errors of what writes: Corrupt, StoreError."""

    @property
    def space(self) -> Mapping[str, Any]:
        """The embedding space that all vectors must lie in; empty without an encoder."""

    def inputs(self, documents: Sequence[ReceiptEntry], corpus: str) -> list[object]:
        """What decides the publication besides its documents and the versions."""

    def model(self, store: Store) -> ModelEntry | None:
        """The encoder's files, found or written."""

    def lexicon(self, store: Store, night: Night, parent: Manifest | None) -> ModelEntry | None:
        """Finance terms and their counts; None without vectors, and where no document has trees."""

    def reranker(self, store: Store) -> ModelEntry | None:
        """The cross-encoder's files, found or written."""


@dataclass(frozen=True)
class Configured:
    """As the settings have them; vectors are of `embedder` (None: there are none)."""

    settings: Settings
    embedder: Embedder | None

    @property
    def space(self) -> Mapping[str, Any]:
        return self.embedder.info.as_dict() if self.embedder else {}

    def inputs(self, documents: Sequence[ReceiptEntry], corpus: str) -> list[object]:
        terms = [FlamPublisher(self.settings.flam, self.embedder).about] if self.embedder and _has_trees(documents) else []
        return [self.space or None, corpus, *terms, *reranker_inputs(self.settings.rerank)]

    def model(self, store: Store) -> ModelEntry | None:
        if self.embedder is None:
            return None
        inputs = hashlib.sha256(repr(sorted(self.space.items())).encode()).hexdigest()[:16]
        about = {"info": self.space}
        found = filesets.find(store, MODELS, inputs) or filesets.write(store, MODELS, inputs, self.embedder.files(), {}, about)
        return ModelEntry(found.id, found.about["info"], found.files)

    def lexicon(self, store: Store, night: Night, parent: Manifest | None) -> ModelEntry | None:
        return FlamPublisher(self.settings.flam, self.embedder).write(store, night, parent) if self.embedder else None

    def reranker(self, store: Store) -> ModelEntry | None:
        return ensure_reranker(store, self.settings.rerank)


@dataclass(frozen=True)
class Inherited:
    """As `parent` has them. `settings` only tell whether the next night will have the same."""

    parent: Manifest
    settings: Settings

    @property
    def space(self) -> Mapping[str, Any]:
        return self.parent.model.info if self.parent.model else {}

    def inputs(self, documents: Sequence[ReceiptEntry], corpus: str) -> list[object]:
        terms = [self.parent.lexicon.info] if self.parent.lexicon and _has_trees(documents) else []
        return [self.space or None, corpus, *terms, *self._reranker_inputs()]

    def model(self, store: Store) -> ModelEntry | None:
        return self.parent.model

    def lexicon(self, store: Store, night: Night, parent: Manifest | None) -> ModelEntry | None:
        return inherited(store, night, self.parent.lexicon) if self.parent.lexicon else None

    def reranker(self, store: Store) -> ModelEntry | None:
        return self.parent.reranker

    def _reranker_inputs(self) -> list[object]:
        """Those of the settings where they mean the same: then the next night finds nothing to do."""
        if self.parent.reranker is None:
            return []
        with suppress(FilingForestError, OSError):
            return reranker_inputs(self.settings.rerank)
        return []


def _has_trees(documents: Sequence[ReceiptEntry]) -> bool:
    return any("trees" in document.stages for document in documents)
