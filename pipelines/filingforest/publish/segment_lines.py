"""The lines of a segment's units (see `filingforest.lines`), stored so that a second ranking reads numbers and not texts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from filingforest.lines import lines_of
from filingforest.publish.npy import NpyWriter
from filingforest.publish.segment_input import Opened, lists
from filingforest.publish.segment_source import Span, pieces

_ROWS = 16_384  # units copied at once


class LinesPart:
    """`lines.word.npy`, `lines.about.npy` as in `Lines`; `lines.start.npy` (units + 1, 2): first line and first word of each unit."""

    def __init__(self, out: Path) -> None:
        self._start = NpyWriter(out / "lines.start.npy", "<i8", (2,))
        self._about = NpyWriter(out / "lines.about.npy", "<u2", (3,))
        self._word = NpyWriter(out / "lines.word.npy", "<u4")
        self._start.append([(0, 0)])

    def add(self, document: Opened) -> None:
        for text in lists(document.units, "text")[0]:
            lines = lines_of(text or "")
            self._append(lines.about, lines.words)
            self._start.append([self._end])

    def merge(self, spans: Sequence[Span]) -> None:
        for span in spans:
            starts, about, words = (span.source.array(f"lines.{name}") for name in ("start", "about", "word"))
            for piece in pieces(span.rows("units"), _ROWS):
                edges = starts[piece.start : piece.stop + 1]
                (line, word), (last_line, last_word) = edges[0].tolist(), edges[-1].tolist()
                moved = edges[1:] - edges[0] + np.array(self._end)
                self._append(about[line:last_line], words[word:last_word])
                self._start.append(moved)

    def close(self) -> None:
        for writer in (self._start, self._about, self._word):
            writer.close()

    def about(self) -> dict[str, Any]:
        return {"lines": self._about.rows}

    @property
    def _end(self) -> tuple[int, int]:
        return self._about.rows, self._word.rows

    def _append(self, about: Any, words: Any) -> None:
        self._about.append(about)
        self._word.append(words)
