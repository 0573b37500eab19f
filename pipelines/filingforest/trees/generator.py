"""What writes summaries and sub-questions for a tree's nodes, as the trees know it: a whole level at once.

A level's nodes do not depend on one another, so a server that answers many requests together sees all of them together. The trees
know this protocol only; `extractive.py` is its offline form, one over vLLM lives with the models.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Passage:
    """What is known of a chunk, or of a node below: its text and the names that stand over and in it, and whose text it is."""

    text: str
    headings: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    document: str = ""


@dataclass(frozen=True, slots=True)
class Written:
    """What was written for one node. `generator` is what really wrote it: a fallback names itself, not the one that it stood in for."""

    summary: str
    questions: tuple[str, ...]
    generator: str


class Generator(Protocol):
    """Writes for nodes from what lies below them.

    `name` stands for all that decides what is written (kind, model, revision, prompt's version): trees are cached by it.
    """

    @property
    def name(self) -> str: ...

    def write_level(self, groups: Sequence[Sequence[Passage]]) -> list[Written]:
        """One `Written` a group, in order. `groups` holds the passages below each node of one level, in reading order."""
        ...

    def report(self) -> Mapping[str, float]:
        """What it did since it was opened, by name: counts and rates worth telling; nothing where there is nothing to tell."""
        ...

    def close(self) -> None:
        """Lets go of what it holds open; it can be asked again."""
        ...
