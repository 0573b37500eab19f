"""Encoders behind one protocol: `open_embedder` for the pipeline, `OnnxEmbedder` for readers."""

from filingforest.models.base import Embedder, EmbedderInfo, Role, Vectors

__all__ = ["Embedder", "EmbedderInfo", "Role", "Vectors"]
