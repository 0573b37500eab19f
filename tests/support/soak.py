"""Readers that ask without pause while somebody publishes: what they saw is kept by publication, to be judged afterwards."""

from __future__ import annotations

import threading
from collections.abc import Callable

from filingforest import query

QUESTIONS = ("revenue and liquidity", "What did Company 0000000001 say about revenue in 2023?", "enough")


def seen(reader: query.Reader) -> str:
    """What a reader answers, its publication's id left out."""
    return str([[(hit.unit_key, round(hit.score, 9), hit.text) for hit in reader.query(question).hits] for question in QUESTIONS])


def members(reader: query.Reader) -> str:
    """The same without order and scores: for an index whose own scores may drift while another publication is loaded."""
    return str([sorted((hit.unit_key, hit.text) for hit in reader.query(question).hits) for question in QUESTIONS])


class ReaderThread(threading.Thread):
    """Follows CURRENT and asks, over and over. `answers` are pairs of a publication's id and what it answered."""

    def __init__(self, open_reader: Callable[[], query.Reader], done: threading.Event, look: Callable[[query.Reader], str] = seen) -> None:
        super().__init__()
        self.open_reader, self.done, self.look = open_reader, done, look
        self.answers, self.errors = set[tuple[str, str]](), list[str]()
        self.count = 0

    def run(self) -> None:
        try:
            reader = self.open_reader()
            while not self.done.is_set():
                reader.refresh()
                (publication,) = reader.publications
                self.answers.add((publication, self.look(reader)))
                self.count += 1
        except Exception as error:
            self.errors.append(f"{type(error).__name__}: {error}")
