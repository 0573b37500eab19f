"""Publishes the cross-encoder that the settings name beside the index, so that readers rank by it without torch."""

from __future__ import annotations

import hashlib

from filingforest.config.retrieval import RerankSettings
from filingforest.manifest import ModelEntry
from filingforest.models.rerank import CrossEncoder
from filingforest.models.rerank_open import onnx_folder
from filingforest.publish import filesets
from filingforest.store import Store

KIND = "models"


def reranker_inputs(settings: RerankSettings) -> list[object]:
    """What decides the published cross-encoder; nothing where there is none. Errors: ConfigError, Corrupt."""
    encoder = _open(settings)
    return [_digest(encoder)] if encoder else []


def ensure_reranker(store: Store, settings: RerankSettings) -> ModelEntry | None:
    """Its files in the store, found or written; None where `rerank.model` is empty or a name of the hub, which readers load themselves."""
    encoder = _open(settings)
    if encoder is None:
        return None
    inputs = _digest(encoder)[:16]
    about = {"info": encoder.info.as_dict()}
    found = filesets.find(store, KIND, inputs) or filesets.write(store, KIND, inputs, encoder.files(), {}, about)
    return ModelEntry(found.id, found.about["info"], found.files)


def _open(settings: RerankSettings) -> CrossEncoder | None:
    folder = onnx_folder(settings.model) if settings.model else None
    return CrossEncoder(folder) if folder else None


def _digest(encoder: CrossEncoder) -> str:
    """Of all bytes of the model: its config says how much it counts."""
    digest = hashlib.sha256()
    for name in sorted(encoder.files()):
        digest.update((encoder.folder / name).read_bytes())
    return digest.hexdigest()
