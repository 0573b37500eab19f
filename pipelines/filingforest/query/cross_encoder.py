"""The `full` tier's cross-encoder: the one that settings name, else the one published beside the index, else the hub's default.

Settings that name a folder may have been written for another machine, where the index was made: one that is not here gives way to what
was published from it. Loaded at the first question that wants it and shared in the process; where none can be had, a note says why, and it
is not tried again.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

from filingforest.errors import ConfigError
from filingforest.query.encoder import model_folder

if TYPE_CHECKING:
    from filingforest.models.rerank import PassageScorer
    from filingforest.query.publication import Publication

_loaded: dict[str, PassageScorer | str] = {}  # a model, or why there is none
_loading = threading.Lock()


def cross_encoder(publication: Publication, model: str) -> tuple[PassageScorer | None, str]:
    """The model, or None and why there is none. `model`: `rerank.model`, "" where nothing is set. Thread-safe.

    Errors: Corrupt where published files cannot be run; ConfigError where the folder that settings name holds no model.
    """
    published = publication.manifest.reranker
    model = _here(model) if published else model
    key = model or ("".join(entry.sha256 for entry in published.files) if published else "default")
    with _loading:
        if key not in _loaded:
            try:
                _loaded[key] = _load(publication, model)
            except ImportError as error:
                _loaded[key] = f"{error.name} is not installed: pip install 'filingforest[query]'"
            except ConfigError as error:
                if model:
                    raise
                _loaded[key] = f"this publication has no cross-encoder, and {error}"
        found = _loaded[key]
    return (None, f"{found} (the light tier was used)") if isinstance(found, str) else (found, "")


def _here(model: str) -> str:
    """The model, "" where it is a folder that is not on this machine."""
    from filingforest.models.rerank_open import of_the_hub

    return model if model and (of_the_hub(model) or Path(model).expanduser().is_dir()) else ""


def _load(publication: Publication, model: str) -> PassageScorer:
    from filingforest.models.rerank_open import DEFAULT_HUB, open_reranker

    published = publication.manifest.reranker
    if model or published is None:
        return open_reranker(model or DEFAULT_HUB)
    import onnxruntime  # noqa: F401 - asked for here, so that their absence is told apart from a broken model
    import tokenizers  # noqa: F401

    from filingforest.models.rerank import CrossEncoder

    return CrossEncoder(model_folder(publication.files, published))
