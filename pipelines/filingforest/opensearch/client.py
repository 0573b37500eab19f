"""How OpenSearch is reached: verified certificates by default, credentials from the environment alone, errors of our own types."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from filingforest.config.opensearch import OpenSearchSettings
from filingforest.errors import ConfigError, FilingForestError, NotFound, PermissionDenied, StoreError, StoreUnavailable

USER, PASSWORD = "OPENSEARCH_USER", "OPENSEARCH_PASSWORD"
BUSY = (429, 502, 503, 504)
CONNECTIONS = 6  # kept open besides those of a load's requests: its signs of life and lookups, or some readers; opensearch-py keeps one
LATE = 408  # what it was asked to wait for did not come about


def connect(settings: OpenSearchSettings) -> Any:
    """A client (opensearchpy.OpenSearch). It retries nothing: those who know what may be repeated do. Errors: ConfigError."""
    try:
        from opensearchpy import OpenSearch, Urllib3HttpConnection
    except ImportError as error:
        raise ConfigError("opensearch-py is not installed", stage="opensearch", remedy="pip install 'filingforest[opensearch]'") from error
    user, password = os.environ.get(USER), os.environ.get(PASSWORD)
    secure: dict[str, Any] = {}
    if settings.url.startswith("https"):
        secure = {"verify_certs": settings.verify_certs, "ssl_show_warn": False, "ca_certs": settings.ca_certs or None}

    class Quick(Urllib3HttpConnection):  # type: ignore[misc]
        """Compresses requests at gzip's first level: the last, which opensearch-py takes, costs more than the rest of loading a unit."""

        def _gzip_compress(self, body: bytes) -> bytes:
            return gzip.compress(body, 1)

    return OpenSearch(
        settings.url.rstrip("/"),
        connection_class=Quick,
        http_auth=(user, password or "") if user else None,
        timeout=settings.timeout_s,
        http_compress=True,
        max_retries=0,
        pool_maxsize=settings.bulk_requests + CONNECTIONS,
        **secure,
    )


@contextmanager
def guarded(what: str) -> Iterator[None]:
    """Turns opensearch-py's errors into ours, without addresses that could hold a secret."""
    from opensearchpy import exceptions

    try:
        yield
    except exceptions.TransportError as error:
        raise as_ours(error, what) from error


def as_ours(error: Any, what: str) -> FilingForestError:
    """Our error for one of opensearch-py's."""
    status = error.status_code
    where = {"document": what, "stage": "opensearch"}
    if status in (401, 403):
        return PermissionDenied(f"OpenSearch refuses ({status})", **where, remedy=f"check {USER} and {PASSWORD}, and the role")
    if status == 404:
        return NotFound(reason_of(error), **where, remedy="publish again, or restore a snapshot")
    if status in (LATE, *BUSY) or not isinstance(status, int):
        return StoreUnavailable(
            f"OpenSearch does not answer: {reason_of(error)}", **where, remedy="try again; look at the cluster's health"
        )
    return StoreError(f"OpenSearch says {status}: {reason_of(error)}", **where, remedy="look at the cluster's log")


def reason_of(error: Any) -> str:
    """The innermost reason of an error answer, in one line."""
    info = error.info if isinstance(getattr(error, "info", None), dict) else {}
    cause = info.get("error", {})
    if isinstance(cause, dict):
        inner = (cause.get("root_cause") or [cause])[0]
        if inner.get("reason"):
            return f"{inner.get('type')}: {inner['reason']}"[:500]
    return f"{type(error).__name__}: {str(error)[:300]}"
