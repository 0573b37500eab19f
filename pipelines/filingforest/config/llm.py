"""Settings of the language model that writes summaries and questions: `[llm]`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class LlmSettings:
    """A server with vLLM's OpenAI API (docs/llm.md). The key, where it wants one, is VLLM_API_KEY in the environment, never a setting."""

    url: str = ""
    model: str = ""
    revision: str = ""
    max_in_flight: int = 64
    timeout_s: float = 300.0
    patience_s: float = 600.0
    retries: int = 5
    backoff_s: float = 1.0
    max_tokens: int = 512
    max_tokens_limit: int = 2_048
    context_tokens: int = 0  # 0: what the server says
    temperature: float = 0.0
    seed: int = 17
    summary_chars: int = 900
    questions: int = 6
    cache: str = "~/.cache/filingforest/llm"

    @property
    def cache_path(self) -> Path:
        return Path(self.cache).expanduser()


def wrong_llm(chosen: LlmSettings) -> Iterator[tuple[bool, str]]:
    """Whether each bound is broken, and what to say then."""
    yield min(chosen.max_in_flight, chosen.max_tokens, chosen.questions) < 1, "llm bounds must be at least 1"
    yield chosen.max_tokens_limit < chosen.max_tokens, "llm.max_tokens_limit is at least llm.max_tokens"
