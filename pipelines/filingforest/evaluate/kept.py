"""Keeps each way of asking as soon as it is measured, so that an ablation that was killed goes on where it stopped.

A file of JSON lines, appended to; a line counts only for the same publication, questions, settings and code, all of which are in its
key, so that nothing stale is ever taken for a result. A line that a kill left half is passed over.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import filingforest
from filingforest.config.retrieval import RerankSettings, RetrievalSettings
from filingforest.errors import ConfigError
from filingforest.evaluate.measure import Run
from filingforest.evaluate.questions import Question

_CODE = ("query", "evaluate", "models", "config")  # packages that decide what is found and how it is scored


class KeptRuns:
    """Runs by key. Errors: ConfigError where the file cannot be read or written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._known: dict[str, dict[str, Any]] = {}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
                self._remember(line)
        except (OSError, UnicodeDecodeError) as error:
            raise self._unusable(error) from error

    def get(self, key: str, name: str, questions: Sequence[Question]) -> Run | None:
        """The run, None where there is none yet."""
        found = self._known.get(key)
        return Run(name, questions, found["rows"], found["milliseconds"], found["notes"]) if found else None

    def add(self, key: str, run: Run) -> None:
        """Appended and flushed to the disk."""
        row = {"key": key, "name": run.name, "rows": run.rows, "milliseconds": run.milliseconds, "notes": run.notes}
        try:
            with self.path.open("a+b") as stream:
                text = json.dumps(row, ensure_ascii=False).encode() + b"\n"
                stream.write(text if _ends_whole(stream) else b"\n" + text)
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as error:
            raise self._unusable(error) from error

    def _remember(self, line: str) -> None:
        try:
            row = json.loads(line)
            self._known[row["key"]] = row
        except (ValueError, KeyError, TypeError):
            return  # half a line

    def _unusable(self, error: Exception) -> ConfigError:
        return ConfigError(f"cannot keep results in {self.path}: {error}", stage="evaluate", remedy="name another file with --out")


def key_of(
    publication: str,
    questions: Sequence[Question],
    chosen: RetrievalSettings,
    rerank: RerankSettings,
    control: int | None,
    ks: Sequence[int],
) -> str:
    """What decides a run's figures."""
    asked = [(q.id, q.text, sorted(map(str, q.gold)), q.kind, q.doc, sorted(map(repr, q.filters.items()))) for q in questions]
    about = [publication, asked, asdict(chosen), asdict(rerank), control, list(ks), code_digest()]
    return hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()[:24]


@lru_cache(maxsize=1)
def code_digest() -> str:
    """Of every file of the packages that decide what is found: figures of other code are other figures."""
    digest = hashlib.sha256()
    root = Path(str(files(filingforest)))
    for path in sorted(p for name in _CODE for p in (root / name).rglob("*") if p.is_file() and "__pycache__" not in p.parts):
        digest.update(str(path.relative_to(root)).encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _ends_whole(stream: Any) -> bool:
    if not stream.seek(0, os.SEEK_END):
        return True
    stream.seek(-1, os.SEEK_END)
    return bool(stream.read(1) == b"\n")
