"""Opens the generator over vLLM that the settings describe."""

from __future__ import annotations

from filingforest.config import LlmSettings, Settings
from filingforest.flam.count import TermCounter
from filingforest.models.llm.ask import Asker
from filingforest.models.llm.cache import ResponseCache
from filingforest.models.llm.client import ChatClient
from filingforest.models.llm.compact import compact
from filingforest.models.llm.generator import VllmGenerator
from filingforest.models.llm.log import segments
from filingforest.trees import extractive

MANY_SEGMENTS = 64  # each run leaves one; from here on opening them costs more than merging them


def open_generator(settings: Settings, terms: TermCounter) -> VllmGenerator:
    """As `trees.open.GENERATORS` asks for it. Errors: ConfigError for settings that are missing."""
    client = ChatClient(settings.llm)
    return VllmGenerator(client, Asker(client, open_cache(settings.llm), settings.llm), extractive.open_generator(settings, terms))


def open_cache(settings: LlmSettings) -> ResponseCache:
    """The answers in `llm.cache`, merged first where many runs left their segments."""
    if len(segments(settings.cache_path)) > MANY_SEGMENTS:
        compact(settings.cache_path)
    return ResponseCache(settings.cache_path)
