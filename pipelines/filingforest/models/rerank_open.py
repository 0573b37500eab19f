"""Opens the cross-encoder that a name stands for, whichever library runs it."""

from __future__ import annotations

from pathlib import Path

from filingforest.models.rerank import CrossEncoder, PassageScorer

DEFAULT_HUB = "BAAI/bge-reranker-large"  # FinGEAR's reranker


def onnx_folder(model: str) -> Path | None:
    """The folder that `model` names, where it holds an ONNX graph or is no name of the hub; None: transformers runs it."""
    folder = Path(model).expanduser()
    if (folder / "model.onnx").is_file():
        return folder
    if (folder / "model.safetensors").is_file() or (model.count("/") == 1 and not folder.exists() and model[0] not in "./~"):
        return None
    return folder


def open_reranker(model: str, *, threads: int = 1) -> PassageScorer:
    """An ONNX folder as it is; anything else by transformers (GPU where there is one). Errors: ConfigError, Corrupt."""
    folder = onnx_folder(model)
    if folder is not None:
        return CrossEncoder(folder, threads=threads)
    from filingforest.models.rerank_torch import TorchCrossEncoder

    return TorchCrossEncoder(model)
