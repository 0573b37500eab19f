"""Settings of `filingforest serve`: `[serve]`. The token is no setting, so that it stands in no file: see FILINGFOREST_TOKEN."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class ServeSettings:
    """Where it listens and what one request may cost."""

    host: str = "127.0.0.1"
    port: int = 8000
    refresh_s: float = 30.0
    threads: int = 4
    time_limit_s: float = 30.0
    max_body_kb: int = 256
    max_k: int = 100
    max_batch: int = 50


def wrong_serve(chosen: ServeSettings) -> Iterator[tuple[bool, str]]:
    """Whether each bound is broken, and what to say then."""
    yield not 0 <= chosen.port <= 65_535, "serve.port must be a port, 0 to 65535"
    yield chosen.refresh_s <= 0, "serve.refresh_s must be above 0"
    yield min(chosen.threads, chosen.time_limit_s, chosen.max_body_kb, chosen.max_k, chosen.max_batch) <= 0, "serve limits must be above 0"
