"""Puts prompts together from `prompts.toml`: system and passages first, the task last, so that a prefix cache serves what they share."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from filingforest.config import LlmSettings
from filingforest.models.llm.request import ChatRequest, questions_shape, summary_shape
from filingforest.trees.generator import Passage

MOST_ITEMS = 12  # named in a second request; a model that invents more needs no longer list


@cache
def _texts() -> dict[str, str]:
    return tomllib.loads(files(__package__).joinpath("prompts.toml").read_text("utf-8"))


def version() -> str:
    """Of the prompts' wording."""
    return _texts()["version"]


def shown(passage: Passage) -> str:
    """A passage as the model reads it: the headings over it, then its text. Its text is never changed."""
    heading = " > ".join(passage.headings[:3])
    return f"## {heading}\n{passage.text}" if heading else passage.text


def summary_request(passages: Sequence[str], settings: LlmSettings, avoid: Sequence[str] = (), document: str = "") -> ChatRequest:
    """Asks for a summary of passages (as `shown`); `avoid`: what an earlier one named and they do not contain."""
    task = _texts()["summary"].format(chars=settings.summary_chars)
    if avoid:
        task += "\n" + _texts()["again"].format(items="; ".join(avoid[:MOST_ITEMS]))
    return ChatRequest(_messages(passages, task), summary_shape(settings.summary_chars), document)


def questions_request(passages: Sequence[str], settings: LlmSettings, document: str = "") -> ChatRequest:
    """Asks for questions that the passages (as `shown`) answer."""
    task = _texts()["questions"].format(most=settings.questions)
    return ChatRequest(_messages(passages, task), questions_shape(settings.questions), document)


def frame_text(settings: LlmSettings) -> str:
    """All of a prompt but its passages, at its longest: what their budget must leave room for."""
    longest = summary_request([], settings, ["x" * 40] * MOST_ITEMS)
    return "\n".join(text for _, text in longest.messages)


def _messages(passages: Sequence[str], task: str) -> tuple[tuple[str, str], ...]:
    body = _texts()["passages"].format(passages="\n\n".join(passages))
    return ("system", _texts()["system"]), ("user", f"{body}\n\n{task}")
