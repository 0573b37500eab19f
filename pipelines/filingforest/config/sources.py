"""Settings of where documents come from and of what a night takes on: `[edgar]`, `[night]`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SEC_URL, SEC_DATA_URL = "https://www.sec.gov", "https://data.sec.gov"
MAX_EDGAR_RATE = 10.0  # SEC's fair-access limit, requests a second over all machines of one user


@dataclass(frozen=True)
class EdgarSettings:
    """How EDGAR is asked. `user_agent` has no default: SEC demands a name and a mail address."""

    base_url: str = SEC_URL
    data_url: str = ""
    user_agent: str = ""
    rate: float = 8.0
    limiter_dir: str = "~/.cache/filingforest/edgar"
    limiter_url: str = ""
    cooldown_s: float = 600.0
    timeout_s: float = 30.0
    retries: int = 5
    backoff_s: float = 1.0
    max_bytes: int = 400_000_000

    @property
    def data_base(self) -> str:
        """Where submissions JSON lives: `data_url`, else SEC's data host, else `base_url` where that was changed (a replay server)."""
        return self.data_url or (SEC_DATA_URL if self.base_url == SEC_URL else self.base_url)

    @property
    def limiter_path(self) -> Path:
        return Path(self.limiter_dir).expanduser()


@dataclass(frozen=True)
class NightSettings:
    """What a night takes on when nothing else is asked for."""

    forms: tuple[str, ...] = ("10-K", "10-Q")
    lookback_days: int = 0
    batch_size: int = 8
    max_batches: int = 1_000  # Airflow's max_map_length is 1,024


def wrong_sources(edgar: EdgarSettings, night: NightSettings) -> Iterator[tuple[bool, str]]:
    """Whether each bound is broken, and what to say then."""
    yield not 0 < edgar.rate <= MAX_EDGAR_RATE, f"edgar.rate must be above 0 and at most {MAX_EDGAR_RATE:g} requests a second, SEC's limit"
    yield night.batch_size < 1, "night.batch_size must be at least 1"
