"""Embeds questions with the encoder that was published beside the index; loaded at the first question, shared in the process."""

from __future__ import annotations

import threading
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from filingforest.errors import Corrupt, FilingForestError
from filingforest.manifest import ModelEntry
from filingforest.query.cache import cache_errors
from filingforest.query.files import Files

_KEPT_QUESTIONS = 256
_loaded: dict[str, Any] = {}
_loading = threading.Lock()


class QuestionEncoder:
    """Question -> vector, or None where there is no encoder to run; `missing` then says why. Thread-safe."""

    def __init__(self, model: ModelEntry | None, files: Files) -> None:
        self._model, self._files = model, files
        self._known: OrderedDict[str, npt.NDArray[np.float32]] = OrderedDict()
        self._lock = threading.Lock()
        self.missing: str | None = None

    def embed(self, question: str) -> npt.NDArray[np.float32] | None:
        """float32 (dimension,), L2-normalised. Errors: Corrupt when the published encoder cannot be run."""
        if self._model is None or not self._model.files or self.missing:
            return None
        with self._lock:
            known = self._known.get(question)
        if known is None:
            encoder = self._encoder(self._model)
            if encoder is None:
                return None
            known = np.asarray(encoder.embed([question], role="question")[0], dtype=np.float32)
            with self._lock:
                self._known[question] = known
                while len(self._known) > _KEPT_QUESTIONS:
                    self._known.popitem(last=False)
        return known

    def _encoder(self, model: ModelEntry) -> Any:
        key = "".join(entry.sha256 for entry in model.files)
        with _loading:
            if key not in _loaded:
                try:
                    _loaded[key] = self._load(model)
                except ImportError as error:
                    self.missing = (
                        f"{error.name} is not installed, so questions were answered by words alone: pip install 'filingforest[query]'"
                    )
                    return None
            return _loaded[key]

    def _load(self, model: ModelEntry) -> Any:
        import onnxruntime
        import tokenizers  # noqa: F401 - both are asked for here, so that their absence is told apart from a broken model

        from filingforest.models.onnx import OnnxEmbedder

        encoder = OnnxEmbedder(model_folder(self._files, model))
        try:
            encoder.embed(["warm up"], role="question")
        except FilingForestError:
            raise
        except Exception as error:  # onnxruntime and tokenizers raise types of their own
            remedy = "run `filingforest publications verify`, and publish again"
            message = f"the encoder cannot be run by onnxruntime {onnxruntime.__version__}: {error}"
            raise Corrupt(message, document=f"models/{model.id}", stage="query", remedy=remedy) from error
        return encoder


def model_folder(files: Files, model: ModelEntry) -> Path:
    """A folder with the encoder's files under their own names (cached ones are named by hash)."""
    paths = {entry.path.rpartition("/")[2]: files.path(entry) for entry in model.files}
    if all(path.name == name for name, path in paths.items()):
        return next(iter(paths.values())).parent
    folder = files.cache / "models" / sorted(entry.sha256 for entry in model.files)[0]
    with cache_errors(files.cache):
        folder.mkdir(parents=True, exist_ok=True)
        for name, path in paths.items():
            link = folder / name
            if not link.exists():
                link.unlink(missing_ok=True)  # one that points nowhere
                link.symlink_to(path.resolve())
    return folder
