"""Settings of the OpenSearch copy of a publication: `[opensearch]`. Light: readers use them too.

Name and password are OPENSEARCH_USER and OPENSEARCH_PASSWORD in the environment (or an Airflow connection), never settings.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

ENGINES = ("lucene", "faiss")
QUANTISATIONS = ("none", "sq")
FUSIONS = ("auto", "client", "server")


@dataclass(frozen=True)
class OpenSearchSettings:
    """Where it is, how its indexes are laid out, how they are loaded (docs/opensearch.md)."""

    url: str = ""  # "": no OpenSearch
    ca_certs: str = ""
    verify_certs: bool = True
    timeout_s: float = 60.0
    prefix: str = "filingforest"
    engine: str = "lucene"
    quantisation: str = "none"
    m: int = 16
    ef_construction: int = 128
    ef_search: int = 256
    shards: int = 1
    replicas: int = 0
    bulk_items: int = 500
    bulk_mb: float = 8.0
    bulk_requests: int = 2  # under way at once
    retries: int = 8
    backoff_s: float = 0.5
    max_refused_share: float = 0.0
    fusion: str = "auto"
    repository: str = ""


def wrong_opensearch(chosen: OpenSearchSettings) -> Iterator[tuple[bool, str]]:
    """Whether each bound is broken, and what to say then."""
    for name, values in {"engine": ENGINES, "quantisation": QUANTISATIONS, "fusion": FUSIONS}.items():
        yield getattr(chosen, name) not in values, f"opensearch.{name} must be one of {', '.join(values)}"
    yield "@" in chosen.url, "opensearch.url holds no name or password: OPENSEARCH_USER and OPENSEARCH_PASSWORD in the environment do"
    sizes = (chosen.m, chosen.ef_construction, chosen.ef_search, chosen.shards, chosen.bulk_items, chosen.bulk_mb, chosen.bulk_requests)
    yield min(sizes) <= 0, "sizes in [opensearch] must be above 0"
    yield not 0 <= chosen.max_refused_share <= 1, "opensearch.max_refused_share is a share between 0 and 1"
