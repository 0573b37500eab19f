"""The cross-encoder that was published beside the index; loaded at the first question that wants the `full` tier."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from filingforest.manifest import ModelEntry
from filingforest.query.encoder import model_folder
from filingforest.query.files import Files

if TYPE_CHECKING:
    from filingforest.models.rerank import CrossEncoder
    from filingforest.query.publication import Publication

_loaded: dict[str, CrossEncoder] = {}
_loading = threading.Lock()


class PublishedCrossEncoder:
    """`load` gives None where there is nothing to run; `missing` then says why. Thread-safe, shared in the process."""

    @classmethod
    def of(cls, publication: Publication) -> PublishedCrossEncoder:
        return cls(publication.manifest.reranker, publication.files)

    def __init__(self, model: ModelEntry | None, files: Files) -> None:
        self._model, self._files = model, files
        self.missing = "" if model else "this publication has no cross-encoder (rerank.model was not set): the light tier was used"

    def load(self) -> CrossEncoder | None:
        """Errors: Corrupt, ConfigError where the published files cannot be run."""
        if self._model is None or self.missing:
            return None
        key = "".join(entry.sha256 for entry in self._model.files)
        with _loading:
            if key not in _loaded:
                try:
                    import onnxruntime  # noqa: F401
                    import tokenizers  # noqa: F401
                except ImportError as error:
                    self.missing = f"{error.name} is not installed, so the light tier was used: pip install 'filingforest[query]'"
                    return None
                from filingforest.models.rerank import CrossEncoder

                _loaded[key] = CrossEncoder(model_folder(self._files, self._model))
            return _loaded[key]
