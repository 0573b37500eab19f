"""Training questions with the units that answer them: tagged facts, headings, question trees, and files that users bring.

Hard negatives are what plain hybrid ranks high without being gold. Companies that `held_out` names give no example.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from filingforest.errors import ConfigError
from filingforest.evaluate.fact_questions import fact_questions
from filingforest.evaluate.heading_questions import heading_questions
from filingforest.evaluate.questions import Question, held_out
from filingforest.models.passages import passage_text
from filingforest.query.features import features
from filingforest.query.filters import Filters
from filingforest.query.intent import read_question
from filingforest.query.publication import Publication
from filingforest.query.rank import rank
from filingforest.query.rerank import POOL
from filingforest.query.scope_read import read_scope

_IDENTITY = ("doc_id", "unit_key", "page", "page_end", "text", "table")


@dataclass(frozen=True, slots=True)
class Example:
    """A question with its candidates in hybrid order: features (n, columns), texts, what an encoder reads of them, and which are gold."""

    question: Question
    meaning: str
    columns: np.ndarray[tuple[int, ...], np.dtype[np.float32]]
    texts: Sequence[str]
    passages: Sequence[str]
    gold: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]
    pieces: Sequence[object]


def questions_of(publication: Publication, most: int) -> list[Question]:
    """Questions from tagged facts, then a third as many from headings, in an order by hash."""
    facts, headings = fact_questions(publication)[:most], heading_questions(publication)[: most // 3]
    return sorted([*facts, *headings], key=lambda q: hashlib.sha256(q.id.encode()).digest())


def examples(publication: Publication, questions: Sequence[Question]) -> Iterator[Example]:
    """Each question with the units that plain hybrid finds; those without gold among them, or with nothing else, teach nothing."""
    for question in questions:
        example = candidates_of(publication, question)
        if example is not None:
            yield example


def candidates_of(publication: Publication, question: Question) -> Example | None:
    """None where nothing is in scope."""
    scope = read_scope(question.text, Filters.of(dict(question.filters)), publication.corpus)
    asked = read_question(question.text, scope.consumed, len(scope.found), len(scope.periods.years), scope.anonymous)
    candidates = rank(publication, asked, scope, POOL) if scope.flags.any() else []
    if not candidates:
        return None
    rows = {c.row: row for c, row in zip(candidates, _units(publication, [c.row for c in candidates]), strict=True)}
    texts = {row: str(unit["text"] or "") for row, unit in rows.items()}
    columns = features(publication, asked, scope, candidates)
    pieces = [_piece(question, rows[c.row]) for c in candidates]
    gold = np.array([piece is not None for piece in pieces], dtype=np.bool_)
    passages = [_passage(rows[c.row]) for c in candidates]
    return Example(question, asked.meaning, columns, [texts[c.row] for c in candidates], passages, gold, pieces)


def split(questions: Sequence[Question]) -> tuple[list[Question], list[Question]]:
    """Those to learn from, and those of held-out companies."""
    return [q for q in questions if not held_out(q.company)], [q for q in questions if held_out(q.company)]


def _units(publication: Publication, rows: Sequence[int]) -> list[dict[str, object]]:
    out: dict[int, dict[str, object]] = {}
    for base, segment in zip(publication.base, publication.segments, strict=False):
        mine = [row for row in rows if base <= row < base + segment.units]
        if mine:
            out.update(zip(mine, segment.read("units", _IDENTITY, [row - int(base) for row in mine]), strict=True))
    return [out[row] for row in rows]


def _passage(unit: dict[str, object]) -> str:
    """What is embedded of a unit, without the header that names its company: the question that is embedded names none either."""
    return passage_text(None, str(unit["text"] or ""), json.loads(str(unit["table"])) if unit["table"] else None)


def _piece(question: Question, unit: dict[str, object]) -> object:
    """The piece of gold that a unit is, as `Question.found` says of a hit."""
    return question.found_in(str(unit["doc_id"]), str(unit["unit_key"]), unit["page"], unit["page_end"])  # type: ignore[arg-type]


def read_finqa(path: Path) -> list[tuple[str, list[str], list[str]]]:
    """FinQA's JSON (Chen et al., EMNLP 2021): question, the sentences and rows that `gold_inds` names, the rest of its page."""
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
        out = []
        for row in rows:
            gold = [str(text) for text in row["qa"]["gold_inds"].values()]
            rest = [text for text in [*row["pre_text"], *row["post_text"]] if len(text.split()) > 3 and text not in gold]
            out.append((row["qa"]["question"], gold, rest[:8]))
        return out
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ConfigError(
            f"{path} is not in FinQA's form: {error}", stage="train", remedy="give train.json of the FinQA release"
        ) from error
