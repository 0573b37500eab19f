"""Which answers mean that OpenSearch cannot join orders at all; the texts are those of a node of 3.6."""

from __future__ import annotations

import pytest
from opensearchpy.exceptions import RequestError, TransportError

from filingforest.errors import FilingForestError
from filingforest.opensearch.answers import cannot_join
from filingforest.opensearch.client import guarded

HYBRID = "unknown query [hybrid] did you mean any of [hasParent, has_parent]?"


@pytest.mark.parametrize(
    ("kind", "reason", "expected"),
    [
        ("illegal_argument_exception", "Pipeline filingforest-rrf is not defined", True),
        ("parsing_exception", HYBRID, True),
        ("parsing_exception", "unknown query [hybrid]", True),
        ("parsing_exception", "Number of sub-queries exceeds maximum supported by [hybrid] query", False),
        ("illegal_argument_exception", "too many clauses", False),
        ("search_phase_execution_exception", "all shards failed", False),
    ],
)
def test_only_a_missing_pipeline_or_plugin_does(kind: str, reason: str, expected: bool) -> None:
    said = {"error": {"type": kind, "reason": reason, "root_cause": [{"type": kind, "reason": reason}]}, "status": 400}
    with pytest.raises(FilingForestError) as found, guarded("index"):
        raise RequestError(400, kind, said)
    assert cannot_join(found.value) is expected


@pytest.mark.parametrize("info", [None, "<html>bad gateway</html>", {}, {"error": "no handler found"}])
def test_an_answer_that_says_nothing_does_not(info: object) -> None:
    with pytest.raises(FilingForestError) as found, guarded("index"):
        raise TransportError(400, "?", info)
    assert not cannot_join(found.value)
