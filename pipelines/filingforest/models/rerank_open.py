"""Opens the cross-encoder that a name stands for, whichever library runs it: transformers on a GPU, ONNX Runtime on a CPU."""

from __future__ import annotations

from pathlib import Path

from filingforest.models.rerank import CrossEncoder, PassageScorer

DEFAULT_HUB = "BAAI/bge-reranker-large"  # FinGEAR's reranker


def of_the_hub(model: str) -> bool:
    """Whether a name is one of the hub and no folder here."""
    return model.count("/") == 1 and model[0] not in "./~" and not Path(model).exists()


def onnx_folder(model: str) -> Path | None:
    """The folder with an ONNX graph that `model` stands for: itself, or what is exported of a folder in transformers' form (once).

    None: a name of the hub. Errors: ConfigError for an architecture that is not exported.
    """
    if of_the_hub(model):
        return None
    folder = Path(model).expanduser()
    if (folder / "model.safetensors").is_file() and not (folder / "model.onnx").is_file():
        from filingforest.models.export import export_reranker

        return export_reranker(folder)
    return folder


def open_reranker(model: str, *, threads: int = 1) -> PassageScorer:
    """A folder by ONNX Runtime, but one in transformers' form on a GPU where there is one; a name of the hub by transformers.

    Errors: ConfigError, Corrupt.
    """
    transformers_form = (Path(model).expanduser() / "model.safetensors").is_file()
    if of_the_hub(model) or (transformers_form and _gpu()):
        from filingforest.models.rerank_torch import TorchCrossEncoder

        return TorchCrossEncoder(model)
    folder = onnx_folder(model)
    assert folder is not None  # it is no name of the hub
    return CrossEncoder(folder, threads=threads)


def _gpu() -> bool:
    try:
        import torch
    except ImportError:
        return False
    return bool(torch.cuda.is_available())
