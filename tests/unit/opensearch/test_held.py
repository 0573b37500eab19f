"""What an index holds is asked again where it does not answer, and a part is never taken for the whole."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from opensearchpy.exceptions import AuthorizationException, ConnectionError, TransportError

from filingforest.errors import PermissionDenied, StoreUnavailable
from filingforest.opensearch.held import Held
from filingforest.opensearch.patience import Patience

WHOLE, PART = {"failed": 0, "total": 2, "successful": 2, "skipped": 0}, {"failed": 1, "total": 2, "successful": 1, "skipped": 0}
FAULTS = (TransportError(429, "busy", {}), TransportError(503, "busy", {}), ConnectionError("N/A", "gone", None))


class Node:
    """Answers each request with the next of `answers`: an error to raise, or shards that say how much of the index answered."""

    def __init__(self, *answers: Any) -> None:
        self.answers, self.asked = list(answers), 0
        self.indices = self

    def search(self, index: str = "", body: Any = None, **more: Any) -> Any:
        hit = {"_id": "u", "_source": {"doc_id": "d", "live": [{"gte": 2}]}}
        return {
            "_shards": self._next(), "_scroll_id": "s", "hits": {"hits": [hit]},
            "aggregations": {"documents": {"buckets": [{"key": {"doc_id": "d"}}]}},
        }  # fmt: skip

    def scroll(self, **more: Any) -> Any:
        return {"_shards": WHOLE, "_scroll_id": "s", "hits": {"hits": []}}

    def clear_scroll(self, **more: Any) -> None:
        return None

    def count(self, index: str) -> Any:
        return {"_shards": self._next(), "count": 7}

    def refresh(self, index: str) -> Any:
        return {"_shards": self._next()}

    def _next(self) -> Any:
        self.asked += 1
        answer = self.answers.pop(0) if self.answers else WHOLE
        if isinstance(answer, Exception):
            raise answer
        return answer


ASKED: dict[str, tuple[Callable[[Held], Any], Any]] = {
    "units_of": (lambda held: held.units_of(["d"]), {"u": ("d", ((2, None),))}),
    "documents": (lambda held: held.documents({"match_all": {}}), {"d"}),
    "count": (lambda held: held.count(), 7),
    "refresh": (lambda held: held.refresh(), None),
}


@pytest.mark.parametrize("name", ASKED)
def test_what_does_not_answer_is_asked_again(name: str) -> None:
    ask, answer = ASKED[name]
    node, waits = Node(*FAULTS, PART), []
    assert ask(Held(node, "index", Patience(4, 0.5, waits.append))) == answer
    assert (node.asked, len(waits)) == (5, 4)


@pytest.mark.parametrize("name", ASKED)
def test_patience_has_an_end(name: str) -> None:
    node, waits = Node(*[PART] * 10), []
    with pytest.raises(StoreUnavailable, match="part of the index"):
        ASKED[name][0](Held(node, "index", Patience(2, 0.5, waits.append)))
    assert (node.asked, len(waits)) == (3, 2)


def test_what_no_waiting_mends_is_asked_once() -> None:
    node, waits = Node(AuthorizationException(403, "no", {})), []
    with pytest.raises(PermissionDenied):
        Held(node, "index", Patience(9, 0.5, waits.append)).count()
    assert (node.asked, waits) == (1, [])


def test_waits_grow_up_to_half_a_minute() -> None:
    waits: list[float] = []
    Held(Node(*[PART] * 8), "index", Patience(8, 0.5, waits.append)).count()
    expected = (0.5, 1, 2, 4, 8, 16, 30, 30)
    assert [0.8 <= wait / share <= 1.2 for wait, share in zip(waits, expected, strict=True)] == [True] * 8
