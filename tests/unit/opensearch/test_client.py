"""How OpenSearch is reached."""

from __future__ import annotations

from filingforest.config.opensearch import OpenSearchSettings
from filingforest.opensearch.client import connect


def test_connections_of_requests_that_go_together_are_kept() -> None:
    """One that does not fit is opened anew for each request, with its handshake, and urllib3 warns every time."""
    pool = connect(OpenSearchSettings(url="http://nowhere:9200", bulk_requests=5)).transport.get_connection().pool
    assert pool.pool.maxsize >= 5 + 2  # signs of life and lookups
