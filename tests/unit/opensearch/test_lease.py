"""The right to load: its signs of life while nothing else happens, and how it is lost. The state is a dictionary here."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

import pytest
from opensearchpy.exceptions import AuthorizationException, ConflictError, TransportError

from filingforest.config.opensearch import OpenSearchSettings
from filingforest.errors import LostRace, PermissionDenied, StoreUnavailable
from filingforest.opensearch import lease as leases
from filingforest.opensearch.bulk import Action, BulkLoader
from filingforest.opensearch.layout import Layout
from filingforest.opensearch.lease import Lease, claim
from filingforest.opensearch.state import Mark, State, read_state

SETTINGS = OpenSearchSettings(url="http://nowhere", retries=3, backoff_s=0.0)
LAYOUT = Layout.of("filings", SETTINGS, None)
PATIENCE = 30.0  # of a test for another thread


class Node:
    """Keeps the state's document with its version, as a node does. `before` may raise instead of a write, `after` behind it."""

    def __init__(self) -> None:
        self.source, self.version, self.writes = None, 0, 0
        self.before: Callable[[], None] = lambda: None
        self.after: Callable[[], None] = lambda: None
        self.written = threading.Condition()
        self.indices = self

    def get(self, index, id, ignore):
        return {"found": True, "_source": self.source, "_seq_no": self.version, "_primary_term": 1} if self.source else {"found": False}

    def index(self, index, id, body, params):
        self.before()
        if params.get("if_seq_no", 0) != self.version:
            raise ConflictError(409, "version_conflict_engine_exception", {})
        self.put(body)
        self.after()
        return {"_seq_no": self.version, "_primary_term": 1}

    def put(self, body) -> None:
        with self.written:
            self.source, self.version, self.writes = body, self.version + 1, self.writes + 1
            self.written.notify_all()

    def has_written(self, more: int) -> bool:
        with self.written:
            goal = self.writes + more
            return self.written.wait_for(lambda: self.writes >= goal, PATIENCE)

    def get_alias(self, index, name, ignore):
        return {}

    def update_aliases(self, body):
        return {}


@pytest.fixture
def node(monkeypatch: pytest.MonkeyPatch) -> Node:
    monkeypatch.setattr(leases, "BEAT_S", 0.001)
    return Node()


def claimed(node: Node, number: int = 5):
    return claim(node, LAYOUT, read_state(node, LAYOUT), Mark(f"{number:06d}-a", number), SETTINGS, 0.01)


def taken(lease: Lease, node: Node) -> None:
    """Another loader claims; the lease knows by its next sign."""
    node.put({"loaded": None, "pending": {"id": "000005-b", "sequence": 5, "fence": "other"}})
    assert lease._lost.wait(PATIENCE)


def test_signs_of_life_come_while_the_node_refuses_everything_else(node: Node) -> None:
    class Busy:
        tries = 0

        def bulk(self, body, index, params):
            self.tries += 1
            assert node.has_written(2)  # while nothing is answered
            if self.tries == 1:
                raise TransportError(429, "busy", {})
            return {"items": [{"create": {"status": 201}}]}

    with claimed(node) as lease:
        report = BulkLoader(Busy(), lease.alias("units"), SETTINGS, lease.patience).load([Action("create", "a", {}, "d")])
        assert node.has_written(2)  # and while nothing is asked
    assert (report.created, report.requests) == (1, 2)
    writes = node.writes
    assert not lease._thread.is_alive()
    assert node.writes == writes


def test_a_load_that_was_taken_away_ends_before_its_next_request(node: Node) -> None:
    with claimed(node) as lease:
        taken(lease, node)
        with pytest.raises(LostRace):
            lease.patience.ask("x", lambda: pytest.fail("asked"))


def test_a_wait_ends_when_the_load_is_taken_away(node: Node) -> None:
    asked: list[int] = []

    def busy() -> None:
        asked.append(1)
        taken(lease, node)
        raise StoreUnavailable("busy")

    with claimed(node) as lease, pytest.raises(LostRace):
        replace(lease.patience, backoff_s=3_600.0).ask("x", busy)
    assert asked == [1]


def test_a_load_that_was_taken_away_cannot_finish(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "BEAT_S", 3_600.0)  # it has not noticed yet
    with claimed(node) as lease:
        node.put({"loaded": None, "pending": {"id": "000005-b", "sequence": 5, "fence": "other"}})
        with pytest.raises(LostRace):
            lease.finish()
    assert node.source["pending"]["fence"] == "other"


def test_the_last_sign_says_that_the_load_is_through(node: Node) -> None:
    with claimed(node) as lease:
        begun = read_state(node, LAYOUT)
        lease.finish()
    ended = read_state(node, LAYOUT)
    assert begun.pending and ended.pending
    assert (begun.pending.id, begun.pending.ready, ended.pending.id, ended.pending.ready) == ("000005-a", False, "000005-a", True)


def test_a_sign_whose_answer_was_lost_is_no_lost_race(node: Node) -> None:
    def lost() -> None:
        node.after = lambda: None
        raise TransportError(503, "gone", {})

    with claimed(node) as lease:
        node.after = lost
        assert node.has_written(3)
        lease.finish()
    assert node.source["pending"]["ready"]


def test_a_claim_whose_answer_was_lost_is_made_once(node: Node) -> None:
    def lost() -> None:
        node.after = lambda: None
        raise TransportError(503, "gone", {})

    node.after = lost
    with claimed(node) as lease:
        assert node.source["pending"]["fence"] == lease.mark.fence


def test_a_node_that_is_away_takes_no_signs_and_nobody_loses(node: Node) -> None:
    tries = threading.Semaphore(0)

    def away() -> None:
        tries.release()
        raise TransportError("N/A", "gone", None)

    with claimed(node) as lease:
        node.before = away
        assert [tries.acquire(timeout=PATIENCE) for _ in range(3)] == [True] * 3
        node.before = lambda: None
        lease.check()
        lease.finish()


def test_a_wrong_password_ends_the_load(node: Node) -> None:
    def refuse() -> None:
        raise AuthorizationException(403, "no", {})

    with claimed(node) as lease:
        node.before = refuse
        assert lease._lost.wait(PATIENCE)
        node.before = lambda: None
        with pytest.raises(PermissionDenied):
            lease.check()


def test_whoever_takes_over_knows_whom_from(node: Node) -> None:
    with claimed(node) as first:
        first.finish()
    with claimed(node) as second:
        assert second.replaced == Mark("000005-a", 5, first.mark.fence, True)


def test_a_state_that_an_earlier_version_wrote_is_read_as_not_ready(node: Node) -> None:
    node.put({"loaded": {"id": "000004-a", "sequence": 4, "fence": "f"}, "pending": None})
    assert read_state(node, LAYOUT) == State(LAYOUT.generation, Mark("000004-a", 4, "f"), None, (1, 1))
