"""A segment's files as they are read: whole or in parts, from this disk or from afar, compared with what was published in each case."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

from filingforest.errors import SchemaTooNew
from filingforest.query.arrays import Array, open_array
from filingforest.query.checked import Blocks
from filingforest.query.checked_array import CheckedArray
from filingforest.query.partial import PartialArray
from filingforest.query.ranged import Ranged
from filingforest.query.tables import Place
from filingforest.tokens import TOKENIZER_VERSION

FORMAT = 3  # 1: before there were trees; 2: before lines of units were stored
# arrays of which a question about one company needs little; those that every question goes through are better fetched whole
_IN_PARTS = frozenset(["vectors.f16", "postings.unit", "postings.body", "postings.head", "lines.about", "lines.word"])


class SegmentFiles:
    """`get`, `part` and `cache` as `Segment` has them; `about` is `segment.json`. Errors: SchemaTooNew, Corrupt, PublicationGone."""

    def __init__(self, get: Callable[[str], Path], part: Callable[[str], Place], cache: Path | None) -> None:
        self._get, self._part, self._cache = get, part, cache
        self._arrays: dict[str, Array] = {}
        self.about: dict[str, Any] = _about(get("segment.json"))

    def array(self, name: str) -> Array:
        """The array of that name; opened once."""
        if name not in self._arrays:
            self._arrays[name] = self._opened(name)
        return self._arrays[name]

    def place(self, name: str) -> Place:
        """Where a table can be read: what the reader of its pages cannot compare was compared."""
        place, digests = self._part(name), self._digests(name)
        if isinstance(place, Ranged):
            place.digests = digests
        elif digests and name.endswith(".parquet"):
            Blocks(place, digests, self._cache).check_footer()
        return place

    def _opened(self, name: str) -> Array:
        place = self.place(f"{name}.npy") if name in _IN_PARTS else None
        if isinstance(place, Ranged) and place.digests:
            return cast(Array, PartialArray.open(place, lambda: self._mapped(name)))
        if isinstance(place, Path) and (digests := self._digests(f"{name}.npy")):
            return cast(Array, CheckedArray.open(place, digests, self._cache))
        return self._mapped(name)

    def _mapped(self, name: str) -> Array:
        return open_array(self._get(f"{name}.npy"))

    def _digests(self, name: str) -> Sequence[str]:
        """Of the blocks of a large file; none of a small one, and of files that were written before blocks were hashed."""
        found: Sequence[str] = self.about.get("blocks", {}).get(name, ())
        return found


def _about(path: Path) -> dict[str, Any]:
    about: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    if about["format"] > FORMAT or about["tokenizer"] != TOKENIZER_VERSION:
        message = f"segment of format {about['format']}, tokenizer {about['tokenizer']}; this reader has {FORMAT} and {TOKENIZER_VERSION}"
        raise SchemaTooNew(message, stage="query", remedy="install the version of filingforest that published it, or publish again")
    return about
