"""Opens the generator over vLLM that the settings describe, after a proof that its server is the one that is meant and keeps to schemas."""

from __future__ import annotations

from filingforest.config import LlmSettings, Settings
from filingforest.errors import ConfigError
from filingforest.flam.count import TermCounter
from filingforest.models.llm.ask import Asker
from filingforest.models.llm.cache import ResponseCache
from filingforest.models.llm.canary import check_constraint
from filingforest.models.llm.client import ChatClient
from filingforest.models.llm.compact import compact
from filingforest.models.llm.generator import VllmGenerator
from filingforest.models.llm.log import segments
from filingforest.trees import extractive

MANY_SEGMENTS = 64  # each run leaves one; from here on opening them costs more than merging them


def open_generator(settings: Settings, terms: TermCounter) -> VllmGenerator:
    """As `trees.open.GENERATORS` asks for it. Errors: ConfigError, LlmError, LlmUnavailable, LlmUnconstrained."""
    client = ChatClient(settings.llm)
    context = context_of(client)
    check_constraint(client)
    return VllmGenerator(client, Asker(client, open_cache(settings.llm), settings.llm), extractive.open_generator(settings, terms), context)


def open_cache(settings: LlmSettings) -> ResponseCache:
    """The answers in `llm.cache`, merged first where many runs left their segments."""
    if len(segments(settings.cache_path)) > MANY_SEGMENTS:
        compact(settings.cache_path)
    return ResponseCache(settings.cache_path)


def context_of(client: ChatClient) -> int:
    """Tokens of prompt and answer together. Errors: ConfigError where it is unknown or too small to use."""
    card = client.model_card()
    context = client.settings.context_tokens or int(card.get("max_model_len") or 0)
    if context < 2 * client.settings.max_tokens:
        remedy = "set llm.context_tokens to the model's context, and llm.max_tokens to less than half of it"
        raise ConfigError(
            f"a context of {context} tokens leaves no room for answers of {client.settings.max_tokens}", stage="llm", remedy=remedy
        )
    return context
